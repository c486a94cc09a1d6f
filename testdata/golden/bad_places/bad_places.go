//pinned:object /bad_places_package
package bad_places

//pinned:object /bad_places_import
import "github.com/pinned-go/pinned"

//pinned:route GET /on-type
type Room struct{ pinned.Object }

//pinned:object /bad_places_method
func (r *Room) Method() {}

//pinned:route GET /func
func Func() {}

//pinned:route GET /const
const Const = 1

//pinned:object /bad_places_var
var Var int

//pinned:object /bad_places_iface
type Iface interface{}

//pinned:object /bad_places_alias
type Alias = Room

//pinned:error code 400
func (r *Room) Error2() {}

//pinned:object /bad_places_group
type (
	A struct{ pinned.Object }
	B struct{ pinned.Object }
)

//pinned:error several 400
var ErrA, ErrB error

//pinned:error group 400
var (
	ErrC error
)
