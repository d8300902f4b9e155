package strip

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/timeline"
)

// A dense row shows shares: a lock held half of the time fills half of the height, where a bar for
// each short hold would fill all of it.
func TestDenseRowShowsShares(t *testing.T) {
	var bars []Bar
	for n := range int64(4000) {
		bars = append(bars, Bar{From: n * 100, To: n*100 + 50, Look: Believes})
	}
	d := drawing{scale: Scale{To: 400_000}}
	d.dense(bars)
	heights := regexp.MustCompile(`V(\d+)H`).FindAllStringSubmatch(d.b.String(), -1)
	if len(heights) == 0 {
		t.Fatal("no column")
	}
	for _, h := range heights {
		if y, _ := strconv.Atoi(h[1]); y < 9 || y > 11 {
			t.Fatalf("a column is %d of 20 high", 20-y)
		}
	}
}

var brokeBand = regexp.MustCompile(`<div class="broke mutual-exclusion[^"]*" style="--from:([0-9.]+);`)

// In a long history the band of a violation is at its place, and the picture stays small.
func TestViolationsAreSeenInLongHistories(t *testing.T) {
	r := &reporttest.MillionBundle(100_000).Runs[0]
	h := r.Judgement.History
	drawn := HTML([]*Strip{Of(&r.Judgement, bundle.BarsOf(timeline.Of(h)), Options{Language: say.English})}, Scale{To: int64(h.End())}, say.English)
	if len(drawn) > 100_000 {
		t.Errorf("%d bytes", len(drawn))
	}
	bands := brokeBand.FindAllStringSubmatch(drawn, -1)
	if len(bands) != 1 {
		t.Fatalf("%d bands of one violation", len(bands))
	}
	from := r.Judgement.Finding(checker.MutualExclusionID).Violations[0].From
	want := float64(from) / float64(h.End())
	if got, _ := strconv.ParseFloat(bands[0][1], 64); math.Abs(got-want) > 0.001 {
		t.Errorf("the band is at %v, want it at %v", got, want)
	}
}

// A property without a label of its own is a band with its name.
func TestAnyViolationIsABand(t *testing.T) {
	j := reporttest.MillionBundle(1000).Runs[0].Judgement
	for i := range j.Findings {
		if j.Findings[i].Property == checker.MutualExclusionID {
			j.Findings[i].Property = "handover"
		}
	}
	s := Of(&j, bundle.BarsOf(timeline.Of(j.History)), Options{Language: say.English})
	if len(s.Bands) != 1 || s.Bands[0].Label != "handover" || s.Bands[0].To <= s.Bands[0].From {
		t.Errorf("%+v", s.Bands)
	}
}

// played is the picture of a lesson with one of its locks.
func played(t *testing.T, lesson, lock string) *Strip {
	t.Helper()
	p := scenariotest.Load(t, "../../../scenarios/lessons/"+lesson+".yaml")
	p.PlayOnly([]string{lock})
	j := &reporttest.Play(t, p, 1).Outcomes[0].Judgement
	return Of(j, bundle.BarsOf(timeline.Of(j.History)), Options{Language: say.English, Cursor: true})
}

// looks counts the bars and marks of a row by their looks.
func looks(s *Strip, name string) map[Look]int {
	n := map[Look]int{}
	for _, r := range s.Rows {
		if r.Name == name {
			for _, b := range r.Bars {
				n[b.Look]++
			}
			for _, m := range r.Marks {
				n[m.Look]++
			}
		}
	}
	return n
}

// The picture shows the lease, the writes, and their effect on the data.
func TestPictureOfALesson(t *testing.T) {
	for _, tt := range []struct {
		lesson, lock string
		impact       checker.Impact
		cause        string
		bands        int
		line         int64 // ms
		client       map[Look]int
		server       map[Look]int
		resource     map[Look]int
	}{
		{
			"fence-saves-the-resource", "set-nx-incr-fence", checker.ImpactSafe, "A slept 20 s; its lease had 7.73 s left", 2, 10_003,
			map[Look]int{Believes: 1, Frozen: 1, Promised: 1}, map[Look]int{Has: 3}, map[Look]int{Wrote: 2, Refused: 1},
		},
		{
			"pause-past-lease", "set-nx-ex-del", checker.ImpactDamaged, "A slept 15 s; its lease had 9 s left", 2, 10_003,
			map[Look]int{Believes: 1, Frozen: 1, Promised: 1}, map[Look]int{Has: 3, Foreign: 2, Promised: 2}, map[Look]int{Stale: 3},
		},
		{
			"short-pause-is-harmless", "watchdog-lua", checker.ImpactKept, "A slept 5 s; its lease had 10 s left", 0, 13_338,
			map[Look]int{Believes: 1, Frozen: 1, Promised: 1}, map[Look]int{Has: 3, Renewed: 5}, map[Look]int{Wrote: 3},
		},
	} {
		s := played(t, tt.lesson, tt.lock)
		if s.Impact != tt.impact || !strings.HasPrefix(s.Cause.English(), tt.cause) || len(s.Bands) != tt.bands {
			t.Errorf("%s: %s, %d bands, %q; want %s, %d, %q", tt.lesson, s.Impact, len(s.Bands), s.Cause.English(), tt.impact, tt.bands, tt.cause)
		}
		if got := (s.Lines[0].At + 500_000) / int64(time.Millisecond); got != tt.line {
			t.Errorf("%s: the lease ends at %d ms, want %d", tt.lesson, got, tt.line)
		}
		for row, want := range map[string]map[Look]int{"A": tt.client, "redis-1": tt.server, "resource": tt.resource} {
			got := looks(s, row)
			for look, n := range want {
				if got[look] != n {
					t.Errorf("%s, %s: %d × %s, want %d: %v", tt.lesson, row, got[look], look, n, got)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s, %s: %v, want %v", tt.lesson, row, got, want)
			}
		}
	}
}

// promisedAt is the end that was promised at an instant, in ms; None when none was.
func promisedAt(l *Line, ms int64) int64 {
	until := int64(None)
	for _, p := range l.Ends {
		if p.At <= ms*int64(time.Millisecond) {
			until = p.Until
		}
	}
	if until == None {
		return None
	}
	return until / int64(time.Millisecond)
}

// The picture knows the promised end at each instant: a renewal moves it, a released lease has
// none, and that of an expired lease is in the past.
func TestEndsAsOfAnInstant(t *testing.T) {
	for _, tt := range []struct {
		lesson, lock string
		at           int64 // ms
		first, now   int64 // s: of the first line, and of the current lease
	}{
		{"short-pause-is-harmless", "watchdog-lua", 0, None, None},
		{"short-pause-is-harmless", "watchdog-lua", 1000, 10, 10},
		{"short-pause-is-harmless", "watchdog-lua", 3400, 13, 13},
		{"short-pause-is-harmless", "watchdog-lua", 9000, None, 18},
		{"pause-past-lease", "set-nx-ex-del", 9000, 10, 10},
		{"pause-past-lease", "set-nx-ex-del", 12_000, 10, 20},
	} {
		s := played(t, tt.lesson, tt.lock)
		first, now := promisedAt(&s.Lines[0], tt.at), promisedAt(&s.Now, tt.at)
		if first/1000 != tt.first && first != tt.first || now/1000 != tt.now && now != tt.now {
			t.Errorf("%s, %s at %d ms: the first line is at %d ms, the current lease ends at %d ms; want %d s and %d s", tt.lesson, tt.lock, tt.at, first, now, tt.first, tt.now)
		}
	}
	if s := played(t, "short-pause-is-harmless", "watchdog-lua"); s.Lines[0].At/int64(time.Second) != 13 {
		t.Errorf("without a cursor the lease ends at %d", s.Lines[0].At)
	}
}
