package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/bundletest"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// figureOf draws one kind of figure of a run.
func figureOf(t *testing.T, r *bundle.Run, kind string) Figure {
	t.Helper()
	figures, err := Of(r, bundle.Measure(r.Judgement.History), MaxPoints, say.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Kind == kind {
			return f
		}
	}
	t.Fatalf("no figure %s", kind)
	return Figure{}
}

// fencedRun is a run with tokens: a late write with token 1 is refused in one
// resource and taken by the other.
func fencedRun(refused bool) bundle.Run {
	w := reporttest.NewWriter("set-nx-incr-fence", "A", "B")
	token := func(n int64) func(*history.Event) { return func(e *history.Event) { e.Token = n } }
	w.Add(0, history.Waits, "A")
	w.Add(10, history.Acquired, "A", token(1))
	w.Add(20, history.Waits, "B")
	w.Add(10_020, history.Acquired, "B", token(2))
	w.Add(10_030, history.WriteAccepted, "resource", token(2), reporttest.Value(1))
	kind := history.WriteAccepted
	if refused {
		kind = history.WriteRefused
	}
	w.Add(11_000, kind, "resource", token(1), reporttest.Value(2))
	return bundle.Run{Lock: "set-nx-incr-fence", Judgement: checker.Judgement{History: w.H}}
}

func TestTokensPlotCountsWhatWasStale(t *testing.T) {
	r := fencedRun(true)
	if f := figureOf(t, &r, "tokens"); f.Caption.English() != "1 write taken (dots), 1 refused (crosses). The tokens of the writes that were taken never go down." {
		t.Errorf("caption %q", f.Caption.English())
	}
	r = fencedRun(false)
	if f := figureOf(t, &r, "tokens"); !strings.Contains(f.Caption.English(), "2 writes taken") || !strings.Contains(f.Caption.English(), "Ringed: 1 taken") {
		t.Errorf("caption %q", f.Caption.English())
	}
}

// A figure with nothing to show is left out, and says why.
func TestFiguresThatAreLeftOut(t *testing.T) {
	empty := bundle.Run{Lock: "x", Judgement: checker.Judgement{History: history.New(history.Header{})}}
	story := bundletest.PauseRun("set-nx-lua", false)
	for _, tt := range []struct {
		run        *bundle.Run
		kind, want string
	}{
		{&story, "tokens", "the lock hands out no token"},
		{&story, "clocks", "all clocks showed true time"},
		{&empty, "waits", "nobody waited for the lock"},
		{&empty, "holds", "nobody held the lock"},
		{&empty, "fairness", "there were not two clients to compare"},
	} {
		if f := figureOf(t, tt.run, tt.kind); f.SVG != nil || f.Absent != tt.want {
			t.Errorf("%s: drawn %v, %q, want %q", tt.kind, f.SVG != nil, f.Absent, tt.want)
		}
	}
	if f, err := Distribution(&bundle.Bundle{Runs: []bundle.Run{empty}}, []*bundle.Measures{bundle.Measure(empty.Judgement.History)}, say.English); err != nil || f.SVG != nil || f.Absent == "" {
		t.Errorf("a distribution of nothing: %v, %q", err, f.Absent)
	}
}

func TestHoldsBeyondTheLease(t *testing.T) {
	r := bundletest.PauseRun("set-nx-lua", false)
	if f := figureOf(t, &r, "holds"); f.Caption.English() != "1 hold of 2 lasted longer than the lease of 10.000 s (dashed)." {
		t.Errorf("caption %q", f.Caption.English())
	}
}

// Every figure over time has the faults behind it, in the colour of the shade.
func TestFaultsAreShadedBehind(t *testing.T) {
	r := bundletest.PauseRun("set-nx-lua", false)
	w := reporttest.Writer{H: r.Judgement.History}
	w.H.Events[0].Kind, w.H.Events[0].Node = history.Waits, w.H.Node("A")
	skewed := r
	for i := range w.H.Events {
		w.H.Events[i].Clock = int64(w.H.Events[i].At) + int64(time.Second)
		w.H.Events[i].Token = 1
	}
	for _, kind := range []string{"waits", "clocks", "tokens"} {
		f := figureOf(t, &skewed, kind)
		if !bytes.Contains(f.SVG, []byte("fill:#7F7F7F")) {
			t.Errorf("%s has no shade", kind)
		}
		if bytes.Index(f.SVG, []byte("fill:#7F7F7F")) > bytes.LastIndex(f.SVG, []byte("var(--c1")) {
			t.Errorf("%s: the shade lies on top", kind)
		}
	}
}

// The files of a bundle: well-formed, without a fixed black, each of another name,
// whatever the locks are called.
func TestPlotFiles(t *testing.T) {
	b := bundletest.HostileBundle()
	one, err := Plots(b)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Plots(bundletest.HostileBundle())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, p := range one {
		if seen[p.Name] || strings.ContainsAny(p.Name, "/\\ \x1b<") {
			t.Errorf("the name %q is given twice or is no file's", p.Name)
		}
		seen[p.Name] = true
		if !bytes.Equal(p.SVG, two[i].SVG) {
			t.Errorf("%s differs between two drawings", p.Name)
		}
		if bytes.Contains(p.SVG, []byte("#000000")) || !bytes.Contains(p.SVG, []byte("currentColor")) {
			t.Errorf("%s is black on every background", p.Name)
		}
		WellFormed(t, p.Name, p.SVG)
	}
	if len(one) != 4 { // holders and holds of two locks; nobody waits in the histories by hand
		t.Errorf("%d plots", len(one))
	}
}

func WellFormed(t *testing.T, name string, svg []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s is not well-formed: %v", name, err)
			return
		}
	}
}

// A text in a plot that looks like a style is a text.
func TestFinishLeavesTextsAlone(t *testing.T) {
	svg := []byte(`<svg><text x="1" style="font-family:Liberation Sans;font-variant:none;font-size:9.5px">font-family:x</text><path d="M1,2" style="fill:none;stroke:#000000" /></svg>`)
	got := string(finish(svg, "a<b"))
	for _, want := range []string{">font-family:x</text>", `<path d="M1,2" style="fill:none;stroke:currentColor"/>`, "<title>a&lt;b</title>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "Liberation") {
		t.Errorf("a font is left: %s", got)
	}
}

func TestThinnedKeepsTheExtremes(t *testing.T) {
	list := make([]int, 10_000)
	for i := range list {
		list[i] = i % 100
	}
	list[4321], list[8765] = 1_000_000, -1_000_000
	got := thinned(list, 200, func(a, b int) bool { return a < b })
	high, low := 0, 0
	for _, n := range got {
		high, low = max(high, n), min(low, n)
	}
	if len(got) > 200 || high != 1_000_000 || low != -1_000_000 {
		t.Errorf("%d points from %d to %d", len(got), low, high)
	}
}

func TestHoldersGolden(t *testing.T) {
	j := bundletest.Bundle().Runs[1].Judgement
	svg, err := Holders(j.History, j.Findings, MaxPoints, say.English)
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "holders.svg", svg)
}
