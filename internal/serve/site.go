package serve

import (
	"net/http"
	"os"
	"path"
	"strings"
)

// sitePrefix is where the static site is below the address of a store.
const sitePrefix = "/site/"

// siteTypes are the kinds of files that the site has besides those of a store.
var siteTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".gz": "application/gzip"}

// Site serves the static site besides what another handler does: below /site/, under a policy of its
// own, since the playground runs scripts of its own and a store's pages must not. The site is ours:
// `make site` has written it. nil as root leaves it out.
func Site(root *os.Root, policy string, other http.Handler) http.Handler {
	if root == nil {
		return other
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, sitePrefix)
		if !ok || !loopback(r.Host) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			other.ServeHTTP(w, r)
			return
		}
		head := w.Header()
		head.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-cache")
		if name == "" || strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		serveSiteFile(w, r, root, name)
	})
}

func serveSiteFile(w http.ResponseWriter, r *http.Request, root *os.Root, name string) {
	info, err := root.Stat(name)
	if !visible(name) || err != nil || !info.Mode().IsRegular() { // asked before it is opened, as for a store
		http.NotFound(w, r)
		return
	}
	f, err := root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	kind, ok := siteTypes[path.Ext(name)]
	if !ok {
		kind = typeOf(name)
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), f)
}
