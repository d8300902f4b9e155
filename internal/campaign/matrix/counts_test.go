package matrix

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/rate"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// ran is one run of a cell.
type ran struct {
	v      Variation
	letter checker.Letter
}

// The counts of a cell agree with their definitions, here applied to the list of its runs. A script
// that tested nothing makes the cell unknown unless a variation does harm.
func TestTheCountsOfACell(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	letters := []checker.Letter{"S", "L", "D", "F", "V", "VF", "?"}
	for range 3000 {
		var runs []ran
		for k := range 1 + r.IntN(3) {
			runs = append(runs, ran{Variation{Script: k}, letters[r.IntN(len(letters))]})
		}
		for seed := range r.IntN(8) {
			runs = append(runs, ran{Variation{r.IntN(3), uint64(seed + 1)}, letters[r.IntN(len(letters))]})
		}
		c := Cell{}
		h := history.New(history.Header{})
		for i, one := range runs {
			s := &Script{Name: say.Text(fmt.Sprint("run ", i))}
			c.add(s, one.v, &checker.Judgement{Letter: one.letter, History: h})
		}
		c.conclude()
		if got, want := countsOf(&c), countsBy(runs); got != want {
			t.Fatalf("%v:\n got %s\nwant %s", runs, got, want)
		}
	}
}

func countsOf(c *Cell) string {
	name := func(s *Sighting) string {
		if s == nil {
			return "none"
		}
		return s.Name.English() + " " + string(s.Letter)
	}
	out := fmt.Sprint(c.Runs, c.Untested, c.Broken, c.Stuck, c.Letter, c.Also(), len(c.Scripts))
	if c.Letter == checker.LetterUnknown {
		return out
	}
	return out + fmt.Sprint(c.Rate, c.Low, c.High, name(c.Scripted), name(c.Worst), c.Letter != checker.LetterSafe || strings.HasPrefix(c.Note.English(),
		fmt.Sprintf("%d scripts and %d variations", c.Runs-c.Varied, c.Varied)))
}

// countsBy is the definition of the same.
func countsBy(runs []ran) string {
	count := func(is func(ran) bool) (n int) {
		for _, one := range runs {
			if is(one) {
				n++
			}
		}
		return n
	}
	of := func(letters string) func(ran) bool {
		return func(one ran) bool { return slices.Contains(strings.Fields(letters), string(one.letter)) }
	}
	varied := func(letters string) int {
		return count(func(one ran) bool { return one.v.Seed > 0 && of(letters)(one) })
	}
	const all = "S L D F V VF"
	worst := func(script bool) (first string, letter checker.Letter) {
		first = "none"
		for i, one := range runs {
			bad := strings.Index(all, string(one.letter))
			if script && one.v.Seed > 0 || one.letter == "?" || first != "none" && bad <= strings.Index(all, string(letter)) {
				continue
			}
			first, letter = fmt.Sprint("run ", i, " ", one.letter), one.letter
		}
		return first, letter
	}
	scripted, _ := worst(true)
	first, letter := worst(false)
	if count(of("V")) > 0 && count(of("F")) > 0 {
		letter = "VF"
	}
	if first == "none" || scripted == "none" && (letter == "S" || letter == "L") {
		letter = "?"
	}
	also := []checker.Letter{}
	for _, l := range []checker.Letter{"VF", "V", "F", "D", "L"} {
		if count(of(string(l))) > 0 && !strings.Contains(string(letter), string(l)) {
			also = append(also, l)
		}
	}
	out := fmt.Sprint(count(of(all)), count(of("?")), count(of("F V VF")), count(of("D")), letter, also,
		count(func(one ran) bool { return one.v.Seed == 0 }))
	if letter == "?" {
		return out
	}
	bad, tested := varied("D F V VF"), varied(all)
	low, high := rate.Wilson(bad, tested)
	return out + fmt.Sprint(rate.InOne(rate.Of(bad, tested)), rate.InOne(low), rate.InOne(high), scripted, first, true)
}

// columnless are the kinds, some with a phase, that no column covers: what they break is in the
// sets of the walk only.
var columnless = []string{
	"pause-short", "late-request", "late-request-short", "lost-request", "lag",
	"late-reply/hold", "late-reply/release", "late-reply-short/hold", "late-reply-short/release", "lost-reply/hold",
}

// Every kind of the walk belongs to one column or is known to belong to none.
func TestEachKindHasItsColumn(t *testing.T) {
	var none []faultkind.Hit
	for _, text := range columnless {
		name, during, _ := strings.Cut(text, "/")
		none = append(none, faultkind.Hit{Kind: name, During: during})
	}
	used := map[faultkind.Hit]bool{}
	x := resultstest.Explored(t)
	for i := range x.Locks {
		for k := range x.Locks[i].Singles {
			s := &x.Locks[i].Singles[k]
			var in []string
			for _, c := range Columns() {
				for _, kind := range c.Kinds() {
					if kind.Covers(s.Kind, s.During) {
						in = append(in, c.Code)
						used[kind] = true
					}
				}
			}
			if slices.ContainsFunc(none, func(k faultkind.Hit) bool { return k.Covers(s.Kind, s.During) }) {
				in = append(in, "none")
			}
			if len(in) != 1 {
				t.Fatalf("%s: %s during %q belongs to %v", x.Locks[i].Lock, s.Kind, s.During, in)
			}
		}
	}
	for _, c := range Columns() {
		for _, kind := range c.Kinds() {
			if !used[kind] {
				t.Errorf("%s stands for %v, which was never walked", c.Code, kind)
			}
		}
		if len(c.Kinds()) == 0 && c.Code != noFaultCode {
			t.Errorf("%s stands for nothing", c.Code)
		}
	}
}

// someWalk is a walk of one lock: a pause of a holder does what breaks says.
func someWalk(cut int64, breaks ...string) *results.Explored {
	one := results.Single{Kind: "pause", During: "hold", Tally: results.Tally{Walked: 40, NoEffect: 2, Cut: cut}, Breaks: map[string]*results.Shown{}}
	for _, way := range breaks {
		one.Breaks[way] = &results.Shown{Profile: "plain", Name: way + ".yaml", Text: "pause A"}
	}
	release := results.Single{Kind: "pause", During: "release", Tally: results.Tally{Walked: 7}, Breaks: map[string]*results.Shown{"foreign-release": {}}}
	return &results.Explored{Locks: []results.ExploredLock{{
		Lock: "x", Complete: 1, Scope: []string{"plain", "twice"}, Singles: []results.Single{one, release},
		Breaks: map[string][]results.CutSet{"no-progress": {{Kinds: []string{}, Shown: results.Shown{Name: "alone.yaml"}}}},
	}}}
}

// The walk makes letters worse and never better, hides none, and never makes an unknown cell safe.
func TestTheWalkJoinsACell(t *testing.T) {
	gp, _ := Lookup("GP")
	n0, _ := Lookup(noFaultCode)
	sl, _ := Lookup("SL")
	unnamed := someWalk(0, "damage") // that of a library: its stories have no files
	unnamed.Locks[0].Singles[0].Breaks["damage"].Name = ""
	type result struct {
		Letter checker.Letter
		Also   string
		Story  string
		Damage string
	}
	for _, tt := range []struct {
		name   string
		runs   checker.Letter
		column Column
		walk   *results.Explored
		want   result
	}{
		{"no walk", "S", gp, nil, result{"S", "", "", ""}},
		{"nothing found", "S", gp, someWalk(0), result{"S", "", "", ""}},
		{"a delay stays one", "L", gp, someWalk(0), result{"L", "", "", ""}},
		{"another column", "S", sl, someWalk(0, "overlap"), result{"S", "", "", ""}},
		{"overlap", "L", gp, someWalk(0, "overlap"), result{"V", "L", "overlap.yaml", ""}},
		{"both ways", "S", gp, someWalk(0, "overlap", "foreign-release"), result{"VF", "", "overlap.yaml", ""}},
		{"the runs have one, the walk the other", "V", gp, someWalk(0, "foreign-release"), result{"VF", "", "foreign-release.yaml", ""}},
		{"what is hidden", "V", gp, someWalk(0, "no-progress"), result{"V", "D", "", ""}},
		{"the same", "V", gp, someWalk(0, "overlap"), result{"V", "", "", ""}},
		{"damage is no letter", "S", gp, someWalk(0, "damage"), result{"S", "", "", "damage.yaml"}},
		{"damage without a file", "S", gp, unnamed, result{"S", "", "", "pause A"}},
		{"unknown", "S", gp, someWalk(3), result{"?", "", "", ""}},
		{"unknown beside a delay", "L", gp, someWalk(3), result{"?", "L", "", ""}},
		{"work that hangs", "S", gp, someWalk(0, "hung"), result{"D", "", "hung.yaml", ""}},
		{"stuck is worse than a delay", "L", gp, someWalk(0, "no-progress"), result{"D", "L", "no-progress.yaml", ""}},
		{"harm is harm", "S", gp, someWalk(3, "no-progress"), result{"D", "", "no-progress.yaml", ""}},
		{"the scripts tested nothing", "?", gp, someWalk(0, "overlap"), result{"V", "", "overlap.yaml", ""}},
		{"it cannot be scripted", "-", gp, someWalk(0, "foreign-release"), result{"F", "", "foreign-release.yaml", ""}},
		{"it cannot be scripted, and does nothing", "-", gp, someWalk(0), result{"-", "", "", ""}},
		{"without a fault", "S", n0, someWalk(0), result{"D", "", "alone.yaml", ""}},
	} {
		c := Cell{Letter: tt.runs, Walked: walkedIn(tt.walk, "x", &tt.column)}
		c.Seen.Add(tt.runs)
		c.join()
		got := result{Letter: c.Letter, Damage: c.DamagedBy}
		var also []string
		for _, l := range c.Also() {
			also = append(also, string(l))
		}
		got.Also = strings.Join(also, " ")
		if c.Story != nil {
			got.Story = c.Story.Name
		}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if w := walkedIn(someWalk(1), "x", &gp); w.Walked != 40 || w.NoEffect != 2 || w.Cut != 1 {
		t.Errorf("%+v: the pause in the release belongs to another column", w)
	}
	if walkedIn(someWalk(0), "y", &gp) != nil {
		t.Error("a lock that was not walked")
	}
	begun := someWalk(0)
	begun.Locks[0].Complete = 0
	if walkedIn(begun, "x", &gp) != nil {
		t.Error("a lock whose walk is complete nowhere")
	}
}

// Damage is judged with a fence where the lock hands out tokens: set-nx-lua overwrites, and
// redisson-fenced, whose holders overlap as well, is refused.
func TestAFenceShows(t *testing.T) {
	m := measure(t, 5, 0, "set-nx-lua redisson-fenced", "GP")
	if c := m.Cell(0, 0); c.Letter != checker.LetterV || !c.Damaged() {
		t.Errorf("%s: %s, damaged by %q", c.Lock, c.Letter, c.DamagedBy)
	}
	if c := m.Cell(1, 0); c.Letter != checker.LetterV || c.Damaged() {
		t.Errorf("%s: %s, damaged by %q", c.Lock, c.Letter, c.DamagedBy)
	}
}

// The stored cell says whether the scripts or the walk found the letter.
func TestMeasuredSaysWhatTheWalkFound(t *testing.T) {
	v, _ := locks.Lookup("redlock")
	cr, _ := Lookup("PT")
	o := Options{Locks: []locks.Variant{v}, Columns: []Column{cr}, Worlds: func() run.World { return sim.New() }, Walk: resultstest.Explored(t)}
	c := measured(t, o).Measured().Cells[0]
	if c.Walked == nil || *c.Walked < 1000 || c.Story != "" || c.Letter != "L" {
		t.Errorf("%+v", c)
	}
	o.Walk = nil
	alone := measured(t, o).Measured().Cells[0]
	if alone.Walked != nil || !reflect.DeepEqual(alone.Scripted, c.Scripted) {
		t.Errorf("%+v", alone)
	}
}
