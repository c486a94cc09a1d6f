package bad_namespaces

import "github.com/pinned-go/pinned"

//pinned:object bad
type A struct{ pinned.Object }

//pinned:object /
type B struct{ pinned.Object }

//pinned:object /a/b
type C struct{ pinned.Object }

//pinned:object /_a
type D struct{ pinned.Object }

//pinned:object /registry
type E struct{ pinned.Object }

//pinned:object /é
type F struct{ pinned.Object }

//pinned:object /..
type G struct{ pinned.Object }

//pinned:object /h env=-x client=boxes
type H struct{ pinned.Object }

//pinned:object /i client=../boxes
type I struct{ pinned.Object }

//pinned:object /j client=./_boxes
type J struct{ pinned.Object }
