package diag

// Code names a kind of problem: "PIN" and three digits. A code keeps its meaning
// for ever; one that is no longer used isn't given to another.
type Code string

// The codes. A new one takes a number after the last of its group; codes says what
// each means.
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
	StrayMark        Code = "PIN014"
	WrongColon       Code = "PIN015"

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

	NotAStruct       Code = "PIN040"
	GenericObject    Code = "PIN041"
	UnexportedObject Code = "PIN042"
	ObjectName       Code = "PIN043"
	ObjectTwice      Code = "PIN044"
	NoBase           Code = "PIN045"
	HidesMethod      Code = "PIN046"
	WrongHook        Code = "PIN047"
	NamespaceTwice   Code = "PIN048"
	BesideObject     Code = "PIN049"

	NoObject             Code = "PIN060"
	ValueReceiver        Code = "PIN061"
	UnexportedRoute      Code = "PIN062"
	RouteIsHook          Code = "PIN063"
	BadPattern           Code = "PIN064"
	RouteConflict        Code = "PIN065"
	NeverMatches         Code = "PIN066"
	BadParam             Code = "PIN067"
	BadRaw               Code = "PIN068"
	BadPathParam         Code = "PIN069"
	UnnamedParam         Code = "PIN070"
	NotInPattern         Code = "PIN071"
	ParamTwice           Code = "PIN072"
	BadSocket            Code = "PIN073"
	NoBody               Code = "PIN074"
	BodyTwice            Code = "PIN075"
	WildcardWithoutParam Code = "PIN076"
	LimitWithoutBody     Code = "PIN077"
	BadAuth              Code = "PIN078"
	BadResult            Code = "PIN079"

	BadField     Code = "PIN080"
	BoundTwice   Code = "PIN081"
	BoundInBody  Code = "PIN082"
	CannotEncode Code = "PIN083"

	NotAnError     Code = "PIN090"
	ErrorCodeTwice Code = "PIN091"
	NameTaken      Code = "PIN092"
	NameTwice      Code = "PIN093"
	ErrorTwice     Code = "PIN094"

	StrayDurable   Code = "PIN100"
	DurableForm    Code = "PIN101"
	NotInTray      Code = "PIN102"
	DurableName    Code = "PIN103"
	DurableTwice   Code = "PIN104"
	BadDefault     Code = "PIN105"
	NotATray       Code = "PIN106"
	BadItems       Code = "PIN107"
	NoHandle       Code = "PIN108"
	HandleField    Code = "PIN109"
	HandleTwice    Code = "PIN110"
	BadHandle      Code = "PIN111"
	BadInbox       Code = "PIN112"
	MethodTaken    Code = "PIN113"
	BadAlarm       Code = "PIN114"
	AlarmTwice     Code = "PIN115"
	UngatedNothing Code = "PIN116"
)

// Meaning is what a code is about, as the rule that was broken.
type Meaning struct {
	Code Code
	Rule string
}

// Codes are all codes, in order.
func Codes() []Meaning { return codes }

var codes = []Meaning{
	{Internal, "a fault of pinnedgen itself"},
	{SpacedDirective, "a directive has no space after //"},
	{CapitalDirective, "a directive is in lower case"},
	{SpacedColon, "a directive has no space around its colon"},
	{NoVerb, "a directive has a verb after the colon"},
	{WrongTool, "a directive begins with pinned"},
	{BlockDirective, "a directive is a // comment"},
	{UnknownVerb, "there is no such directive"},
	{BadQuote, "a quoted argument ends, and a space follows"},
	{MissingArgument, "a directive has all its arguments"},
	{BadArgument, "an argument has the form that the verb asks for"},
	{UnknownOption, "the verb has no such option"},
	{OptionTwice, "an option is given once"},
	{OptionForm, "an option has a value, or none, as the verb says"},
	{StrayMark, "a directive has nothing between // and pinned"},
	{WrongColon, "a directive has one colon between pinned and its verb"},
	{InTest, "no directive stands in a test"},
	{Detached, "a directive stands right above a declaration"},
	{Trailing, "a directive stands above its declaration, not behind it"},
	{InBody, "a directive stands outside of bodies"},
	{WrongPlace, "a directive stands on the kind of declaration that its verb is for"},
	{SeveralNames, "a directive stands on one variable"},
	{Syntax, "an annotated file parses"},
	{FileSuffix, "an annotated file is built on every system"},
	{ConstraintsDiffer, "the annotated files of a package have one build constraint"},
	{OutputTaken, "no hand-written file is called as the output"},
	{ClientName, "client= names a folder that can be a package of this module"},
	{Excluded, "annotated files are in the build"},
	{BadType, "the types of an annotated signature resolve"},
	{NotLoaded, "an annotated package loads"},
	{NotAStruct, "an object or a tray is a struct"},
	{GenericObject, "an object or a tray has no type parameters"},
	{UnexportedObject, "an object's type is exported"},
	{ObjectName, "no object is called as a part of Client"},
	{ObjectTwice, "a struct is an object or a tray once"},
	{NoBase, "an object embeds pinned.Object, and a tray pinned.Tray"},
	{HidesMethod, "no field and no annotated method hides one of pinned.Object or pinned.Tray"},
	{WrongHook, "a method with the name of a hook has its signature"},
	{NamespaceTwice, "a namespace is there once in a module"},
	{BesideObject, "what a client in another package needs is declared outside of the object's"},
	{NoObject, "the receiver of a route, a handle or an alarm is an object, and that of an inbox a tray"},
	{ValueReceiver, "the receiver of an annotated method is a pointer"},
	{UnexportedRoute, "a route's method is exported"},
	{RouteIsHook, "no hook is a route"},
	{BadPattern, "a pattern is one that net/http.ServeMux takes, with 8 wildcards at most"},
	{RouteConflict, "no two routes of an object conflict"},
	{NeverMatches, "a route can match"},
	{BadParam, "a parameter is one that a route can take"},
	{BadRaw, "a raw handler is func(http.ResponseWriter, *http.Request)"},
	{BadPathParam, "a path parameter has a type that is written as text"},
	{UnnamedParam, "a path parameter has a name"},
	{NotInPattern, "a scalar parameter is in the pattern"},
	{ParamTwice, "a parameter of a kind is there once"},
	{BadSocket, "WEBSOCKET routes and *pinned.Conn go together"},
	{NoBody, "a body is read by methods that have one"},
	{BodyTwice, "a body is read once"},
	{WildcardWithoutParam, "a path parameter has a parameter of its name"},
	{LimitWithoutBody, "limit= is for routes with a body"},
	{BadAuth, "auth= names a method with the signature of Authorize"},
	{BadResult, "a result is one that a route can return"},
	{BadField, "a field of a request struct can be read from where its tag says"},
	{BoundTwice, "a query or header parameter is read into one field"},
	{BoundInBody, "a field read elsewhere takes no name from the body"},
	{CannotEncode, "what travels can be encoded whole"},
	{NotAnError, "what //pinned:error stands on is an error"},
	{ErrorCodeTwice, "an error code is there once among a package and its imports"},
	{NameTaken, "no hand-written name is one of the output"},
	{NameTwice, "no name of the output is generated twice"},
	{ErrorTwice, "an error is declared once"},
	{StrayDurable, "a durable field is one of an object or a tray"},
	{DurableForm, "a durable field is a value of its type, and generated code can reach it"},
	{NotInTray, "a tray keeps values, queues and outboxes"},
	{DurableName, "a durable name has 1 to 1,024 bytes, doesn't begin with ~ and isn't pinned"},
	{DurableTwice, "a durable name is there once in an object or a tray"},
	{BadDefault, "default: is for a Value, whose type is written as text"},
	{NotATray, "a field of trays is of a type with //pinned:tray"},
	{BadItems, "a tray has a method Items() iter.Seq[T]"},
	{NoHandle, "a field of trays or jobs has a handle"},
	{HandleField, "//pinned:handle names a field of trays or jobs of its object"},
	{HandleTwice, "a field has one handle"},
	{BadHandle, "a handle is (context.Context, item, *pinned.Dispatch) error"},
	{BadInbox, "an inbox is unexported, takes values that can be encoded, and returns nothing"},
	{MethodTaken, "no field or method is called as a generated method"},
	{BadAlarm, "an alarm's method is (context.Context, pinned.Alarm, payload) error, or with one of the two"},
	{AlarmTwice, "an alarm is there once in an object"},
	{UngatedNothing, "ungated is for objects that keep something durable"},
}
