// Package serve shows a store of runs to a browser on the same machine: its index, made for each
// request, and the files of its runs.
//
//	handler := serve.New(store, policy, index)
//	http.Serve(listener, handler) // a listener on a loopback address
//
// It serves only files of the store: no targets of links outside of it, no names that begin with
// a dot, and no lists of directories. Pages may come from other people, so each is sent with a
// policy that names the scripts which may run and forbids requests. A page that navigates by
// itself, which a policy cannot forbid, is shown as text.
package serve

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"
)

// types are the content types of a run's files. Other texts are plain text, since a browser
// would otherwise offer to save them.
var types = map[string]string{
	".html":  "text/html; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".xml":   "text/plain; charset=utf-8",
	".jsonl": "text/plain; charset=utf-8",
	".yaml":  "text/plain; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
	".log":   "text/plain; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
	".edn":   "text/plain; charset=utf-8",
}

const (
	reportName = "report.html" // page of a run
	latestName = "latest"      // link to the newest run
)

// Handler answers requests for a store.
type Handler struct {
	store  *os.Root
	policy string
	index  func() ([]byte, error)
}

// New returns a handler for the files below store. policy is the content security policy
// of every answer. index makes the page for "/".
func New(store *os.Root, policy string, index func() ([]byte, error)) *Handler {
	return &Handler{store: store, policy: policy, index: index}
}

// protect sets the headers of every answer.
func protect(w http.ResponseWriter, policy string) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-cache")
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w, h.policy)
	switch {
	case !loopback(r.Host):
		// A page of another site whose host name resolves to this machine (DNS rebinding).
		http.Error(w, "this server answers to 127.0.0.1 and localhost only", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "there is nothing here but pages to read", http.StatusMethodNotAllowed)
	case r.URL.Path == "/" || r.URL.Path == "/index.html":
		h.serveIndex(w, r)
	default:
		h.serveFile(w, r, strings.TrimPrefix(r.URL.Path, "/"))
	}
}

// loopback reports whether a request was meant for this machine.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "127.0.0.1" || name == "localhost"
}

func (h *Handler) serveIndex(w http.ResponseWriter, r *http.Request) {
	page, err := h.index()
	if err != nil {
		http.Error(w, "the index cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", types[".html"])
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
}

// serveFile answers with a file, with the report of a run for its directory, and
// with all files of a run for its directory with ".zip".
func (h *Handler) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	bare := strings.TrimSuffix(name, "/")
	if !visible(bare) {
		http.NotFound(w, r)
		return
	}
	// Stat before Open: opening a pipe would wait for its other end.
	info, err := h.store.Stat(bare)
	switch {
	case errors.Is(err, fs.ErrNotExist) && path.Ext(name) == ".zip":
		h.serveZip(w, r, strings.TrimSuffix(name, ".zip"))
	case bare == latestName && err != nil:
		http.Error(w, "there is no latest run: / lists what the store has", http.StatusNotFound)
	case err != nil:
		http.NotFound(w, r) // whether or not the file exists outside of the store
	case info.IsDir():
		h.serveRun(w, r, bare)
	case !info.Mode().IsRegular() || bare != name:
		http.NotFound(w, r)
	default:
		f, err := h.store.Open(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close()
		serveOpen(w, r, f, info)
	}
}

// serveOpen serves an open file of the store.
func serveOpen(w http.ResponseWriter, r *http.Request, f *os.File, info fs.FileInfo) {
	kind := typeOf(info.Name())
	if kind == types[".html"] || kind == types[".svg"] {
		servePage(w, r, f, info)
		return
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// serveRun redirects from a run's directory to its report.
func (h *Handler) serveRun(w http.ResponseWriter, r *http.Request, dir string) {
	dir, ok := h.runDir(dir)
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.Redirect(w, r, (&url.URL{Path: "/" + dir + "/" + reportName}).EscapedPath(), http.StatusFound)
}

// runDir checks that a directory is one of a run, with a report. It follows the link "latest", so
// that the address remains that of the run when there is a newer one.
func (h *Handler) runDir(dir string) (string, bool) {
	if target, err := h.store.Readlink(dir); err == nil {
		dir = path.Join(path.Dir(dir), target)
	}
	if !visible(dir) {
		return "", false
	}
	info, err := h.store.Stat(path.Join(dir, reportName))
	return dir, err == nil && info.Mode().IsRegular()
}

// visible reports whether a name may be served.
func visible(name string) bool {
	return fs.ValidPath(name) && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

func typeOf(name string) string {
	if t, ok := types[path.Ext(name)]; ok {
		return t
	}
	return "application/octet-stream"
}
