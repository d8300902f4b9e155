package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// The site is served beside the store, under a policy of its own, and no path leads out of it.
func TestTheSiteIsBesideTheStore(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"secret.txt": "secret", "site/index.html": "home", "site/playground/index.html": "play", "site/playground/worker.js": "worker",
		"site/playground/playground.wasm.gz": "wasm", "site/" + SiteMark: "mark", "store/a/run/report.html": "report",
	})
	must.Do(t, os.Symlink("../secret.txt", filepath.Join(dir, "site", "out.txt")))
	index := func() ([]byte, error) { return []byte("index"), nil }
	store := New(openRoot(t, dir, "store"), policy, index)
	server := httptest.NewServer(Site(openRoot(t, dir, "site"), "script-src 'self'", store))
	t.Cleanup(server.Close)
	for path, want := range map[string]struct {
		code                int
		body, kind, allowed string
	}{
		"/":                                        {200, "index", "text/html", "default-src 'none'"},
		"/a/run/report.html":                       {200, "report", "text/html", "default-src 'none'"},
		"/_site/":                                  {200, "home", "text/html", "script-src 'self'"},
		"/_site/playground/":                       {200, "play", "text/html", "script-src 'self'"},
		"/_site/playground/worker.js":              {200, "worker", "text/javascript", "script-src 'self'"},
		"/_site/playground/playground.wasm.gz":     {200, "wasm", "application/gzip", "script-src 'self'"},
		"/_site/out.txt":                           {404, "404", "", ""},
		"/_site/" + SiteMark:                       {404, "404", "", ""},
		"/_site/playground":                        {404, "404", "", ""},
		"/_site/%2e%2e/secret.txt":                 {404, "404", "", ""},
		"/_site/playground/..%2f..%2fsecret.txt":   {404, "404", "", ""},
		"/_site/playground/../../store/index.html": {404, "404", "", ""},
	} {
		answer := must.Get(server.Client().Get(server.URL + path))(t)
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		head := answer.Header
		if answer.StatusCode != want.code || !strings.HasPrefix(string(body), want.body) || !strings.HasPrefix(head.Get("Content-Type"), want.kind) {
			t.Errorf("%s: %d %q %s", path, answer.StatusCode, body, head.Get("Content-Type"))
		}
		if p := head.Get("Content-Security-Policy"); want.allowed != "" && (!strings.HasPrefix(p, want.allowed) || !strings.Contains(p, "frame-ancestors 'none'")) {
			t.Errorf("%s: the policy is %s", path, p)
		}
	}
	must.Equalf(t, Site(nil, "", store), http.Handler(store),
		"without a site the handler is not that of the store")
	other := must.Get(http.NewRequest(http.MethodGet, server.URL+"/_site/", nil))(t)
	other.Host = "evil.example"
	answer := must.Get(server.Client().Do(other))(t)
	_ = answer.Body.Close()
	must.Equalf(t, answer.StatusCode, http.StatusMisdirectedRequest,
		"a request that was meant for another host gets")
}
