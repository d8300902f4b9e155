package crosscheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

// Story is a story of the walk of the fault space, for one of its locks.
type Story struct {
	Lock string
	results.Story
	Plan *plan.Plan
}

// Stories returns the stories of a stored walk for some locks, each once, those with few faults
// first. kinds, if not empty, are those of which a story must have one.
func Stories(x *results.Explored, chosen []locks.Variant, kinds []string) ([]Story, error) {
	var out []Story
	for _, v := range chosen {
		l := x.Lock(v.ID)
		if l == nil {
			continue
		}
		from := len(out)
		for _, t := range l.Stories() {
			there := slices.ContainsFunc(out[from:], func(s Story) bool { return s.Name == t.Name })
			if !there && (len(kinds) == 0 || slices.ContainsFunc(t.Kinds, func(k string) bool { return slices.Contains(kinds, k) })) {
				out = append(out, Story{Lock: v.ID, Story: t})
			}
		}
		slices.SortStableFunc(out[from:], func(a, b Story) int { return len(a.Kinds) - len(b.Kinds) })
	}
	for i := range out {
		data, err := explore.Scenario(&x.Scope, out[i].Lock, out[i].Shown)
		if err != nil {
			return nil, err
		}
		if out[i].Plan, err = scenario.Parse(out[i].Name, data); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// slower are the scales, in millionths, for stories that are too fast at the one asked for, as the
// delays of real servers do not scale.
var slower = []int64{300_000, 500_000}

// story decides at which scale a story is played: the first at which real servers can repeat it.
func (w *chooser) story(ctx context.Context, s *Story, c *Cell) error {
	v, ok := s.Plan.Lock(s.Lock)
	if !ok {
		return fmt.Errorf("%s: unknown lock %q", s.Name, s.Lock)
	}
	c.Lock, c.Fault, c.Story = s.Lock, (&results.CutSet{Kinds: s.Kinds}).Key(), s.Name
	c.Script = say.Both{English: s.Plan.Name, Chinese: s.Plan.Chinese.Name}.Phrase()
	first := w.o.scaleFor(v, s.Plan)
	for _, scale := range append([]int64{first}, slower...) {
		if scale < first {
			continue
		}
		why, err := w.tryStory(ctx, s, v, c, scale)
		if err != nil {
			return fmt.Errorf("%s with %s: %w", s.Name, s.Lock, err)
		}
		if c.Why = why; why.Empty() {
			return nil
		}
		if why.Is(say.DecidedByJitter) || why.Is(say.Oversleeps) || why.Is(say.Cancels) {
			break // what happens at one instant does so at any scale
		}
	}
	c.Agreement = results.NotPlayed
	return nil
}

// tryStory puts a story at a scale into its cell, and says why it cannot be played there.
func (w *chooser) tryStory(ctx context.Context, s *Story, v locks.Variant, c *Cell, scale int64) (say.Phrase, error) {
	scaled := s.Plan.Scaled(scale)
	out := run.One(ctx, w.sim, &scaled, c.Lock, 1)
	rests, err := w.dependsOnLag(ctx, &out, &scaled)
	if err != nil {
		return say.Phrase{}, err
	}
	if least := shrunkTo(leastLag, max(s.Plan.Redis.Lag, 1)); rests && scale < least {
		return w.tryStory(ctx, s, v, c, least)
	}
	c.ScalePPM, c.Simulated, c.Plan = scale, out.Judgement.Letter, &scaled
	refused := w.o.Refuse(&scaled, c.Lock)
	switch {
	case refused != nil:
		return say.Verbatim(refused.Error()).Phrase(), nil
	case slices.ContainsFunc(out.Expected, func(e run.Expected) bool { return !e.Met() }):
		return say.Text("at this scale even the simulator does not show what the story tells: use a larger --scale"), nil
	case oversleeps(out.Judgement.History, scaled.Network.Timeout):
		return say.Oversleeps.With(), nil
	case v.Kind().CancelsRequests && cancels(out.Judgement.History):
		return say.Cancels.With(), nil
	}
	return w.decidedByChance(ctx, v, &scaled)
}

// leastLag is how far behind a replica has to be for a promotion to find it so: real servers take
// up to 20 ms to promote it, at any scale.
const leastLag = 30 * time.Millisecond

// dependsOnLag reports whether the outcome of a story changes when the replicas of Redis have
// everything.
func (w *chooser) dependsOnLag(ctx context.Context, out *run.Outcome, p *plan.Plan) (bool, error) {
	promotes := func(f faults.Fault) bool { return f.Verb.Name() == "promote" || f.Verb.Name() == "fail-over" }
	if out.Err != nil || p.Redis.Lag == 0 || !slices.ContainsFunc(p.Faults, promotes) {
		return false, out.Err
	}
	prompt := *p
	prompt.Redis.Lag = 0
	without := run.One(ctx, w.sim, &prompt, out.Lock, out.Seed)
	return agreementOf(breaks(out), breaks(&without)) != results.Agrees, without.Err
}

// jitter is how late a message of real servers is at most, and apart how far one client may fall
// behind another after several. A store says if it takes longer (store.Timing). Neither scales with
// a story.
const (
	jitter = time.Millisecond
	apart  = 4 * jitter
)

// chance is something random on real servers: change adjusts a plan and its timing so that it turns
// out differently.
type chance struct {
	why    say.Phrase
	change func(p *plan.Plan, t *sim.Timing, of within)
}

// within is a part of a maximum.
type within func(most time.Duration) time.Duration

// chancesOf are what may decide a story about a lock. In the simulator everything takes exactly its
// time, so two things can be due at one instant, and no real server can be asked to repeat their
// order.
func chancesOf(v *locks.Variant) []chance {
	k := v.Kind()
	all := []chance{
		{say.DecidedByJitter.With(say.Span(apart)), func(p *plan.Plan, t *sim.Timing, of within) {
			p.Workload.Stagger = max(0, p.Workload.Stagger-apart+of(2*apart))
			p.Network.Latency.Max += jitter
			p.Network.Timeout += of(apart) // timers fire late, too
			t.AnyOrder, t.FaultTime = true, of(apart)
			if k.Silence != nil { // a follower reports a sign of life half a tick later
				p.Settle()
				tick := &p.Cluster(k.ID).Settings[0]
				*tick += of(*tick / 2)
			}
			for i := range p.Faults { // a fault after another one falls behind with it
				if after := &p.Faults[i].Trigger.After; *after > 0 {
					*after += of(apart)
				}
			}
		}},
	}
	if agreed := k.Timing.Agreeing; agreed > 0 {
		all = append(all, chance{say.DecidedByJitter.With(say.Span(agreed)), func(p *plan.Plan, _ *sim.Timing, _ within) {
			p.Network.Latency.Max += agreed / 2 // of a request, and of its reply
		}})
	}
	all = append(all, chance{say.DecidedByJitter.With(say.Span(apart)), func(_ *plan.Plan, t *sim.Timing, of within) { t.StopTime = of(apart) }})
	if election := k.Timing.Election; election > 0 {
		all = append(all, chance{say.DecidedByElection.With(say.Span(election)), func(p *plan.Plan, t *sim.Timing, of within) {
			p.Cluster(k.ID).Election += of(election)
			if k.LeavesServers {
				t.Reconnect = election - of(election) // the one is long where the other is not
			}
		}})
	}
	if s := plan.StoreOf(v); s.Shards > 0 {
		all = append(all, chance{say.Text("the nodes of a Redis Cluster gossip a failure within half a node timeout, and when they do changes how the story ends"), func(p *plan.Plan, _ *sim.Timing, of within) {
			p.Redis.Cluster = p.ClusterOf(s)
			p.Redis.Cluster.NodeTimeout += of(p.Redis.Cluster.NodeTimeout / 2)
		}})
	}
	return all
}

// decidedByChance says which random choice of real servers decides a story; empty for none.
func (w *chooser) decidedByChance(ctx context.Context, v locks.Variant, p *plan.Plan) (say.Phrase, error) {
	const seeds = 36
	first := ""
	for seed := range uint64(seeds) {
		exact := run.One(ctx, w.sim, p, v.ID, seed)
		if exact.Err != nil {
			return say.Phrase{}, exact.Err
		}
		want := breaks(&exact)
		if seed == 0 {
			first = want
		}
		if agreementOf(first, want) != results.Agrees {
			return say.Text("the lock waits for random times, real clients draw other ones, and that changes how the story ends"), nil
		}
		for _, l := range chancesOf(&v) {
			other := *p
			other.Faults = slices.Clone(p.Faults)
			var timing sim.Timing
			l.change(&other, &timing, func(most time.Duration) time.Duration { return most * time.Duration(seed) / (seeds - 1) })
			w.sim.SetTiming(timing)
			about := run.One(ctx, w.sim, &other, v.ID, seed)
			w.sim.SetTiming(sim.Timing{})
			if about.Err != nil {
				return say.Phrase{}, about.Err
			}
			if agreementOf(want, breaks(&about)) != results.Agrees {
				return l.why, nil
			}
		}
	}
	return say.Phrase{}, nil
}

// oversleeps reports whether a frozen client wakes when two things are due at once: a late reply
// and the timeout for it, or its next request and the end of its patience. Its runtime decides
// which it sees first, so no story can depend on it.
func oversleeps(h *history.History, timeout time.Duration) bool {
	type request struct {
		client history.NodeID
		id     int64
	}
	sent, woke := map[request]history.Instant{}, map[history.NodeID]history.Instant{}
	for _, e := range timeline.Of(h).Each(history.Sent, history.Thawed, history.Replied, history.GaveUp) {
		switch r := (request{e.Node, e.Value}); e.Kind {
		case history.Sent:
			sent[r] = e.At
		case history.Thawed:
			woke[e.Node] = e.At
		case history.Replied:
			if at, ok := sent[r]; ok && woke[e.Node] > at && e.At.Sub(at) >= timeout {
				return true
			}
		case history.GaveUp:
			if at, ok := woke[e.Node]; ok && e.At.Sub(at) < apart {
				return true
			}
		}
	}
	return false
}

// cancels reports whether a server executes a request that its client has given up on: etcd may or
// may not, as gRPC's cancellation arrives with it.
func cancels(h *history.History) bool {
	given := map[int64]bool{}
	for _, e := range timeline.Of(h).Each(history.TimedOut, history.Executed) {
		if e.Kind == history.TimedOut {
			given[h.Events[e.Cause].Value] = true
			continue
		}
		if given[e.Value] {
			return true
		}
	}
	return false
}

// breaks says in which ways a story breaks its lock; unknown unless all faults had an effect.
func breaks(out *run.Outcome) string {
	if out.Err != nil || !out.Untested().Empty() {
		return string(checker.LetterUnknown)
	}
	return out.Judgement.WaysIn()
}

// agreementOf compares what the runs of a story break in the two worlds: a way that is broken in
// one and kept in the other is a difference. Where one is unknown nothing is compared.
func agreementOf(simulated, real string) results.Agreement {
	ours, known := checker.ParseWays(simulated)
	theirs, both := checker.ParseWays(real)
	if !known || !both { // unknown
		return results.Untested
	}
	out := results.Agrees
	for _, way := range checker.Ways() {
		switch a, b := ours[way], theirs[way]; {
		case (a == checker.Broken) == (b == checker.Broken):
		case a == checker.Unknown || b == checker.Unknown:
			out = results.Untested
		default:
			return results.Differs
		}
	}
	return out
}
