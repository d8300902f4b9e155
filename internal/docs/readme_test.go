package docs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/measurements"
)

// The first table of the README is what was walked.
func TestTheTableOfTheReadme(t *testing.T) {
	data := must.Get(measurements.Explore())(t)
	x := must.Get(results.ReadExplored(data))(t)
	readme := must.Get(os.ReadFile("../../README.md"))(t)
	want := atAGlance(x, "set-nx-lua", "watchdog-lua", "redisson", "redlock", "self-fence", "etcd-txn", "zk-sequential", "consul-session")
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not have this table:\n%s", want)
	}
}

// atAGlance is a short table of what breaks some locks: the kinds that break one alone, and the
// number of pairs.
func atAGlance(x *results.Explored, some ...string) string {
	var rows [][]string
	for _, lock := range some {
		l := x.Lock(lock)
		rows = append(rows, []string{link(text(lock), "docs/locks/"+lock+".md"), glance(l, l.Breaks["overlap"]), glance(l, l.Breaks["damage"])})
	}
	return table("lock | two clients hold it | the resource is damaged", rows)
}

func glance(l *results.ExploredLock, sets []results.CutSet) string {
	var alone []string
	more := 0
	for _, s := range sets {
		switch {
		case len(s.Kinds) != 1:
			more++
		case slices.Contains(alone, strings.TrimSuffix(s.Kinds[0], faultkind.Short)): // the page of the lock has it
		default:
			alone = append(alone, text(s.Kinds[0]))
		}
	}
	switch {
	case more > 0 && l.Complete < 2:
		alone = append(alone, fmt.Sprintf("%d %s so far", more, plural(more, "pair", "pairs")))
	case more > 0:
		alone = append(alone, fmt.Sprintf("%d %s", more, plural(more, "pair", "pairs")))
	}
	if len(alone) == 0 {
		return l.WithoutSet(checker.Overlap).English()
	}
	return strings.Join(alone, ", ")
}
