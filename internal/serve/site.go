package serve

import (
	"net/http"
	"os"
	"path"
	"strings"
)

// SitePrefix is where the static site is below the address of a store. No run is called so: a run's
// folder has letters, digits and dashes in its name.
const SitePrefix = "/_site/"

// SiteMark is the file by which a folder is known as a site that `make site` has written. It lists
// what belongs to it.
const SiteMark = ".lockstep-site"

// siteTypes are the kinds of files that the site has besides those of a store.
var siteTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".gz": "application/gzip"}

// Site serves the static site besides what another handler does: below SitePrefix, under a policy of its
// own, since the playground runs scripts of its own and a store's pages must not. The site is ours:
// `make site` has written it. nil as root leaves it out.
func Site(root *os.Root, policy string, other http.Handler) http.Handler {
	if root == nil {
		return other
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, SitePrefix)
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
