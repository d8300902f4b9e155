package matrix

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/sim"
)

var update = flag.Bool("update", false, "write testdata/beyond-the-walk.txt again")

// The stored walk breaks whatever a script of the stored matrix breaks, with one fault or several
// and without a script. testdata/beyond-the-walk.txt lists the exceptions and the likely reasons: a
// new line is a hole in the walk.
func TestBeyondTheWalk(t *testing.T) {
	m, x := resultstest.Matrix(t), resultstest.Explored(t)
	w := sim.New()
	defer w.Close()
	var b strings.Builder
	harmful := 0
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Scripted == nil || !c.Scripted.Letter.Harms() {
			continue
		}
		harmful++
		for _, way := range checker.Ways() {
			if way == checker.Damage || !strings.Contains(string(c.Scripted.Letter), string(way.Letter())) {
				continue
			}
			if why := beyond(t, w, x, c, way); why != "" {
				fmt.Fprintf(&b, "%s %s %s: %s: %s\n", c.Lock, c.Fault, way.Letter(), c.Scripted.Script, why)
			}
		}
	}
	const file = "testdata/beyond-the-walk.txt"
	if *update {
		must.Do(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	if got := b.String(); got != string(want) || harmful < 500 {
		t.Errorf("of %d cells, not found by the exhaustive search:\n%s\nwant\n%s", harmful, got, want)
	}
}

// beyond says why the walk has not found what a cell's script shows; "" when it has.
func beyond(t *testing.T, w *sim.World, x *results.Explored, c *results.Cell, way checker.Way) string {
	l := x.Lock(c.Lock)
	column, _ := Lookup(c.Fault)
	var pair []string
	var cut int64
	for _, set := range l.By(way) {
		if len(set.Kinds) == 0 {
			return "" // it does so without a fault
		}
		if len(set.Kinds) > 1 && pair == nil && slices.ContainsFunc(column.Kinds(), func(k faultkind.Hit) bool { return slices.Contains(set.Kinds, k.Kind) }) {
			pair = set.Kinds
		}
	}
	for _, k := range column.Kinds() {
		for i := range l.Singles {
			if s := &l.Singles[i]; k.Covers(s.Kind, s.During) {
				if s.By(way) != nil || way == checker.NoProgress && s.By(checker.Hung) != nil {
					return ""
				}
				cut += s.Cut
			}
		}
	}
	v, _ := locks.Lookup(c.Lock)
	scripts, _, err := ScriptsOf(context.Background(), w, v, column)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(scripts, func(s Script) bool { return s.Name.English() == c.Scripted.Script })
	if at < 0 {
		t.Fatalf("%s under %s has no script %q: measure measurements/matrix.json again", c.Lock, c.Fault, c.Scripted.Script)
	}
	p := scripts[at].Plan()
	switch {
	case pair != nil:
		return "found with two faults, " + strings.Join(pair, " + ")
	case len(l.Scope) == 1:
		return "it breaks without a fault, so it was walked in the plain profile only"
	case len(p.Faults) > 1 && l.Complete < 2:
		return fmt.Sprintf("%d faults, and pairs are not walked", len(p.Faults))
	case len(p.Faults) > 1:
		return fmt.Sprintf("%d faults", len(p.Faults))
	case p.Workload.Nested > 0:
		return "nested work and a repeated release, which no usage profile has together"
	case cut > 0:
		return fmt.Sprintf("%d schedules have no end", cut)
	case c.Fault == "CR":
		return "who waits comes every 2 s in the usage profiles, and not into the gap"
	}
	return "other timings, or more servers, than in the usage profiles"
}
