package serve

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// policy stands for the one of the reports.
const policy = "default-src 'none'; img-src data:"

// writeFiles writes files below a folder.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func openRoot(t *testing.T, path ...string) *os.Root {
	t.Helper()
	root := must.Get(os.OpenRoot(filepath.Join(path...)))(t)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// newStore makes a store with one run, and a secret beside it.
func newStore(t *testing.T) *httptest.Server {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"secret.txt":                       "secret",
		"elsewhere/report.html":            "secret",
		"store/index.html":                 "stale",
		"store/matrix.html":                "matrix",
		"store/a/run/report.html":          "report",
		"store/a/run/history.jsonl":        "{}",
		"store/a/run/plots/x.svg":          "<svg/>",
		"store/a/run/.hidden":              "secret",
		"store/a/.draft-1/report.html":     "secret",
		"store/a/odd name?#%/report.html":  "odd",
		"store/a/no-report/history.jsonl":  "{}",
		"store/a/run/executable":           "#!",
		"store/a/really.zip":               "zip",
		"store/a/run/looks-like.html/file": "",
	}
	writeFiles(t, dir, files)
	for name, target := range map[string]string{
		"store/latest": "a/run", "store/out.txt": "../secret.txt", "store/out": "..", "store/absolute.txt": filepath.Join(dir, "secret.txt"),
		"store/a/run/out.txt": "../../../secret.txt", "store/a/out-run": "../../elsewhere", "store/hidden": "a/.draft-1",
		"store/a/run/inside.svg": "plots/x.svg",
	} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	must.Do(t, makePipe(filepath.Join(dir, "store/a/run/pipe.txt")))
	count := 0
	server := httptest.NewServer(New(openRoot(t, dir, "store"), policy, func() ([]byte, error) {
		count++
		return fmt.Appendf(nil, "index %d", count), nil
	}))
	t.Cleanup(server.Close)
	return server
}

// ask sends a path exactly as it is: a client's library would tidy it up.
func ask(t *testing.T, server *httptest.Server, method, path, host string) (*http.Response, string) {
	t.Helper()
	conn := must.Get(net.Dial("tcp", server.Listener.Addr().String()))(t)
	defer conn.Close()
	if host == "" {
		host = server.Listener.Addr().String()
	}
	must.Get(fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, path, host))(t)
	all := must.Get(io.ReadAll(conn))(t)
	request, _ := http.NewRequest(method, "/", nil)
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(all)), request)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer response.Body.Close()
	return response, string(must.Get(io.ReadAll(response.Body))(t))
}

func TestWhatIsServed(t *testing.T) {
	server := newStore(t)
	for _, tt := range []struct {
		path, kind, body string
	}{
		{"/", "text/html; charset=utf-8", "index 1"},
		{"/index.html", "text/html; charset=utf-8", "index 2"}, // never the file
		{"/matrix.html", "text/html; charset=utf-8", "matrix"},
		{"/a/run/report.html", "text/html; charset=utf-8", "report"},
		{"/a/run/history.jsonl", "text/plain; charset=utf-8", "{}"},
		{"/a/run/plots/x.svg", "image/svg+xml", "<svg/>"},
		{"/a/run/inside.svg", "image/svg+xml", "<svg/>"},
		{"/latest/report.html", "text/html; charset=utf-8", "report"},
		{"/a/odd%20name%3F%23%25/report.html", "text/html; charset=utf-8", "odd"},
		{"/a/run/executable", "application/octet-stream", "#!"},
		{"/a/really.zip", "application/octet-stream", "zip"},
	} {
		response, body := ask(t, server, "GET", tt.path, "")
		if response.StatusCode != 200 || body != tt.body || response.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s: %d %s %q, want %s %q", tt.path, response.StatusCode, response.Header.Get("Content-Type"), body, tt.kind, tt.body)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":        "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-cache",
		} {
			must.Equalf(t, response.Header.Get(name), want, "%s: %s", tt.path, name)
		}
		if got := response.Header.Get("Content-Security-Policy"); got != policy+"; frame-ancestors 'none'" {
			t.Errorf("%s: the policy is %q", tt.path, got)
		}
	}
}

// A policy cannot stop a page from navigating by itself, so such a page is shown as text.
func TestPagesThatLeadElsewhereAreShownAsText(t *testing.T) {
	const head = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'">` +
		`<meta name="viewport" content="width=device-width"><meta name="generator" content="x"><link rel="icon" href="data:,">`
	for page, want := range map[string]bool{
		head:                 true,
		"no head":            true,
		head + "&lt;meta x>": true,
		head + "<metal>":     false, // in doubt not
		head + `<form method="dialog"><button>Close</button></form>`: true,
		head + `<form method="dialog" action="http://evil.example">`: false,
		head + `<iframe src="http://evil.example">`:                  false,
		`<!DOCTYPE svg [<!ENTITY x "&#60;a:meta/>">]><svg>&x;</svg>`: false,
		"\xff\xfe<\x00m\x00e": false, // UTF-16
		head + `<META http-equiv=refresh content="0;url=http://127.0.0.1/">`:                      false,
		head + `<meta http-equiv="Content-Security-Policy" content="" http-equiv="refresh">`:      false,
		head + "<meta\nhttp-equiv='refresh' content='0;url=//evil.example'>":                      false,
		head + `<link rel="preconnect" href="http://evil.example">`:                               false,
		head + `<svg><meta/http-equiv="refresh" content="0;url=http://evil.example"/></svg>`:      false,
		head + `<meta http-equiv="Content-Security-Policy"http-equiv="refresh" content="0;url=">`: false,
	} {
		must.Equalf(t, tame([]byte(page)), want, "%q: shown as a page", page)
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"tame.html": head, "wild.html": head + "<meta>", "huge.html": head + strings.Repeat("x", maxPage),
		"x.svg": "<svg/>", "x.xml": "<x/>", "wild.svg": "<svg><h:meta/></svg>",
	})
	h := New(openRoot(t, dir), policy, nil)
	for name, want := range map[string]string{
		"tame.html": "text/html; charset=utf-8", "wild.html": "text/plain; charset=utf-8", "huge.html": "text/plain; charset=utf-8",
		"x.svg": "image/svg+xml", "x.xml": "text/plain; charset=utf-8", "wild.svg": "text/plain; charset=utf-8",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/"+name, nil))
		if got := w.Header().Get("Content-Type"); got != want || w.Code != 200 {
			t.Errorf("%s: %d %s, want %s", name, w.Code, got, want)
		}
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(w.Body.Bytes(), file) {
			t.Errorf("%s: %d bytes, want the %d of the file", name, w.Body.Len(), len(file))
		}
	}
}

// Anything but a file of the store is not found, and none of its content is sent.
func TestWhatIsNotServed(t *testing.T) {
	server := newStore(t)
	for _, path := range []string{
		"/secret.txt", "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/a/../../secret.txt", "/a/..", "//secret.txt",
		"/a%2f..%2f..%2fsecret.txt", `/..\secret.txt`, "/./secret.txt", "/etc/passwd", "//etc/passwd", "/%00", "/a/run/report.html%00.txt",
		"/out.txt", "/out/secret.txt", "/out", "/absolute.txt", "/a/run/out.txt", "/a/out-run", "/a/out-run/report.html", "/a/out-run.zip",
		"/a/run/.hidden", "/a/.draft-1/report.html", "/a/.draft-1", "/a/.draft-1.zip", "/hidden", "/hidden.zip", "/out.zip", "/..zip", "/.zip",
		"/a", "/a/", "/a/no-report", "/a/no-report.zip", "/a.zip", "/a/run/plots", "/a/run/plots/", "/a/run/report.html/", "/a/run/pipe.txt",
		"/a/run/looks-like.html", "/nothing", "/nothing.zip", "/a/run/report.html.zip", "/a/run.zip/",
	} {
		response, body := ask(t, server, "GET", path, "")
		if response.StatusCode != 404 && response.StatusCode != 400 || strings.Contains(body, "secret") || strings.Contains(body, "<a") {
			t.Errorf("%s: %d %q", path, response.StatusCode, body)
		}
	}
}

func TestDirectoriesOfRunsLeadToTheirReports(t *testing.T) {
	server := newStore(t)
	for path, want := range map[string]string{
		"/latest": "/a/run/report.html", "/latest/": "/a/run/report.html", "/a/run": "/a/run/report.html", "/a/run/": "/a/run/report.html",
		"/a/odd%20name%3F%23%25": "/a/odd%20name%3F%23%25/report.html",
	} {
		response, _ := ask(t, server, "GET", path, "")
		if got := response.Header.Get("Location"); response.StatusCode != 302 || got != want {
			t.Errorf("%s: %d to %s, want %s", path, response.StatusCode, got, want)
		}
	}
}

func TestZipHasTheFilesOfARun(t *testing.T) {
	server := newStore(t)
	for _, path := range []string{"/a/run.zip", "/latest.zip"} {
		response, body := ask(t, server, "GET", path, "")
		if got := response.Header.Get("Content-Disposition"); response.StatusCode != 200 || got != "attachment; filename=a-run.zip" {
			t.Errorf("%s: %d, %s", path, response.StatusCode, got)
		}
		z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		// No link, no pipe, nothing hidden.
		if got := strings.Join(names, " "); got != "run/executable run/history.jsonl run/looks-like.html/file run/plots/x.svg run/report.html" {
			t.Errorf("%s has %s", path, got)
		}
		in := must.Get(z.Open("run/report.html"))(t)
		if text, err := io.ReadAll(in); err != nil || string(text) != "report" {
			t.Errorf("%s: the report is %q, %v", path, text, err)
		}
	}
	if response, body := ask(t, server, "HEAD", "/a/run.zip", ""); response.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d, %d bytes", response.StatusCode, len(body))
	}
}

// A page on the web can let its own name resolve to this machine and then read from it; the name in
// the request gives it away.
func TestOtherHostsAndMethodsAreRefused(t *testing.T) {
	server := newStore(t)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example:80"} {
		if response, body := ask(t, server, "GET", "/a/run/report.html", host); response.StatusCode != 421 || strings.Contains(body, "report") {
			t.Errorf("%s: %d %q", host, response.StatusCode, body)
		}
	}
	for _, host := range []string{"localhost:" + port, "127.0.0.1", "localhost"} {
		if response, _ := ask(t, server, "GET", "/a/run/report.html", host); response.StatusCode != 200 {
			t.Errorf("%s: %d", host, response.StatusCode)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE"} {
		if response, _ := ask(t, server, method, "/", ""); response.StatusCode != 405 || response.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, response.StatusCode)
		}
	}
}

func TestIndexThatCannotBeMade(t *testing.T) {
	h := New(nil, policy, func() ([]byte, error) { return nil, errors.New("the disk is gone") })
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://127.0.0.1/", nil)
	h.ServeHTTP(w, r)
	if w.Code != 500 || !strings.Contains(w.Body.String(), "the disk is gone") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
