package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// figureOf draws one kind of figure of a run.
func figureOf(t *testing.T, r *Run, kind string) figure {
	t.Helper()
	figures, err := figuresOf(r, measure(r.Judgement.History), maxPoints, say.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.kind == kind {
			return f
		}
	}
	t.Fatalf("no figure %s", kind)
	return figure{}
}

// fencedRun is a run with tokens: a late write with token 1 is refused in one
// resource and taken by the other.
func fencedRun(refused bool) Run {
	w := newWriter("set-nx-incr-fence", "A", "B")
	token := func(n int64) func(*history.Event) { return func(e *history.Event) { e.Token = n } }
	w.add(0, history.Waits, "A")
	w.add(10, history.Acquired, "A", token(1))
	w.add(20, history.Waits, "B")
	w.add(10_020, history.Acquired, "B", token(2))
	w.add(10_030, history.WriteAccepted, "resource", token(2), value(1))
	kind := history.WriteAccepted
	if refused {
		kind = history.WriteRefused
	}
	w.add(11_000, kind, "resource", token(1), value(2))
	return Run{Lock: "set-nx-incr-fence", Judgement: checker.Judgement{History: w.h}}
}

func TestTokensPlotCountsWhatWasStale(t *testing.T) {
	r := fencedRun(true)
	if f := figureOf(t, &r, "tokens"); f.caption.English() != "1 write taken (dots), 1 refused (crosses). The tokens of the writes that were taken never go down." {
		t.Errorf("caption %q", f.caption.English())
	}
	r = fencedRun(false)
	if f := figureOf(t, &r, "tokens"); !strings.Contains(f.caption.English(), "2 writes taken") || !strings.Contains(f.caption.English(), "Ringed: 1 taken") {
		t.Errorf("caption %q", f.caption.English())
	}
}

// A figure with nothing to show is left out, and says why.
func TestFiguresThatAreLeftOut(t *testing.T) {
	empty := Run{Lock: "x", Judgement: checker.Judgement{History: history.New(history.Header{})}}
	story := pauseRun("set-nx-lua", false)
	for _, tt := range []struct {
		run        *Run
		kind, want string
	}{
		{&story, "tokens", "the lock hands out no token"},
		{&story, "clocks", "all clocks showed true time"},
		{&empty, "waits", "nobody waited for the lock"},
		{&empty, "holds", "nobody held the lock"},
		{&empty, "fairness", "there were not two clients to compare"},
	} {
		if f := figureOf(t, tt.run, tt.kind); f.svg != nil || f.absent != tt.want {
			t.Errorf("%s: drawn %v, %q, want %q", tt.kind, f.svg != nil, f.absent, tt.want)
		}
	}
	if f, err := distributionPlot(&Bundle{Runs: []Run{empty}}, []*measures{measure(empty.Judgement.History)}, say.English); err != nil || f.svg != nil || f.absent == "" {
		t.Errorf("a distribution of nothing: %v, %q", err, f.absent)
	}
	page := string(drawPage(t, testBundle()))
	for _, want := range []string{"Nothing to show: all clocks showed true time.", "Nothing to show: the lock hands out no token."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

func TestHoldsBeyondTheLease(t *testing.T) {
	r := pauseRun("set-nx-lua", false)
	if f := figureOf(t, &r, "holds"); f.caption.English() != "1 hold of 2 lasted longer than the lease of 10.000 s (dashed)." {
		t.Errorf("caption %q", f.caption.English())
	}
}

// Every figure over time has the faults behind it, in the colour of the shade.
func TestFaultsAreShadedBehind(t *testing.T) {
	r := pauseRun("set-nx-lua", false)
	w := writer{r.Judgement.History}
	w.h.Events[0].Kind, w.h.Events[0].Node = history.Waits, w.h.Node("A")
	skewed := r
	for i := range w.h.Events {
		w.h.Events[i].Clock = int64(w.h.Events[i].At) + int64(time.Second)
		w.h.Events[i].Token = 1
	}
	for _, kind := range []string{"waits", "clocks", "tokens"} {
		f := figureOf(t, &skewed, kind)
		if !bytes.Contains(f.svg, []byte("fill:#7F7F7F")) {
			t.Errorf("%s has no shade", kind)
		}
		if bytes.Index(f.svg, []byte("fill:#7F7F7F")) > bytes.LastIndex(f.svg, []byte("var(--c1")) {
			t.Errorf("%s: the shade lies on top", kind)
		}
	}
}

// The files of a bundle: well-formed, without a fixed black, each of another name,
// whatever the locks are called.
func TestPlotFiles(t *testing.T) {
	b := hostileBundle()
	one, err := Plots(b)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Plots(hostileBundle())
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
		wellFormed(t, p.Name, p.SVG)
	}
	if len(one) != 4 { // holders and holds of two locks; nobody waits in the histories by hand
		t.Errorf("%d plots", len(one))
	}
}

func wellFormed(t *testing.T, name string, svg []byte) {
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

// millionBundle is a run of about a million events in which two clients are inside
// for 5 ms, once.
func millionBundle(events int) *Bundle {
	w := newWriter("set-nx-lua", "A", "B", "C")
	var at history.Instant
	for n := int64(0); len(w.h.Events) < events; n++ {
		client := string(rune('A' + n%3))
		read := w.acquires(n*100+10, client, n)
		if n == int64(events)/40 {
			at = ms(n*100 + 12)
			w.add(n*100+12, history.Acquired, string(rune('A'+(n+1)%3)))
			w.add(n*100+17, history.Releasing, string(rune('A'+(n+1)%3)))
		}
		w.writes(n*100+40, client, read, n+1)
		w.releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	j := checker.Judge(w.h)
	b := &Bundle{Backend: "sim", Seed: 7, Runs: []Run{{Lock: "set-nx-lua", Judgement: j}}}
	if f := j.Finding(checker.MutualExclusionID); f.Verdict != checker.Broken || f.Violations[0].From != at {
		panic(fmt.Sprintf("the history by hand is not what it should be: %+v", f))
	}
	return b
}

var brokeRect = regexp.MustCompile(`<rect x="([0-9.]+)" y="\d+" width="([0-9.]+)" height="\d+" class="broke"/>`)

// In a long history five milliseconds are less than a thousandth of a pixel. The
// mark of the violation is wide enough to be seen, at its place, and nothing of
// its lane is drawn after it.
func TestViolationsAreSeenInLongHistories(t *testing.T) {
	events := 1_000_000
	if testing.Short() {
		events = 100_000
	}
	b := millionBundle(events)
	page := drawPage(t, b)
	if len(page) > 5_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	h := b.Runs[0].Judgement.History
	marks := brokeRect.FindAllSubmatch(page, -1)
	if len(marks) != 1 {
		t.Fatalf("%d marks of one violation", len(marks))
	}
	x, _ := strconv.ParseFloat(string(marks[0][1]), 64)
	width, _ := strconv.ParseFloat(string(marks[0][2]), 64)
	if width < 2 {
		t.Errorf("the mark is %v wide", width)
	}
	from := b.Runs[0].Judgement.Finding(checker.MutualExclusionID).Violations[0].From
	share := float64(from) / float64(h.End())
	if want := timeLeft + share*(timeWidth-timeLeft-timeRight); x+width/2 < want-2 || x+width/2 > want+2 {
		t.Errorf("the mark is at %v, want it at %v", x+width/2, want)
	}
	for _, want := range []string{">events</text>", `class="dense"`, "two inside", "told below", fmt.Sprintf("of %d events, those around what broke first", len(h.Events))} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	// The broken lane comes after all others in the drawing.
	strip := page[bytes.Index(page, []byte(`class="timestrip"`)):]
	strip = strip[:bytes.Index(strip, []byte("</svg>"))]
	if bytes.LastIndex(strip, []byte(`class="dense"`)) > bytes.Index(strip, []byte(`class="broke"`)) {
		t.Error("something is drawn on top of the violations")
	}
}

// A dense lane shows shares: a lock that is held half of the time fills half of its
// lane, where a bar for each hold would fill all of it, however short the holds are.
func TestDenseLaneShowsShares(t *testing.T) {
	for _, holds := range []int64{4000, 100_000} {
		w := newWriter("set-nx-lua", "A")
		for n := range holds {
			w.add(n*100, history.Acquired, "A")
			w.add(n*100+50, history.Releasing, "A")
		}
		r := Run{Lock: "x", Judgement: checker.Judgement{History: w.h}}
		d := &timeDrawing{end: w.h.End(), h: w.h}
		lanes := d.lanesOf(&timeStrip{run: &r, bars: barsOf(w.h)})
		for c, share := range d.coverage(&lanes[len(lanes)-1]) {
			if share < 440 || share > 560 {
				t.Fatalf("%d holds: column %d is covered by %d thousandths, want about 500", holds, c, share)
			}
		}
	}
}
