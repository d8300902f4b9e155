package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
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

// shrinking is a shrinker that begins with a story, which must break mutual exclusion by faults
// that all take effect.
func shrinking(t *testing.T, lock, story string) *shrinker {
	t.Helper()
	p := scenariotest.Parse(t, "try.yaml", "scenario: Try\nlocks: ["+lock+"]\n"+story)
	s := &shrinker{
		ctx: context.Background(), world: sim.New(), lock: lock, property: checker.MutualExclusionID,
		best: p, most: math.MaxInt, tried: map[string]bool{},
	}
	t.Cleanup(s.world.Close)
	if !s.try(asItIs) {
		t.Fatal("the story to be shrunk does not break")
	}
	s.tried, s.plays = map[string]bool{}, 0
	return s
}

// twoFaults is a story of which the pause breaks the lock and the slow work does nothing.
const twoFaults = `
clients: [A, B]
seed: 1
faults:
  - {when: A is in its critical section, pause: A, for: 12s}
  - {when: B is in its critical section, slow: B, by: 1s}
`

func asItIs(*plan.Plan) {}

// A candidate may have as many events as the original, and no more.
func TestNoCandidateIsLonger(t *testing.T) {
	s := shrinking(t, "set-nx-lua", twoFaults)
	out := run.One(s.ctx, s.world, s.best, s.lock, s.best.Seed)
	s.most = len(out.Judgement.History.Events) - 1
	if s.try(asItIs) {
		t.Error("a candidate that is longer by one event was taken")
	}
	s.tried = map[string]bool{}
	if s.most++; !s.try(asItIs) {
		t.Error("a candidate of the same length was refused")
	}
}

// A fault that never happens would make the file inconclusive, even though the property breaks
// without it.
func TestEveryFaultOfACandidateHappens(t *testing.T) {
	later := func(nth int) func(p *plan.Plan) {
		return func(p *plan.Plan) { p.Faults[1].Trigger.Nth = nth }
	}
	s := shrinking(t, "set-nx-lua", twoFaults)
	if s.try(later(2)) { // B plays one round
		t.Errorf("a candidate was taken of which fault 2 never happens:\n%s", scenario.Resolved(s.best))
	}
	if !s.try(later(0)) {
		t.Error("the fault at each time was refused")
	}
}

// A candidate is read back from its file, so a story that cannot be written as a file is refused.
func TestACandidateIsAFile(t *testing.T) {
	s := shrinking(t, "set-nx-lua", twoFaults)
	if s.try(func(p *plan.Plan) { p.Faults[0].Args.Value = "Zoe" }) {
		t.Error("a candidate was taken that pauses a client that does not exist")
	}
	if s.plays != 0 {
		t.Errorf("%d plays of an invalid scenario", s.plays)
	}
}

// The same file is played once.
func TestNothingIsTriedTwice(t *testing.T) {
	s := shrinking(t, "set-nx-lua", twoFaults)
	without := func(p *plan.Plan) { p.Faults = p.Faults[:1] }
	if !s.try(without) || s.try(asItIs) || s.plays != 1 {
		t.Errorf("%d plays of the same file", s.plays)
	}
	if f := s.best.Faults; len(f) != 1 || f[0].Verb.Name() != "pause" || f[0].Trigger.Moment != faults.InSection {
		t.Errorf("left are %+v", f)
	}
}

// A violation of another kind is no smaller version, however short. Without the pause the failover
// breaks the lock, too.
func TestACandidateBreaksTheSameWay(t *testing.T) {
	const twoWays = `
clients: [A, B, C]
servers: {redis: {replicas: 1, lag: 5s}}
seed: 1
faults:
  - {when: A is in its critical section, pause: A, for: 12s}
  - {when: B is in its critical section, fail-over: operator}
`
	withoutThePause := func(p *plan.Plan) { p.Faults = p.Faults[1:] }
	s := shrinking(t, "set-nx-lua", twoWays)
	s.kind = say.NeverPausesLonger.With(say.Client("A"))
	if s.try(withoutThePause) {
		t.Errorf("a candidate was taken that breaks in another way:\n%s", scenario.Resolved(s.best))
	}
	if !s.try(asItIs) {
		t.Error("the original breaks in another way")
	}
	s = shrinking(t, "set-nx-lua", twoWays)
	if !s.try(withoutThePause) { // when any kind will do
		t.Error("the candidate does not break at all")
	}
}

// Untested runs do not count in a rate: three of them leave any rate possible.
func TestRunsThatTestedNothingDoNotCount(t *testing.T) {
	tried := Tried{Seeds: 3, Untested: 3}
	if share, low, high := tried.Rate(); tried.Tested() != 0 || share != 0 || low != 0 || high != 1_000_000 {
		t.Errorf("%d tested, rate %d from %d to %d millionths", tried.Tested(), share, low, high)
	}
	// Of five runs two tested something, and the second of these broke.
	if share, _, _ := (Tried{Seeds: 5, Untested: 3, Seed: 5}).Rate(); share != 500_000 {
		t.Errorf("rate %d millionths, want one in two", share)
	}
	// A run that breaks is the first of all in one case of 40 when the rate is 2.5 %.
	if share, low, high := (Tried{Seeds: 1, Seed: 1}).Rate(); share != 1_000_000 || low < 24_990 || low > 25_000 || high != 1_000_000 {
		t.Errorf("rate %d from %d to %d millionths of one run that broke", share, low, high)
	}
	for _, tt := range []struct{ with, without Tried }{
		{Tried{Seeds: 500, Untested: 490}, Tried{Seeds: 10}},
		{Tried{Seeds: 90, Untested: 70, Seed: 90}, Tried{Seeds: 20, Seed: 20}},
	} {
		_, low, high := tt.with.Rate()
		if _, l, h := tt.without.Rate(); low != l || high != h {
			t.Errorf("%+v: from %d to %d, without what tested nothing from %d to %d", tt.with, low, high, l, h)
		}
	}
}
