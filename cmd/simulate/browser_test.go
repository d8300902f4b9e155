package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/browser"
	"lockstep/internal/must"
)

// playInto runs the program with a store.
func playInto(t *testing.T, store string, args ...string) {
	t.Helper()
	cmd := exec.Command("simulate", append(args, "--quiet", "--out", store)...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("simulate %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// playedStore is a store with three runs, a matrix and a comparison.
func playedStore(t *testing.T) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "reports")
	playInto(t, store, "run", "pause-past-lease", "--seed", "1")
	playInto(t, store, "run", "pause-past-lease", "--seed", "2", "--lock", "set-nx-lua,etcd-mutex")
	playInto(t, store, "run", "short-pause-is-harmless", "--seed", "3")
	playInto(t, store, "matrix", "--lock", "set-nx-lua", "--fault", "SL", "--seeds", "2")
	runs, err := filepath.Glob(filepath.Join(store, "pause-past-lease", "*"))
	if err != nil || len(runs) != 2 {
		t.Fatalf("stored %v, %v", runs, err)
	}
	playInto(t, store, append([]string{"report"}, runs...)...)
	return store
}

// served starts `simulate serve` for a store and returns its address.
func served(t *testing.T, store string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "simulate", "serve", "--port", "0", "--json", "--out", store)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "context canceled") {
			t.Errorf("simulate serve: %v", err)
		}
	})
	var said struct{ Address string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatalf("no address: %v", err)
	}
	return said.Address
}

// quiet fails if a page logged a problem or made a request to another server.
func quiet(t *testing.T, p *browser.Page) {
	t.Helper()
	for _, problem := range p.Problems() {
		t.Errorf("the console says: %s", problem)
	}
	for _, asked := range p.Requests() {
		t.Errorf("the page asked for %s", asked)
	}
}

// haveNames fails if a focusable element or a picture has no accessible name.
func haveNames(t *testing.T, what string, p *browser.Page, focusable int) {
	t.Helper()
	n := 0
	for _, node := range p.Nodes() {
		if node.Focusable {
			n++
		}
		if (node.Focusable || node.Role == "image" || node.Role == "img") && node.Name == "" {
			t.Errorf("%s: a %s has no name", what, node.Role)
		}
	}
	if n < focusable {
		t.Errorf("%s: %d elements are focusable, want at least %d", what, n, focusable)
	}
}

// fits fails if a page is wider than its window, apart from scrolling parts.
func fits(t *testing.T, what string, p *browser.Page, scrolls string) {
	t.Helper()
	wide := browser.Eval[[]string](p, fmt.Sprintf(`[].filter.call(document.querySelectorAll("main *"), function (e) {
		return e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(%q) && e.checkVisibility();
	}).slice(0, 5).map(function (e) { return e.tagName + "." + (e.getAttribute("class") || "") + " " + e.textContent.slice(0, 30); })`, scrolls))
	if len(wide) > 0 {
		t.Errorf("%s: wider than the window: %q", what, wide)
	}
}

const shownRows = `.runs tbody tr:not([hidden])`

// The keyboard alone finds a run and opens its report.
func TestServedIndexInABrowser(t *testing.T) {
	address := served(t, playedStore(t))
	p := browser.Visit(t, address, browser.Options{})
	if n := p.Count(shownRows); n != 3 {
		t.Fatalf("%d rows", n)
	}
	haveNames(t, "index", p, 3+3+5) // runs, archives, filters
	p.Press("/")
	if got := browser.Eval[string](p, "document.activeElement.id"); got != "text" {
		t.Fatalf("/ leads to %q", got)
	}
	browser.Eval[int](p, `document.activeElement.value = "", 0`) // a key sent by a test is typed as well
	p.Press("PAST lease")
	if got := p.Text("#count"); p.Count(shownRows) != 2 || got != "2 of 3 shown" {
		t.Errorf("%d rows, %q", p.Count(shownRows), got)
	}
	p.Press(" xyz")
	if p.Count(shownRows) != 0 || p.Text("#none") != "No run matches." {
		t.Errorf("%d rows, %q", p.Count(shownRows), p.Text("#none"))
	}
	browser.Eval[int](p, `document.querySelector("#clear").focus(), 0`)
	p.Press(kb.Enter)
	for _, tt := range []struct {
		field, value string
		rows         int
	}{{"verdict", "broken", 2}, {"verdict", "kept", 1}, {"lock", "etcd-mutex", 1}, {"lock", "set-nx-lua", 2}, {"lock", "watchdog-lua", 2}, {"met", "no", 0}, {"met", "yes", 3}} {
		browser.Eval[int](p, fmt.Sprintf(`(function (f) { f.value = %q; f.dispatchEvent(new Event("input")); })(document.getElementById(%q)), 0`, tt.value, tt.field))
		if n := p.Count(shownRows); n != tt.rows {
			t.Errorf("%s %s: %d rows, want %d", tt.field, tt.value, n, tt.rows)
		}
		browser.Eval[int](p, `document.querySelector("#clear").click(), 0`)
	}
	for range 40 {
		p.Press(kb.Tab)
		if strings.HasPrefix(p.Focus(), "pause-past-lease, seed 2") {
			break
		}
	}
	p.Press(kb.Enter)
	p.Await(`document.readyState === "complete" && location.pathname.endsWith("/report.html")`)
	if got := p.Text("h1"); got != "A long pause outlives the lease" {
		t.Errorf("Enter leads to %q, the focus was on %q", got, p.Focus())
	}
	quiet(t, p)
}

// Served pages are quiet, and fit a phone.
func TestServedPagesAreQuiet(t *testing.T) {
	address := served(t, playedStore(t))
	for _, path := range []string{"", "matrix-set-nx-lua-sl.html", "comparison.html", "latest", "latest/history.jsonl", "latest/result.json", "latest/scenario.yaml"} {
		p := browser.Visit(t, address+path, browser.Options{Width: 380, Height: 800})
		if browser.Eval[string](p, `document.documentElement.textContent.trim().slice(0, 1)`) == "" {
			t.Errorf("%s shows nothing", path)
		}
		if path == "" || path == "comparison.html" || path == "latest" {
			fits(t, path, p, ".scroll, .hidden")
		}
		quiet(t, p)
	}
}

func TestIndexIsCompleteWithoutScripts(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join(playedStore(t), "index.html")))(t)
	p := browser.Open(t, page, browser.Options{NoScript: true})
	if browser.Eval[bool](p, `document.querySelector(".filter").checkVisibility()`) {
		t.Error("filters are offered that do nothing")
	}
	if n := p.Count(shownRows); n != 3 {
		t.Errorf("%d rows", n)
	}
	for _, want := range []string{"pause-past-lease", "short-pause-is-harmless", "etcd-mutex"} {
		if !strings.Contains(p.Text("#runs"), want) {
			t.Errorf("%s is missing", want)
		}
	}
	quiet(t, p)
	fits(t, "index on paper", browser.Open(t, page, browser.Options{Print: true, Width: 718}), ".hidden")
}

func TestComparisonInABrowser(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join(playedStore(t), "comparison.html")))(t)
	p := browser.Open(t, page, browser.Options{})
	browser.Eval[int](p, `document.querySelectorAll("details").forEach(function (d) { d.open = true; }), 0`)
	haveNames(t, "comparison", p, 15)
	if n := browser.Eval[int](p, `[].filter.call(document.querySelectorAll("svg[role=img], .strips"), function (s) { return s.getBoundingClientRect().height > 20; }).length`); n != 4 {
		t.Errorf("%d figures are drawn, want the runs in true time, waits, holds and costs", n)
	}
	for range 60 {
		p.Press(kb.Tab)
		if p.Focus() == "" {
			t.Fatal("the focus is on something without a name")
		}
		if p.Focus() == "Measures" {
			p.Press(kb.Enter)
			break
		}
	}
	if got := browser.Eval[string](p, "location.hash"); got != "#measures" {
		t.Errorf("the keys lead to %q", got)
	}
	quiet(t, p)
	// Paper does not scroll.
	fits(t, "comparison on paper", browser.Open(t, page, browser.Options{Print: true, Width: 718}), ".hidden")
}
