package figure

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// figureOf draws one kind of figure of a run.
func figureOf(t *testing.T, r *bundle.Run, kind string) Figure {
	t.Helper()
	for _, f := range Of(r, timeline.Of(r.Judgement.History).Measure(), MaxPoints, say.English) {
		if f.Kind == kind {
			return f
		}
	}
	t.Fatalf("no figure %s", kind)
	return Figure{}
}

// fencedRun is a run with a late write with token 1, which the resource refuses or takes.
func fencedRun(refused bool) bundle.Run {
	w := reporttest.NewWriter("set-nx-incr-fence", "A", "B")
	late := map[bool]string{false: "write-accepted", true: "write-refused"}[refused]
	w.Write(`0 A waits; 10ms A acquired token=1; 20ms B waits; 10020ms B acquired token=2
		10030ms resource write-accepted token=2 value=1; 11 resource ` + late + " token=1 value=2")
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
	story := reporttest.PauseRun("set-nx-lua", false)
	for _, tt := range []struct {
		run        *bundle.Run
		kind, want string
	}{
		{&story, "tokens", "the lock hands out no token"},
		{&story, "clocks", "all clocks showed true time"},
		{&empty, "waits", "no client waited for the lock"},
		{&empty, "holds", "no client held the lock"},
		{&empty, "fairness", "fewer than two clients to compare"},
	} {
		if f := figureOf(t, tt.run, tt.kind); f.SVG != nil || f.Absent != tt.want {
			t.Errorf("%s: drawn %v, %q, want %q", tt.kind, f.SVG != nil, f.Absent, tt.want)
		}
	}
	if f := Distribution(&bundle.Bundle{Runs: []bundle.Run{empty}}, []*timeline.Measures{timeline.Of(empty.Judgement.History).Measure()}, say.English); f.SVG != nil || f.Absent == "" {
		t.Errorf("a distribution of nothing: %q", f.Absent)
	}
}

func TestHoldsBeyondTheLease(t *testing.T) {
	r := reporttest.PauseRun("set-nx-lua", false)
	if f := figureOf(t, &r, "holds"); f.Caption.English() != "1 hold of 2 lasted longer than the lease of 10.000 s (dashed)." {
		t.Errorf("caption %q", f.Caption.English())
	}
}

// Every figure over time has the faults shaded behind its marks.
func TestFaultsAreShadedBehind(t *testing.T) {
	r := reporttest.PauseRun("set-nx-lua", false)
	h := r.Judgement.History
	h.Events[0].Kind, h.Events[0].Node = history.Waits, h.Node("A")
	skewed := r
	for i := range h.Events {
		h.Events[i].Clock = int64(h.Events[i].At) + int64(time.Second)
		h.Events[i].Token = 1
	}
	for _, kind := range []string{"waits", "clocks", "tokens"} {
		f := figureOf(t, &skewed, kind)
		if !bytes.Contains(f.SVG, []byte(`fill="#7f7f7f"`)) {
			t.Errorf("%s has no shade", kind)
		}
		if bytes.Index(f.SVG, []byte(`fill="#7f7f7f"`)) > bytes.LastIndex(f.SVG, []byte(hexOf(clients[0]))) {
			t.Errorf("%s: the shade lies on top", kind)
		}
	}
}

// Plot files are well-formed, complete without a page, and have distinct names, even if names of
// locks are hostile.
func TestPlotFiles(t *testing.T) {
	b := reporttest.HostileBundle()
	one := Plots(b, say.English)
	two := Plots(reporttest.HostileBundle(), say.English)
	seen := map[string]bool{}
	for i, p := range one {
		if seen[p.Name] || strings.ContainsAny(p.Name, "/\\ \x1b<") {
			t.Errorf("%q is a duplicate or no name of a file", p.Name)
		}
		seen[p.Name] = true
		if !bytes.Equal(p.SVG, two[i].SVG) {
			t.Errorf("%s differs between two drawings", p.Name)
		}
		reporttest.Lacks(t, p.SVG, "var(", "class=", "style=", "currentColor", "url(")
		if err := xml.Unmarshal(p.SVG, new(struct{})); err != nil {
			t.Errorf("%s is not well-formed: %v", p.Name, err)
		}
	}
	if len(one) != 4 { // holders and holds of two locks; no client waits in the histories by hand
		t.Errorf("%d plots", len(one))
	}
}

// A file names its lock, its story and its speed, in the language of the report.
func TestPlotFilesHaveHeads(t *testing.T) {
	for l, want := range map[say.Language][]string{
		say.English: {
			"holders-set-nx-lua: set-nx-lua: Clients inside at once; A long pause outlives the lease · seed 1 · simulated",
			"holds-set-nx-lua: set-nx-lua: Hold time and lease; A long pause outlives the lease · seed 1 · simulated",
		},
		say.Chinese: {
			"holders-set-nx-lua: set-nx-lua：同时在里面的客户端; A long pause outlives the lease · 种子 1 · 模拟 · 十倍速",
			"holds-set-nx-lua: set-nx-lua：持有时间与租约; A long pause outlives the lease · 种子 1 · 模拟 · 十倍速",
		},
	} {
		r := reporttest.PauseRun("set-nx-lua", false)
		if l == say.Chinese {
			r.Judgement.History.Header.ScalePPM = 100_000
		}
		plots := Plots(&bundle.Bundle{Seed: 1, Backend: history.Sim, Runs: []bundle.Run{r}}, l)
		var got []string
		for _, p := range plots {
			got = append(got, p.Name+": "+strings.Join(textsOf(t, p.SVG)[:2], "; "))
		}
		reporttest.WantLines(t, string(l), got, want)
	}
}

// If the lease varies, a bold line separates pauses shorter and longer than it.
func TestRegionsMarkALease(t *testing.T) {
	pause := &plan.Axis{Name: "pause", Unit: plan.UnitDuration, Key: "pause", Values: []int64{1e9, 2e9, 3e9}}
	lease := plan.Axis{Name: "lease", Unit: plan.UnitDuration, Key: "lease", Values: []int64{2e9, 3e9}}
	work := plan.Axis{Name: "work", Unit: plan.UnitDuration, Key: "work", Values: []int64{1e9, 3e9}}
	bold := regexp.MustCompile(`<path d="([^"]*)"[^>]*stroke-width="2.4"`)
	for _, tt := range []struct {
		x    plan.Axis
		y    *plan.Axis
		line string // the bold one
	}{
		{lease, pause, "M29.299,54.418L162.85,54.418M162.85,54.418L162.85,84.609M162.85,84.609L296.4,84.609"},
		{work, pause, ""},
		{lease, nil, ""},
	} {
		s := &bundle.Sweep{Plan: &plan.Plan{}, Language: say.English, Seeds: 1}
		m := &sweep.Map{Lock: "x", X: tt.x, Y: tt.y}
		for i := range len(tt.x.Values) * m.Rows() {
			c := sweep.Cell{X: tt.x.Values[i%len(tt.x.Values)]}
			if tt.y != nil {
				c.Y = tt.y.Values[i/len(tt.x.Values)]
			}
			m.Cells = append(m.Cells, c)
		}
		svg := Region(s, m)
		var line string
		for _, path := range bold.FindAllSubmatch(svg, -1) {
			line += string(path[1])
		}
		if line != tt.line || strings.Contains(string(svg), "bold line: pause = 1 lease") != (line != "") {
			t.Errorf("%s: the bold line is %s, want %s", tt.x.Name, line, tt.line)
		}
	}
}

// textsOf are the texts that a picture shows.
func textsOf(t *testing.T, svg []byte) (out []string) {
	t.Helper()
	var picture struct {
		Texts  []string `xml:"text"`
		Groups []struct {
			Inner struct {
				Texts []string `xml:"text"`
			} `xml:"g"`
		} `xml:"g"`
	}
	must.Do(t, xml.Unmarshal(svg, &picture))
	out = picture.Texts
	for _, g := range picture.Groups {
		out = append(out, g.Inner.Texts...)
	}
	return out
}

// A line below the heading that is too long loses its first parts, and a long heading shrinks.
func TestHeadsFit(t *testing.T) {
	svg := []byte(`<svg class="plotted" width="300pt" height="9pt" viewBox="0 0 300 9"><title>x</title><path/></svg>`)
	long := strings.Repeat("long ", 20)
	got := string(standalone(svg, long, []string{long, "seed 1", "simulated"}))
	if !strings.Contains(got, ">seed 1 · simulated<") || strings.Contains(got, `font-size="12px"`) {
		t.Errorf("it does not fit: %s", got)
	}
}

// A text in a plot that looks like a style stays a text.
func TestFinishLeavesTextsAlone(t *testing.T) {
	svg := []byte(`<svg><text x="1" style="font-family:Liberation Sans;font-variant:none;font-size:9.5px">font-family:x</text><path d="M1,2" style="fill:none;stroke:#000000" /></svg>`)
	got := string(finish(svg, "a<b"))
	reporttest.Has(t, got, ">font-family:x</text>", `<path d="M1,2" fill="none" stroke="#1f1e1c" />`, "<title>a&lt;b</title>")
	if strings.Contains(got, "Liberation") {
		t.Errorf("a font is left: %s", got)
	}
}

func TestThinnedKeepsTheExtremes(t *testing.T) {
	list := make([]point, 10_000)
	for i := range list {
		list[i].y = float64(i % 100)
	}
	list[4321].y, list[8765].y = 1_000_000, -1_000_000
	got := thinned(list, 200)
	high, low := 0.0, 0.0
	for _, one := range got {
		high, low = max(high, one.y), min(low, one.y)
	}
	if len(got) > 200 || high != 1_000_000 || low != -1_000_000 {
		t.Errorf("%d points from %v to %v", len(got), low, high)
	}
}
