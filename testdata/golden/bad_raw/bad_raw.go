package bad_raw

import (
	"context"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /bad_raw
type Room struct{ pinned.Object }

//pinned:route GET /a
func (r *Room) A(ctx context.Context, w http.ResponseWriter, req *http.Request) {}

//pinned:route GET /b
func (r *Room) B(w http.ResponseWriter) {}

//pinned:route GET /c
func (r *Room) C(w http.ResponseWriter, req *http.Request) error { return nil }

//pinned:route GET /d
func (r *Room) D(req *http.Request, w http.ResponseWriter) {}

//pinned:route WEBSOCKET /e
func (r *Room) E(w http.ResponseWriter, req *http.Request) {}

//pinned:route GET /f/{x}
func (r *Room) F(w http.ResponseWriter, req *http.Request, x string) {}
