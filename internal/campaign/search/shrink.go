package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/timeline"
)

// mostPlays limits the candidates that shrinking plays, far above what has been seen, so that
// shrinking ends.
const mostPlays = 20_000

// Size is how large a story is.
type Size struct {
	Faults  int `json:"faults"`
	Clients int `json:"clients"`
	Rounds  int `json:"rounds"` // of each client
	Events  int `json:"events"` // of the history
}

// Found is a violation and its smallest version.
type Found struct {
	Lock, Property string
	Seed           uint64            // of the original
	Original       *plan.Plan        // with the faults that were drawn
	Smallest       *plan.Plan        // its Seed is the one to play it with
	Judgement      checker.Judgement // of the smallest version
	Before, After  Size
	Plays          int    // candidates that were played
	Unfinished     bool   // shrinking was interrupted, or had to stop
	YAML           string // the smallest version as a file that stands alone
}

// ErrKept says that a run breaks nothing.
var ErrKept = errors.New("there is nothing to shrink")

// Smallest plays a plan and shrinks the run to the smallest story in which the same property breaks
// the same way. When ctx ends in the middle, the result is the smallest version so far.
func Smallest(ctx context.Context, worlds run.Factory, p *plan.Plan, lock, property string, seed uint64) (*Found, error) {
	w := worlds()
	defer w.Close()
	s := &shrinker{ctx: ctx, world: w, lock: lock, property: property, tried: map[string]bool{}}
	f := &Found{Lock: lock, Property: property, Seed: seed, Original: chaos.Draw(p, seed)}
	if err := s.begin(f); err != nil {
		return nil, err
	}
	s.shrink()
	f.Unfinished, f.Plays = !s.left(), s.plays
	return f, s.conclude(f, worlds)
}

// shrinker holds the smallest version so far.
type shrinker struct {
	ctx            context.Context
	world          run.World
	lock, property string
	kind           say.Phrase // of the violation, see kindOf; empty when the original has none, and any will do
	most           int        // events of the original: no version may have more

	best  *plan.Plan
	sent  []string        // the names of the commands that are sent in it
	tried map[string]bool // the files that were played
	plays int
}

func (s *shrinker) left() bool { return s.ctx.Err() == nil && s.plays < mostPlays }

// begin plays the original and starts from the same story without its texts and without faults that
// never happened.
func (s *shrinker) begin(f *Found) error {
	given := s.ctx
	s.ctx = context.WithoutCancel(given) // the result is written even after Ctrl-C
	defer func() { s.ctx = given }()
	out := run.One(s.ctx, s.world, f.Original, s.lock, f.Seed)
	if out.Err != nil {
		return out.Err
	}
	j := out.Judgement
	if j.Finding(s.property).Verdict != checker.Broken {
		return fmt.Errorf("%s keeps %s with seed %d: %w", s.lock, s.property, f.Seed, ErrKept)
	}
	f.Before = sizeOf(f.Original, &j)
	s.kind, s.most = kindOf(&j, s.property), len(j.History.Events)
	fired := slices.DeleteFunc(slices.Clone(f.Original.Faults), func(x faults.Fault) bool { return j.Faults[x.Number-1].Times == 0 || j.Faults[x.Number-1].NoEffect })
	start := f.Original.WithFaults(fired)
	start.Texts, start.Chinese, start.Remedy, start.Level = plan.Texts{Name: f.title(say.English)}, plan.Texts{}, "", plan.Default().Level
	start.Locks, start.Expect, start.Vary, start.Seed = []string{s.lock}, nil, nil, f.Seed
	s.best = start
	if !s.try(func(*plan.Plan) {}) {
		return errors.New("without the faults that never fired nothing breaks any more: this run cannot be shrunk")
	}
	return nil
}

// try makes a candidate of the best version and plays it. The candidate becomes the best one if the
// same property still breaks the same way, and all its faults happened. The same file is played
// once.
func (s *shrinker) try(change func(p *plan.Plan)) bool {
	if !s.left() {
		return false
	}
	c := *s.best
	c.Clients, c.Clocks, c.Faults = slices.Clone(c.Clients), slices.Clone(c.Clocks), slices.Clone(c.Faults)
	change(&c)
	text := scenario.Resolved(c.WithFaults(c.Faults))
	if s.tried[text] {
		return false
	}
	s.tried[text] = true
	p, err := scenario.Parse(s.best.File, []byte(text))
	if err != nil {
		return false // not a story: a fault names a client that is gone
	}
	s.plays++
	out := run.One(s.ctx, s.world, p, s.lock, p.Seed)
	if out.Err != nil || !out.Untested().Empty() || len(out.Judgement.History.Events) > s.most {
		return false
	}
	j := &out.Judgement
	if j.Finding(s.property).Verdict != checker.Broken {
		return false
	}
	if !s.kind.Empty() && !s.kind.Like(kindOf(j, s.property)) {
		return false
	}
	s.best, s.sent = p, sentIn(j.History)
	return true
}

// sentIn returns the names of the commands that were sent, in the order of their first uses.
func sentIn(h *history.History) (names []string) {
	for _, e := range timeline.Of(h).Each(history.Sent) {
		if name := h.Op(e.Text).Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// kindOf says by which false assumption a property broke: a pause and a failover are no versions of
// each other.
func kindOf(j *checker.Judgement, property string) say.Phrase {
	return explain.Assumption(timeline.Of(j.History), []checker.Finding{j.Finding(property)}, 0).Assumed
}

func sizeOf(p *plan.Plan, j *checker.Judgement) Size {
	return Size{len(p.Faults), len(p.Clients), p.Workload.Repeat, len(j.History.Events)}
}

// conclude fills in the smallest version, played in its own world, so that its history stays valid.
func (s *shrinker) conclude(f *Found, worlds run.Factory) error {
	ctx := context.WithoutCancel(s.ctx) // the result is written even after Ctrl-C
	p := *s.best
	p.Expect = []plan.Expectation{{Lock: s.lock, Property: s.property, Verdict: string(checker.Broken)}}
	w := worlds()
	defer w.Close()
	out := run.One(ctx, w, &p, s.lock, p.Seed)
	if out.Err != nil {
		return out.Err
	}
	f.Judgement = out.Judgement
	f.After = sizeOf(&p, &f.Judgement)
	p.Story, p.Origin = f.story(say.English), f.origin(say.English)
	p.Chinese = plan.Texts{Name: f.title(say.Chinese), Story: f.story(say.Chinese), Origin: f.origin(say.Chinese)}
	f.Smallest = &p
	f.YAML = scenario.Brief(&p, p.Origin)
	return nil
}

// The texts of the smallest version.

// title says what breaks, and in which story. Shrinking the file again does not change it.
func (f *Found) title(l say.Language) string {
	lock, property := say.Verbatim(f.Lock), say.Property(f.Property)
	before := say.CounterexampleOf.With(lock, property, "").In(l)
	of := strings.TrimPrefix(f.Original.Prose(l).Name, before)
	title := []rune(say.CounterexampleOf.With(lock, property, say.Verbatim(of)).In(l))
	return string(title[:min(len(title), scenario.MaxTitle)])
}

// story tells the smallest version in the words of package explain.
func (f *Found) story(l say.Language) string {
	j := &f.Judgement
	t := timeline.Of(j.History)
	said := explain.Verdict(t, j)
	if wrong := explain.Assumption(t, j.Findings, 0); wrong.Proved() {
		said = say.AssumedWrongly.With(said, wrong.Assumed, wrong.Formula)
	}
	return strings.Join(strings.Fields(said.In(l)), " ")
}

// origin says where the file comes from.
func (f *Found) origin(l say.Language) string {
	return say.FoundAndShrunk.With(say.Verbatim(f.Original.File), say.Verbatim(strconv.FormatUint(f.Seed, 10)), say.Flag(f.Unfinished), f.Before.Words(), f.After.Words()).In(l)
}

// Words say how large the story is.
func (s Size) Words() say.Phrase {
	return say.StorySize.With(say.Number(s.Faults), say.Number(s.Clients), say.Number(s.Rounds), say.Number(s.Events))
}
