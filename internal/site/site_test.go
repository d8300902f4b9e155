package site

import (
	"bytes"
	"context"
	"html"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/playground"
	"lockstep/internal/report/page"
	"lockstep/internal/report/playpage"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/serve"
)

// made is the site of this repository, with stand-ins for the pages of the program.
var made = sync.OnceValues(func() (Tree, error) {
	in, err := FromSources("../..")
	if err != nil {
		return nil, err
	}
	in.Program, in.Go, in.Gallery = []byte("\x00asm"), []byte("// go"), []string{"pause-past-lease"}
	for _, l := range Languages {
		drawn := func(body string) []byte {
			head := string(page.NewHead("").Meta())
			return []byte("<html><head>" + head + "</head><body>" + body + "</body></html>")
		}
		in.Pages[l] = Tree{
			"matrix.html":         drawn(`<a href="matrix/redlock.html#redlock-GP">V</a>`),
			"matrix/redlock.html": drawn(`<a href="../matrix.html" id="redlock-GP">back</a>`),
			"which-lock.html": drawn(
				`<span data-play="etcd-txn/pause"></span><span data-play="none/such"></span>`),
			"gallery/pause-past-lease.html": drawn(""),
		}
		in.Titles[l] = map[string]string{"pause-past-lease": map[say.Language]string{say.English: "A long pause outlives the lease", say.Chinese: "长停顿超过租约"}[l]}
	}
	return Make(in)
})

// A story that a drawn page names can be played on the site.
func TestStoriesOfDrawnPagesLeadToThePlayground(t *testing.T) {
	for name, to := range map[string]string{"which-lock.html": "playground/index.html#", "which-lock-zh.html": "playground/zh.html#"} {
		page := string(site(t)[name])
		if strings.Count(page, `<a class="play" href="`+to) != 1 || !strings.Contains(page, "etcd-txn") || strings.Count(page, "data-play") != 1 {
			t.Errorf("%s: %s", name, page[max(0, len(page)-900):])
		}
	}
}

func site(t *testing.T) Tree {
	t.Helper()
	return must.Get(made())(t)
}

var (
	href = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids  = regexp.MustCompile(`\bid="([^"]*)"`)
)

// Every link leads to a page of the site and to an existing anchor, so the site works from a folder
// and on any host.
func TestLinksLeadSomewhere(t *testing.T) {
	files := site(t)
	anchors := map[string]map[string]bool{}
	for name, data := range files {
		anchors[name] = map[string]bool{}
		for _, m := range ids.FindAllSubmatch(data, -1) {
			anchors[name][html.UnescapeString(string(m[1]))] = true
		}
	}
	plays := 0
	for _, name := range []string{"matrix.html", "which-lock-zh.html", "gallery/pause-past-lease.html", "index.html"} {
		if !bytes.Contains(files[name], []byte(`<header class="bar">`)) {
			t.Errorf("%s has no navigation bar", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range href.FindAllSubmatch(files[name], -1) {
			to, anchor, _ := strings.Cut(html.UnescapeString(string(m[1])), "#")
			if to == "data:," || (strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://")) && strings.HasPrefix(name, "reference/") {
				continue
			}
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			if files[target] == nil {
				t.Errorf("%s leads to %s, which is not there", name, target)
				continue
			}
			if strings.HasPrefix(target, "playground/") && anchor != "" {
				plays++
				continue
			}
			if plain, err := url.PathUnescape(anchor); err != nil || anchor != "" && !anchors[target][plain] {
				t.Errorf("%s leads to %s#%s, and there is no such place", name, target, anchor)
			}
		}
	}
	if plays < 1000 {
		t.Errorf("%d links to stories in the playground: those of the minimal sets alone are more", plays)
	}
}

// A story of the reference that leads to the playground is played there, with the lock of its page.
func TestStoriesOfTheReferenceCanBePlayed(t *testing.T) {
	files := site(t)
	link := regexp.MustCompile(`playground/index\.html#([^"]*)"`)
	g := playground.New()
	for _, lock := range []string{"set-nx-lua", "redlock", "etcd-txn", "mysql-get-lock"} {
		all := link.FindAllSubmatch(files["reference/locks/"+lock+".html"], -1)
		if len(all) < 5 {
			t.Fatalf("%s has %d stories", lock, len(all))
		}
		if _, known := locks.Lookup(lock); !known {
			t.Fatalf("there is no lock %s", lock)
		}
		for _, m := range all {
			f := g.Play(context.Background(), playground.Request{Address: html.UnescapeString(string(m[1])), Language: say.English})
			if len(f.Problems) > 0 || strings.Split(f.Locks[0].ID, "@")[0] != lock { // for any resource
				t.Errorf("%s, %s: %q", lock, m[1], f.Problems)
			}
		}
	}
}

// Every page with the navigation bar has its style.
func TestEveryBarHasItsStyle(t *testing.T) {
	for name, data := range site(t) {
		if bytes.Contains(data, []byte(`<header class="bar">`)) && !bytes.Contains(data, []byte(".bar nav { display: flex")) {
			t.Errorf("%s: its navigation bar has no style", name)
		}
	}
}

// A page of the site asks for nothing, and only the playground and the first page run scripts of
// their own.
func TestPagesAskForNothing(t *testing.T) {
	for name, data := range site(t) {
		policy := "default-src &#39;none&#39;"
		switch {
		case path.Ext(name) != ".html" || len(data) == 0:
			continue
		case strings.HasPrefix(name, "playground/") || slices.Contains([]string{home(say.English), home(say.Chinese)}, name):
			if !strings.Contains(html.UnescapeString(string(data)), playpage.Policy) {
				t.Errorf("%s has another policy", name)
			}
			continue
		case !strings.Contains(string(data), policy) && !strings.Contains(string(data), "default-src 'none'"):
			t.Errorf("%s has no policy", name)
		}
		if strings.Contains(string(data), "<script") || strings.Contains(string(data), ` src="`) {
			t.Errorf("%s has a script, or asks for something", name)
		}
	}
	if p := page.SitePolicy(); !strings.Contains(p, "script-src 'self' 'wasm-unsafe-eval'") || strings.Count(p, "script-src") != 1 {
		t.Errorf("the policy of a server is %s", p)
	}
}

// Without any script the first page has its picture, with the cause, and leads to the first lesson.
func TestTheFirstPageIsCompleteWithoutScripts(t *testing.T) {
	for _, l := range Languages {
		page := string(site(t)[home(l)])
		reporttest.Has(t, page, `data-verdict="broken"`, `data-node="A"`, `class="broke mutual-exclusion"`, `data-fault="1"`, `class="cause"`, "#lesson=")
		must.Equalf(t, strings.Count(page, `class="fault held"`), 1, "%s has … handles", home(l))
	}
}

// Write refuses a foreign folder, and keeps foreign files in its own.
func TestOnlyOurFolderIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	write := func(files Tree) error { return Write(dir, files) }
	must.Do(t, write(Tree{"index.html": []byte("1"), "old/page.html": []byte("1")}))
	must.Do(t, os.WriteFile(filepath.Join(dir, "CNAME"), []byte("example.org"), 0o644))
	must.Do(t, write(Tree{"index.html": []byte("2")}))
	for name, want := range map[string]string{"index.html": "2", "CNAME": "example.org"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "old", "page.html")); err == nil {
		t.Error("a page that is no longer ours has stayed")
	}
	foreign := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(foreign, "index.html"), []byte("mine"), 0o644))
	if err := Write(foreign, Tree{"index.html": []byte("ours")}); err == nil {
		t.Error("a folder that is not ours was written to")
	}
	if got, _ := os.ReadFile(filepath.Join(foreign, "index.html")); string(got) != "mine" {
		t.Errorf("index.html is %q now", got)
	}
	// With a list that was tampered with, nothing outside of the folder is removed.
	outside := filepath.Join(filepath.Dir(dir), "outside")
	must.Do(t, os.WriteFile(outside, []byte("mine"), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(dir, serve.SiteMark), []byte("../outside\n"), 0o644))
	must.Do(t, write(Tree{"index.html": []byte("3")}))
	if _, err := os.Stat(outside); err != nil {
		t.Error("a file outside of the folder was removed")
	}
}

// file matches a scenario file in JSON.
var file = regexp.MustCompile(`"scenario: (?:[^"\\]|\\.)*"`)

// The Chinese site is Chinese. (What the program has drawn has tests of its own.)
func TestNoEnglishIsLeftOnTheChineseSite(t *testing.T) {
	files := site(t)
	for _, name := range []string{home(say.Chinese), "playground/" + playpage.Name(say.Chinese)} {
		if len(files[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
		for _, text := range reporttest.English(files[name]) {
			text = file.ReplaceAllString(text, "") // the data of the playground has scenario files, and names of all sorts
			if runs := reporttest.EnglishRuns(text); len(runs) > 0 {
				t.Errorf("%s: %q in %s", name, runs, text)
			}
		}
	}
}
