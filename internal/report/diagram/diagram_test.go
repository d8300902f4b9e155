package diagram

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/bundletest"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// A dense lane shows shares: a lock that is held half of the time fills half of its
// lane, where a bar for each hold would fill all of it, however short the holds are.
func TestDenseLaneShowsShares(t *testing.T) {
	for _, holds := range []int64{4000, 100_000} {
		w := reporttest.NewWriter("set-nx-lua", "A")
		for n := range holds {
			w.Add(n*100, history.Acquired, "A")
			w.Add(n*100+50, history.Releasing, "A")
		}
		r := bundle.Run{Lock: "x", Judgement: checker.Judgement{History: w.H}}
		d := &timeDrawing{end: w.H.End(), h: w.H}
		lanes := d.lanesOf(&Strip{Run: &r, Bars: bundle.BarsOf(w.H)})
		for c, share := range d.coverage(&lanes[len(lanes)-1]) {
			if share < 440 || share > 560 {
				t.Fatalf("%d holds: column %d is covered by %d thousandths, want about 500", holds, c, share)
			}
		}
	}
}

func TestOverlaps(t *testing.T) {
	s := func(from, to int64) bundle.Span { return bundle.Span{From: reporttest.At(from), To: reporttest.At(to)} }
	got := overlaps([]bundle.Span{s(0, 10), s(8, 20), s(30, 40), s(9, 12), s(39, 50), s(50, 60)})
	want := []bundle.Span{s(8, 12), s(39, 40)}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What only real servers have is in the legend of their reports alone.
func TestLegendOfEachWorld(t *testing.T) {
	for backend, want := range map[string]bool{"sim": false, "process": true} {
		got := slices.ContainsFunc(Legend(backend, say.English), func(i LegendItem) bool { return i.Text == unseen })
		if got != want {
			t.Errorf("%s: the legend has what only real servers have: %t", backend, got)
		}
	}
}

func TestSpaceTimeGolden(t *testing.T) {
	j := bundletest.Bundle().Runs[1].Judgement
	steps := explain.Steps(j.History, j.Findings)
	reporttest.Golden(t, "spacetime.svg", []byte(Draw(NewLayout(j.History, steps, true, true), bundle.BarsOf(j.History), "l2-s", say.English)))
}

var brokeRect = regexp.MustCompile(`<rect x="([0-9.]+)%" y="\d+" width="([0-9.]+)%" height="\d+" class="broke"/>`)

// In a long history five milliseconds are less than a thousandth of a pixel. The
// mark of the violation is wide enough to be seen, at its place, and nothing of
// its lane is drawn after it.
func TestViolationsAreSeenInLongHistories(t *testing.T) {
	events := 1_000_000
	if testing.Short() {
		events = 100_000
	}
	b := bundletest.MillionBundle(events)
	r := &b.Runs[0]
	h := r.Judgement.History
	page := []byte(Strips([]Strip{{Run: r, Bars: bundle.BarsOf(h), Differ: -1}}, say.English))
	if len(page) > 500_000 {
		t.Errorf("%d bytes", len(page))
	}
	marks := brokeRect.FindAllSubmatch(page, -1)
	if len(marks) != 1 {
		t.Fatalf("%d marks of one violation", len(marks))
	}
	x, _ := strconv.ParseFloat(string(marks[0][1]), 64)
	width, _ := strconv.ParseFloat(string(marks[0][2]), 64)
	if width < 0.05 { // percent, and an outline of two pixels
		t.Errorf("the mark is %v %% wide", width)
	}
	from := r.Judgement.Finding(checker.MutualExclusionID).Violations[0].From
	share := float64(from) / float64(h.End())
	if want := 100 * share; x+width/2 < want-0.1 || x+width/2 > want+0.1 {
		t.Errorf("the mark is at %v, want it at %v", x+width/2, want)
	}
	// The broken lane comes after all others in the drawing.
	if bytes.LastIndex(page, []byte(`class="dense"`)) > bytes.Index(page, []byte(`class="broke"`)) {
		t.Error("something is drawn on top of the violations")
	}
}
