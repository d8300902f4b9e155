package locktest

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/store"
)

// summaryVariable names the file to which a passed test appends its summary, for `simulate test`:
// go test does not print the log of a passed test.
const summaryVariable = "LOCKSTEP_SUMMARY"

// tally counts the runs of a suite.
type tally struct {
	runs         int
	tried        run.Tried
	places, idle int      // of the walk, and those that tested nothing
	untested     []string // stories, as the test allows
	clients      []int
}

// add counts a run.
func (y *tally) add(p *plan.Plan, o *run.Outcome) {
	y.runs++
	y.tried.Add(p, o)
	if n := len(p.Clients); !slices.Contains(y.clients, n) {
		y.clients = append(y.clients, n)
	}
}

// conclude says in three lines what a passed test has tried, how, and what it has not tried.
func (s *suite) conclude(t *testing.T) {
	t.Helper()
	if t.Failed() {
		return
	}
	lines := []string{
		"tried      " + s.tried(), "with       " + s.setting(), "not tried  " + strings.Join(s.untried(), "; "),
	}
	for _, line := range lines {
		t.Log(line)
	}
	name := os.Getenv(summaryVariable)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s\n  %s\n", t.Name(), strings.Join(lines, "\n  "))
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		t.Errorf("%s: %v", summaryVariable, err)
	}
}

// tried lists the stories, and the places of the walk.
func (s *suite) tried() string {
	var names []string
	for _, p := range s.plans {
		name := p.Slug
		if s.breaks[name] != nil {
			name += " (breaks, as the test says)"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if !s.walk {
		return text
	}
	return fmt.Sprintf("%s; a walk of %d places of A (%s), %d of which tested nothing",
		text, s.tally.places, strings.Join(kinds, ", "), s.tally.idle)
}

// setting says how the lock was used.
func (s *suite) setting() string {
	clients := slices.Sorted(slices.Values(s.tally.clients))
	entry := "entry under the lock's name"
	switch {
	case !s.followed:
		entry = "entry not followed"
	case s.entry.Table != "":
		entry = fmt.Sprintf("entry in %s by %s", s.entry.Table, s.entry.Name)
	case s.entry.Key != "":
		entry = "entry under " + s.entry.Key
	}
	return fmt.Sprintf("%d runs, %s from %d; %s, %d to %d clients; %s",
		s.tally.runs, plural(s.seeds, "seed"), s.seed, s.tally.tried.Settings().English(),
		clients[0], clients[len(clients)-1], entry)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// untried lists what a passed test has not tried.
func (s *suite) untried() (all []string) {
	plays := func(name string) bool {
		return slices.ContainsFunc(s.plans, func(p *plan.Plan) bool { return p.Slug == name })
	}
	if !s.walk {
		all = append(all, "a fault at every request")
	}
	if !plays("long-work") && !plays("slow-reply") || s.breaks["long-work"] != nil {
		all = append(all, "late replies in work that outlasts the lease")
	}
	if store.Of(s.servers.Store).Topology != store.Independent && !plays("failover") {
		all = append(all, "failover")
	}
	all = append(all, "wrong clocks of clients", "two goroutines of one client", "two faults at once")
	for _, name := range s.tally.untested {
		all = append(all, name+" tested nothing, as the test allows")
	}
	for _, name := range s.unjudged {
		all = append(all, name+" is not judged where it is unknown, as the test says")
	}
	return all
}
