package importer

import (
	"errors"

	"github.com/pinned-go/pinned"
	"github.com/pinned-go/pinned/goldens/bad_errors/imported"
)

//pinned:error across 400
var ErrAcross = errors.New("across")

var _ = imported.ErrAcross

//pinned:object /bad_errors
type Room struct{ pinned.Object }
