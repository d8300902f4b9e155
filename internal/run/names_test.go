package run

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/real/realtest"
	"lockstep/internal/sim"
)

// What a story says of a client is so in its runs: where it names one that has not had the lock
// yet, it is not another one, of which it says nothing, that gets in beside the holder.
func TestStoriesNameTheClientsOfTheirRuns(t *testing.T) {
	w := sim.New()
	defer w.Close()
	for _, p := range allScenarios(t) {
		if p.Chaos != nil || strings.Contains(p.File, "regressions") {
			continue // written by a program, or about no client in particular
		}
		prose := p.Story + " " + p.Question + " " + p.Lesson
		named := func(client string) bool { return regexp.MustCompile(`\b` + client + `\b`).MatchString(prose) }
		first, last := uint64(1), uint64(realtest.Tiers(2, 8))
		if p.Seed > 0 {
			first, last = p.Seed, p.Seed
		}
		for _, lock := range p.Locks {
			for seed := first; seed <= last; seed++ {
				j := One(context.Background(), w, p, lock, seed).Judgement
				f := j.Finding(checker.MutualExclusionID)
				if len(f.Violations) == 0 {
					continue
				}
				newest, had := newcomer(j.History, f.Violations[0].From)
				for _, client := range p.Clients {
					if named(client) && !had[client] && !named(newest) {
						t.Errorf("%s, %s, seed %d: the story names %s, and it is %s that gets in", p.File, lock, seed, client, newest)
					}
				}
			}
		}
	}
}

// newcomer returns the client that acquired the lock at an instant, and those that did before.
func newcomer(h *history.History, at history.Instant) (newest string, had map[string]bool) {
	had = map[string]bool{}
	for _, hold := range history.Holds(h) {
		if hold.Start >= at {
			return h.Name(hold.Client), had
		}
		had[h.Name(hold.Client)] = true
	}
	return "", had
}
