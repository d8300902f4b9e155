package serve

import (
	"net/http"
	"os"
	"path"
	"strings"
)

// SitePrefix is the path of the static site below the address of a store. No run has this name:
// that of a run's folder has letters, digits and dashes.
const SitePrefix = "/_site/"

// SiteMark is the file that marks a folder as a site that `make site` has written. It lists the
// files of the site.
const SiteMark = ".lockstep-site"

// siteTypes are the content types of the site in addition to those of a store.
var siteTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".gz": "application/gzip"}

// Site adds the static site to another handler: below SitePrefix, with a policy of its own, since
// the playground runs scripts and pages of a store must not. The site is trusted: `make site` has
// written it. Without a root it returns the other handler.
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
		protect(w, policy)
		if name == "" || strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		serveSiteFile(w, r, root, name)
	})
}

func serveSiteFile(w http.ResponseWriter, r *http.Request, root *os.Root, name string) {
	info, err := root.Stat(name)
	if !visible(name) || err != nil || !info.Mode().IsRegular() { // before Open, as for a store
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
