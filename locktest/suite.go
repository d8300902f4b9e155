package locktest

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/bubble"
	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/scenarios"
)

// usual has the stories that Run plays by default. A lock that they name stands for its store.
//
//go:embed stories/*.yaml
var usual embed.FS

// usualNames are their names in the order of playing.
var usualNames = []string{
	"contention", "failed-try", "long-queue", "long-work", "longer-work", "pause", "crash", "next-crash", "lost-reply", "lost-request",
	"late-release", "late-own-release", "slow-reply", "cut-long-work", "late-cut-long-work", "restart",
	"skewed-server", "skewed-behind", "skewed-long-work", "failover", "minority",
}

// usualStories returns the stories that make sense for the lock. A lock that does not survive long
// work is broken by that alone, and independent servers have no replica, but a minority.
func (s *suite) usualStories() []string {
	return slices.DeleteFunc(slices.Clone(usualNames), func(name string) bool {
		switch name {
		case "longer-work", "slow-reply", "cut-long-work", "late-cut-long-work", "skewed-long-work":
			return s.breaks["long-work"] != nil && s.breaks[name] == nil
		case "minority":
			return s.servers.Nodes < 2
		case "failover":
			return store.Of(s.servers.Store).Topology == store.Independent
		}
		return false
	})
}

// Environment variables.
const (
	seedVariable    = "LOCKSTEP_SEED"    // the first seed
	reportsVariable = "LOCKSTEP_REPORTS" // where reports go
)

// suite is one call of Run.
type suite struct {
	name     string
	servers  bubble.Servers
	newLock  func(Client) Lock
	stories  []string
	breaks   map[string][]string // properties, by story
	untested []string            // stories that may test nothing
	unjudged []string            // properties that may be unknown
	named    []string            // stories in options
	walk     bool
	noWalk   bool // no walk with the usual stories
	seed     uint64
	seeds    int
	problems []string

	plans        []*plan.Plan
	on           *sim.World
	fenced       bool            // the lock hands out tokens
	reportedLeft bool            // remaining goroutines were reported
	scripts      []*redis.Script // which the servers know from the rehearsal
	entry        store.Entry     // where the lock keeps its entry; zero: under its name
	learning     bool            // the servers learn scripts and the entry
	followed     bool            // histories have the entry
	implied      map[string]bool // stories without expectations of their own
	tally        tally

	token atomic.Pointer[string] // the first lease with a token that is none, as a sentence
}

// newSuite returns nil, and reports errors, if the options are wrong.
func newSuite(t *testing.T, servers Store, newLock func(Client) Lock, options []Option) *suite {
	t.Helper()
	if servers == nil || newLock == nil {
		t.Error("locktest.Run needs servers and a function that makes the lock of one client, as in locktest.Run(t, locktest.Redis{}, newLock): one of them is nil")
		return nil
	}
	s := &suite{
		name: t.Name(), servers: servers.Servers(), newLock: newLock,
		breaks: map[string][]string{}, implied: map[string]bool{}, seed: 1, seeds: 1, on: sim.New(),
	}
	if err := s.servers.Wrong; err != nil {
		s.wrong(err.Error())
	}
	for _, o := range options {
		if o != nil {
			o(s)
		}
	}
	if s.stories == nil {
		s.stories, s.walk = s.usualStories(), !s.noWalk
	}
	if len(s.stories) == 0 && !s.walk {
		s.wrong("locktest.Stories names no story, so nothing would be tested: leave it out to have the usual ones")
	}
	if text := os.Getenv(seedVariable); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			s.wrong(fmt.Sprintf("%s=%q is not a seed: give a whole number", seedVariable, text))
		}
		s.seed = n
	}
	for _, name := range s.stories {
		p, err := s.load(name)
		if err == nil {
			err = bubble.Refuse(p)
		}
		if err != nil {
			s.wrong(fmt.Sprintf("story %s: %v", name, err))
			continue
		}
		s.plans = append(s.plans, p)
	}
	for _, name := range s.named {
		if name == rehearsal {
			continue
		}
		kind, walks := strings.CutPrefix(name, "walk/")
		played := slices.ContainsFunc(s.plans, func(p *plan.Plan) bool { return p.Slug == name })
		if !played && !(walks && s.walk && slices.Contains(kinds, kind)) {
			s.wrong(fmt.Sprintf("an option speaks of the story %q, which is not played: those played are %s", name, strings.Join(s.stories, ", ")))
		}
	}
	for _, p := range s.problems {
		t.Error(p)
	}
	if len(s.problems) > 0 {
		return nil
	}
	goredis.SetLogger(silent{})
	t.Cleanup(watch())
	return s
}

func (s *suite) wrong(problem string) { s.problems = append(s.problems, problem) }

// load reads a story by its name: one of the usual, a lesson, or a file.
func (s *suite) load(name string) (*plan.Plan, error) {
	file := "stories/" + name + ".yaml"
	data, err := usual.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = "lessons/" + name + ".yaml"
		data, err = scenarios.Files.ReadFile(file)
	}
	var p *plan.Plan
	if err == nil {
		if name == "minority" {
			data = s.minority(data)
		}
		if p, err = scenario.Parse(name, data); p != nil {
			p.Expect = nil // they are about the locks that it names
		}
	} else {
		p, err = scenario.Load(name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// minority cuts off half of the lock's servers, rounded down, in a story that has five.
func (s *suite) minority(story []byte) []byte {
	nodes, names := max(s.servers.Nodes, 2), ""
	for i := range nodes / 2 {
		names += fmt.Sprintf("redis-%d, ", i+1)
	}
	few := strings.NewReplacer("nodes: 5", fmt.Sprint("nodes: ", nodes), "redis-1, redis-2", strings.TrimSuffix(names, ", "))
	return []byte(few.Replace(string(story)))
}

// follows has the properties that are random when mutual exclusion breaks and there are no tokens
// to compare: whether writes of two holders interfere.
var follows = []string{NoStaleWrite, NoLostUpdate}

// broken returns the properties that the lock is known to break in a story. A kind of the walk
// breaks the same as the story of that name, unless the test names the kind itself.
func (s *suite) broken(name string) []string {
	if kind, walks := strings.CutPrefix(name, "walk/"); walks && s.breaks[name] == nil {
		return s.breaks[kind]
	}
	return s.breaks[name]
}

// expect sets the expectations of a plan: the lock keeps every property, unless the test or the
// story says otherwise. If the lock has tokens, the resource compares them.
func (s *suite) expect(p *plan.Plan, name string) {
	p.PlayOnly([]string{s.name})
	if s.fenced {
		p.Workload.Fence = plan.FenceReadsAndWrites
	}
	broken := s.broken(name)
	if len(p.Expect) == 0 || broken != nil {
		p.Expect, s.implied[name] = nil, true
		for _, property := range checker.All() {
			verdict := checker.Kept
			switch {
			case slices.Contains(broken, property.ID):
				verdict = checker.Broken
			case !property.Core, !s.fenced && slices.Contains(broken, MutualExclusion) && slices.Contains(follows, property.ID):
				continue
			}
			p.Expect = append(p.Expect, plan.Expectation{Lock: s.name, Property: property.ID, Verdict: string(verdict)})
		}
	}
	if !s.followed { // which was reported already
		p.Expect = slices.DeleteFunc(p.Expect, func(e plan.Expectation) bool {
			return e.Property == OwnerOnlyRelease
		})
	}
}

// firstError ends a sentence about a lock that was not acquired, with the lock's own error unless
// that says no more than that the time was over.
func (r *result) firstError() string {
	err := r.notes.Refused
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "."
	}
	return ". An error of Acquire: " + err.Error()
}

// unseededPlays limits how often a story is played until it breaks an expected property, if Go's
// scheduler does not follow the seed. One run shows that a lock can break; a run that breaks a
// property unexpectedly is never repeated.
const unseededPlays = 5

// onlyKept reports whether a run missed its expectations only by breaking too little.
func (r *result) onlyKept() bool {
	return r.Err == nil && r.Status() == run.Missed && !slices.ContainsFunc(r.Expected, func(e run.Expected) bool {
		return !e.Met() && e.Got == checker.Broken
	})
}

// story plays one story with all seeds.
func (s *suite) story(t *testing.T, p *plan.Plan) {
	t.Helper()
	s.expect(p, p.Slug)
	var noticed []int // listed faults from which something with an effect was drawn
	for seed := s.seed; seed < s.seed+uint64(s.seeds); seed++ {
		r := s.play(t, p, seed, nil)
		for n := 1; n < unseededPlays && !bubble.Seeded() && r.onlyKept(); n++ {
			r = s.play(t, p, seed, nil)
		}
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if !s.judge(t, p, r) {
			return // other seeds would report the same
		}
		noticed = run.Noticed(noticed, &r.Outcome)
	}
	if idle := run.Idle(p, noticed); len(idle) > 0 && !slices.Contains(s.untested, p.Slug) {
		t.Errorf("inconclusive: with %s, %s. %s", plural(s.seeds, "seed"),
			say.Said.With(run.IdleRemarks(idle)).English(), allowUntested(p.Slug))
	}
}
