package search

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// textsOf are the faults of the smallest version so far.
func textsOf(s *shrinker) (out []string) {
	for i := range s.best.Faults {
		out = append(out, s.best.Faults[i].Text)
	}
	return out
}

// With three clients B is hit at 5s. With two of them, the first client must be hit in its critical
// section.
func TestFewerClientsMovesTheFault(t *testing.T) {
	s := shrinking(t, "set-nx-lua", `
clients: [A, B, C]
seed: 1
workload: {work: 3s}
faults: [{at: 5s, pause: B, for: 12s}]
`)
	if s.try(withoutClient("A")) || s.try(withoutClient("C")) {
		t.Fatal("it breaks without a client as it is")
	}
	if !s.fewerClients() || len(s.best.Clients) != 2 {
		t.Errorf("left are the clients %v with %v", s.best.Clients, textsOf(s))
	}
}

// Two delays of one DEL add up to one that outlives the lease.
func TestFaultsOfTheWireMakeUpForEachOther(t *testing.T) {
	s := shrinking(t, "set-nx-ex-del", `
seed: 1
workload: {repeat: 3 times}
faults:
  - {when: A is about to send DEL, delay: request, by: 6s}
  - {when: A is about to send any command the 2nd time, delay: request, by: 6s}
`)
	if !s.fewerByMoving() || len(s.best.Faults) != 1 {
		t.Errorf("left are %v", textsOf(s))
	}
}

// A fault of the wire moves to other commands, and other faults to steps of clients.
func TestMoments(t *testing.T) {
	s := &shrinker{best: &plan.Plan{Clients: []string{"A", "B"}}, sent: []string{"SET", "DEL"}}
	spec, _ := faults.Lookup("drop")
	args := faults.Args{Value: "reply"}
	drop := faults.Make(1, spec, args, faults.Trigger{Moment: faults.AboutToSend, Subject: faults.AnyClient, Command: faults.AnyCommand, Nth: 7}, faults.End{})
	var got []string
	for _, x := range s.moments(&drop) {
		got = append(got, x.Text())
	}
	want := []string{"A is about to send SET", "B is about to send SET", "A is about to send DEL", "B is about to send DEL"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// "Any command the 2nd time" says less than its name.
func TestPlainCommands(t *testing.T) {
	s := shrinking(t, "set-nx-ex-del", `
seed: 1
faults: [{when: A is about to send any command the 2nd time, delay: request, by: 9s}]
`)
	if want := []string{"SET", "DEL"}; !slices.Equal(s.sent, want) {
		t.Errorf("clients send %v, want %v", s.sent, want)
	}
	if !s.otherTriggers(s.named) || textsOf(s)[0] != "delay request by 9s when A is about to send DEL" {
		t.Errorf("left is %v", textsOf(s))
	}
	if s.otherTriggers(s.named) {
		t.Errorf("a named command got another name: %v", textsOf(s))
	}
	if got := s.named(&faults.Fault{Trigger: faults.Trigger{Moment: faults.AboutToSend, Subject: "A", Command: faults.AnyCommand, Nth: 2}}); len(got) != 4 {
		t.Errorf("of two commands, the first and the second of each kind are to be tried, got %v", got)
	}
}

// The holder at 4s must have begun just in time: with most seeds that takes several
// rounds, with some it happens in the first.
func TestOtherSeeds(t *testing.T) {
	const story = `
clients: [A, B]
seed: %d
workload: {repeat: 3 times, work: 0s..4s}
faults: [{at: 4s, pause: the holder, for: 8s}]
`
	seed := seedThatNeedsRounds(t, story)
	s := shrinking(t, "set-nx-lua", fmt.Sprintf(story, seed))
	if !s.otherSeeds() || s.best.Workload.Repeat != 1 || s.best.Seed > mostSeeds || s.best.Seed == 1 {
		t.Errorf("%d rounds with seed %d", s.best.Workload.Repeat, s.best.Seed)
	}
}

// seedThatNeedsRounds is a seed with which a story breaks, and does not in one round.
func seedThatNeedsRounds(t *testing.T, story string) uint64 {
	t.Helper()
	p := scenariotest.Parse(t, "chance.yaml", "scenario: Chance\nlocks: [set-nx-lua]\n"+fmt.Sprintf(story, 1))
	once := *p
	once.Workload.Repeat = 1
	breaks := func(p *plan.Plan, seed uint64) bool {
		w := sim.New()
		defer w.Close()
		out := run.One(t.Context(), w, p, "set-nx-lua", seed)
		return out.Err == nil && out.Judgement.Finding(checker.MutualExclusionID).Verdict == checker.Broken
	}
	for seed := uint64(mostSeeds + 1); seed < 200; seed++ {
		if breaks(p, seed) && !breaks(&once, seed) {
			return seed
		}
	}
	t.Fatal("no seed needs several rounds")
	return 0
}

// The least of all stories cannot become smaller, and costs no plays.
func TestTheLeastHasNoSmallerOne(t *testing.T) {
	s := shrinking(t, "set-nx-lua", "clients: [A, B]\nseed: 1\nfaults: [{when: A is in its critical section, pause: A, for: 12s}]\n")
	if s.otherSeeds() || s.plays != 0 {
		t.Errorf("%d plays", s.plays)
	}
}
