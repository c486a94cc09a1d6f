package diag

// Code names a kind of problem: "PIN" and three digits. A code keeps its meaning
// for ever; one that is no longer used isn't given to another.
type Code string

// The codes. A new one takes a number after the last of its group.
const (
	Internal Code = "PIN000"

	SpacedDirective  Code = "PIN001"
	CapitalDirective Code = "PIN002"
	SpacedColon      Code = "PIN003"
	NoVerb           Code = "PIN004"
	WrongTool        Code = "PIN005"
	BlockDirective   Code = "PIN006"
	UnknownVerb      Code = "PIN007"
	BadQuote         Code = "PIN008"
	MissingArgument  Code = "PIN009"
	BadArgument      Code = "PIN010"
	UnknownOption    Code = "PIN011"
	OptionTwice      Code = "PIN012"
	OptionForm       Code = "PIN013"

	InTest       Code = "PIN020"
	Detached     Code = "PIN021"
	Trailing     Code = "PIN022"
	InBody       Code = "PIN023"
	WrongPlace   Code = "PIN024"
	SeveralNames Code = "PIN025"

	Syntax            Code = "PIN030"
	FileSuffix        Code = "PIN031"
	ConstraintsDiffer Code = "PIN032"
	OutputTaken       Code = "PIN033"
	ClientName        Code = "PIN034"
	Excluded          Code = "PIN035"
	BadType           Code = "PIN036"
	NotLoaded         Code = "PIN037"
)
