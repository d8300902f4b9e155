package tour

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// phrases are the texts of the tour outside of lessons, by name.
var phrases = sync.OnceValue(func() map[string]Text {
	all := map[string]Text{}
	if err := yaml.UnmarshalWithOptions(wordsFile, &all, yaml.Strict()); err != nil {
		panic(err) // a test reads it
	}
	return all
})

//go:embed words.yaml
var wordsFile []byte

// say returns a phrase in the language of the tour.
func (o *Options) say(name string, args ...any) string {
	t, ok := phrases()[name]
	if !ok {
		panic("tour: there is no phrase " + name)
	}
	if len(args) == 0 {
		return t.In(o.Language)
	}
	return fmt.Sprintf(t.In(o.Language), args...)
}

// fill fills in the figures of the set-up.
func (o *Options) fill(text string, first, second *Played) string {
	pauses := [2]time.Duration{}
	for i, p := range []*Played{first, second} {
		if f := p.Plan.First("pause"); f != nil {
			pauses[i] = f.End.For
		}
	}
	span := func(d time.Duration) string { return say.Planned(d).In(o.Language) }
	return strings.NewReplacer(
		"{lease}", span(first.Plan.Lease), "{lag}", span(first.Plan.Redis.Lag),
		"{pause}", span(pauses[0]), "{pause-again}", span(pauses[1]),
	).Replace(text)
}

// labels name two runs by what differs between them: the lock, the fence, the length of the pause,
// or the kind of fault.
func (o *Options) labels(first, second *Played) (string, string) {
	a, b := first.Run, second.Run
	if a.Lock != b.Lock {
		return a.Lock, b.Lock
	}
	if first.Plan.Workload.Fence != second.Plan.Workload.Fence {
		return o.say("fence", first.Plan.Workload.Fence), o.say("fence", second.Plan.Workload.Fence)
	}
	x, y := first.Plan.First("pause"), second.Plan.First("pause")
	if x != nil && y != nil && x.End.For != y.End.For {
		return o.say("pause", say.Planned(x.End.For).In(o.Language)),
			o.say("pause", say.Planned(y.End.For).In(o.Language))
	}
	return o.say("verb " + first.Plan.Faults[0].Verb.Name()), o.say("verb " + second.Plan.Faults[0].Verb.Name())
}

// command is the command line that plays a run again.
func (o *Options) command(p *Played) string {
	var changes []scenario.Change
	if p.Run.Fence != "" {
		changes = append(changes, scenario.Change{Key: "workload.fence", Value: p.Run.Fence})
	}
	if f := p.Plan.First("pause"); p.Run.Pause != 0 {
		changes = append(changes, scenario.Change{Key: fmt.Sprintf("faults.%d.for", f.Number), Value: faults.Duration(p.Run.Pause)})
	}
	return p.Run.Command(o.Seed, changes...)
}

// lockKey stands for the lock among the keys of a scenario file.
const lockKey = "lock"

// command is the command line that plays a run with the learner's value.
func (y *Yours) command(r *Run, value string, seed uint64) string {
	if y.Change == lockKey {
		other := *r
		other.Lock = value
		return other.Command(seed)
	}
	return r.Command(seed, scenario.Change{Key: y.Change, Value: value})
}

// Command is the command line that plays the scenario of a run with its lock and with changes of
// it.
func (r *Run) Command(seed uint64, changes ...scenario.Change) string {
	sets := shell.Set(each.Map(changes, scenario.Change.String)...)
	return fmt.Sprintf("simulate run %s --lock %s%s --seed %d", r.Scenario, r.Lock, sets, seed)
}
