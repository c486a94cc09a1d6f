package raw

import (
	"fmt"
	"io"
	"net/http"

	"github.com/pinned-go/pinned"
)

//pinned:object /raw
type Files struct{ pinned.Object }

//pinned:route GET /raw/{name}
//pinned:route POST /raw/{name}
func (f *Files) Serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Name", r.PathValue("name"))
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprint(w, r.Method, r.URL.Query().Get("q"), r.Header.Get("X-Sample"), len(body))
}

//pinned:route PUT /tree/{path...} concurrent
func (f *Files) Tree(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("path")) }
