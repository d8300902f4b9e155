package explore

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

func world() World { return worldOf(true) }

func worldOf(wordless bool) World {
	w := sim.New()
	w.Reserve(sim.MaxRecorded - MostEvents)
	w.MaxBackToBackRequests = MaxBackToBackRequests
	w.OmitText = wordless
	return w
}

func variant(t testing.TB, id string) locks.Variant {
	t.Helper()
	v, ok := locks.Lookup(id)
	if !ok {
		t.Fatal("no lock " + id)
	}
	return v
}

func newWork(t testing.TB) *campaign.Work {
	t.Helper()
	return must.Get(campaign.NewWork("", "explore", nil, nil))(t)
}

// options are those of a walk of one lock with two clients of one round each.
func options(t testing.TB, lock string, faults int, only ...string) Options {
	t.Helper()
	return Options{Locks: []locks.Variant{variant(t, lock)}, Faults: faults, Clients: 2, Rounds: 1, Only: only, Jobs: 1, Worlds: world}
}

// walked walks to the end.
func walked(t testing.TB, o Options) *State {
	t.Helper()
	return must.Get(Walk(t.Context(), o))(t)
}

// sets are the minimal sets of one way, each as one text.
func sets(s *State, way checker.Way) []string {
	out := []string{}
	for _, f := range s.Locks[0].minimal(way) {
		out = append(out, strings.Join(f.Kinds.names(), "+"))
	}
	return out
}

func resultOf(t testing.TB, s *State, o Options) *results.Explored {
	t.Helper()
	return must.Get(s.Result(&o))(t)
}

// asText is a result as it is stored.
func asText(t testing.TB, r *results.Explored) string {
	t.Helper()
	return string(must.Get(r.JSON(""))(t))
}

// resultText is the result as text.
func resultText(t testing.TB, s *State, o Options) string {
	t.Helper()
	return asText(t, resultOf(t, s, o))
}

// The walk finds the known defects of locks.
func TestFindsWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name, lock string
		faults     int
		in         string
		way        checker.Way
		kinds      string
		only       []string
	}{
		{"a lock in a queue is lost by a short pause and a session that is ended", "zk-sequential", 2, "plain", checker.Overlap,
			"pause-short+evict", []string{"pause-short", "evict"}},
		{"a pause outlives session and lock delay", "consul-session", 1, "plain", checker.Overlap, "pause", []string{"pause"}},
		{"a late release of one's own earlier round frees the next one", "etcd-mutex", 1, "twice", checker.Overlap,
			"late-release-short", []string{"late-release-short"}},
		{"a database ends a silent session", "pg-advisory", 1, "idle-sessions", checker.Overlap, "slow", []string{"slow"}},
		{"a split heals while the holder works", "set-nx-lua-cluster", 1, "plain", checker.Overlap, "split-short", []string{"split-short"}},
		{"a clock runs 15 % fast", "set-nx-lua", 1, "just-within", checker.Overlap, "clock-rate", []string{"clock-rate"}},
		{"a node forgets what another one has never heard", "redlock", 2, "plain", checker.Overlap, "lost-request+restart",
			[]string{"lost-request", "restart"}},
		{"replication falls behind, and the primary dies before a retry", "set-wait-unchecked", 2, "just-within", checker.Overlap,
			"fail-over+lag", []string{"lag", "fail-over"}},
		{"a blind DEL", "setnx-expire", 1, "release-again", checker.ForeignRelease, "late-release", []string{"late-release"}},
	} {
		o := options(t, tt.lock, tt.faults, tt.only...)
		o.In = []string{tt.in}
		s := walked(t, o)
		if got := sets(s, tt.way); !slices.Contains(got, tt.kinds) {
			t.Errorf("%s: %s of %s: %v, want %s among them", tt.name, tt.way, tt.lock, got, tt.kinds)
		}
		for _, st := range s.Locks[0].Stages {
			if len(st.Doubts) > 0 {
				t.Errorf("%s: %v", tt.name, st.Doubts)
			}
		}
	}
}

// Locks do not break in ways that they exclude.
func TestNone(t *testing.T) {
	for _, tt := range []struct {
		lock   string
		faults int
		way    checker.Way
		only   []string
	}{
		{"set-nx-lua", 2, checker.NoProgress, []string{"fail-over"}}, // two of them leave no server
		{"set-nx-lua", 1, checker.ForeignRelease, []string{"pause", "late-release", "evict", "lost-reply", "crash"}},
		{"redlock-fsync", 1, checker.Overlap, []string{"crash", "restart", "lost-request", "host"}},
		{"consul-session", 1, checker.Overlap, []string{"pause-short", "cut-short", "crash"}},
	} {
		o := options(t, tt.lock, tt.faults, tt.only...)
		o.In = []string{plainProfile, "twice"}
		s := walked(t, o)
		if got := sets(s, tt.way); len(got) > 0 {
			t.Errorf("%s of %s: %v, want none", tt.way, tt.lock, got)
		}
		if s.Walked() < 200 || s.Locks[0].complete(tt.faults) != tt.faults {
			t.Errorf("%s: %d schedules, complete %d", tt.lock, s.Walked(), s.Locks[0].complete(tt.faults))
		}
	}
}

// Of a lock that breaks without a fault no other set is minimal.
func TestBreaksWithoutAFault(t *testing.T) {
	s := walked(t, options(t, "lit-unchecked", 1, "pause", "crash"))
	if got := sets(s, checker.Overlap); !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("%q", got)
	}
	o := options(t, "lit-unchecked", 1, "pause", "crash")
	if text := resultText(t, s, o); !strings.Contains(text, `"overlap":[{"kinds":[],"story":0}]`) {
		t.Errorf("%.2000s", text)
	}
}

// All schedules of several faults are walked in the plain profile and in just-within; where no
// client gets the lock in the plain one, among clients that try for a shorter time. A lock that
// breaks in another way without a fault is walked in the plain profile only. Where profiles are
// named, all are walked in each of them.
func TestWhereSeveralFaultsComeTogether(t *testing.T) {
	for _, tt := range []struct{ lock, only, in, profiles, pairs string }{
		{"pg-advisory", "late-release", "", "plain twice just-within long-work patient-replies little-patience release-again nested three-clients idle-sessions", "plain just-within"},
		{"lit-s3-integer", "promote", "", "plain short-wait", "short-wait"},
		{"lit-unchecked", "lost-reply", "", "plain", "plain"},
		{"lit-unchecked", "lost-reply", "twice", "twice", "twice"},
		{"set-nx-lua", "lost-reply", "twice five-nodes just-within", "twice just-within", "twice just-within"},
		{"lit-s3-integer", "promote", "short-wait", "short-wait", "short-wait"},
		{"set-nx-lua", "lost-reply", "short-wait", "", ""},
	} {
		o := options(t, tt.lock, 2, tt.only)
		if tt.in != "" {
			o.In = strings.Fields(tt.in)
		}
		l := walked(t, o).Locks[0]
		var pairs []string
		for _, st := range l.Stages {
			if st.Faults == 2 {
				pairs = append(pairs, st.Profile)
			}
		}
		if profiles, pairs := strings.Join(l.Profiles, " "), strings.Join(pairs, " "); profiles != tt.profiles || pairs != tt.pairs {
			t.Errorf("%s is walked in %q, its pairs in %q; want %q and %q", tt.lock, profiles, pairs, tt.profiles, tt.pairs)
		}
	}
}

// Whether the resource checks tokens, and that no client gets the lock, is taken from the plain
// profile even where that is not walked. A stage that was not begun is not complete.
func TestTheProfilesThatAreNamed(t *testing.T) {
	o := options(t, "redisson-fenced", 1, "pause")
	o.In = []string{"twice"}
	s := walked(t, o)
	if got := sets(s, checker.Damage); len(got) > 0 || len(sets(s, checker.Overlap)) == 0 {
		t.Errorf("damage by %q, although the resource checks tokens; two believe by %q", got, sets(s, checker.Overlap))
	}
	o = options(t, "lit-s3-integer", 1, "promote")
	o.In = []string{"short-wait"}
	if got := sets(walked(t, o), checker.NoProgress); !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("stuck by %q, want no fault", got)
	}
	o = options(t, "pg-advisory", 2, "late-release")
	o.Refuse = func(p *plan.Plan, _ string) error {
		if p.Workload.Repeat < 2 {
			return errors.New("one round only")
		}
		return nil
	}
	if l := walked(t, o).Locks[0]; len(l.Together) > 0 || l.complete(2) != 1 || !slices.Contains(l.Profiles, "twice") {
		t.Errorf("without the plain profile: %q, together in %q, complete up to %d", l.Profiles, l.Together, l.complete(2))
	}
	o = options(t, "set-nx-lua", 2, "lost-reply")
	o.In = []string{"twice", "just-within"}
	half := walked(t, o).Locks[0]
	half.Stages = slices.DeleteFunc(half.Stages, func(st *stage) bool { return st.Faults == 2 && st.Profile == "just-within" }) // not begun
	if half.complete(2) != 1 {
		t.Errorf("complete up to %d, and pairs were walked in one profile of two", half.complete(2))
	}
}

// Workers, interruptions and earlier walks change no byte.
func TestTheSameBytes(t *testing.T) {
	o := options(t, "redlock", 2, "restart", "lost-request")
	o.Locks, o.In = append(o.Locks, variant(t, "setnx")), []string{plainProfile}
	o.keep = func(l *faultTemplate) bool {
		return !strings.Contains(l.text, "redis-3") && !strings.Contains(l.text, "12s")
	}
	want := resultText(t, walked(t, o), o)
	many := o
	many.Jobs = 3
	if got := resultText(t, walked(t, many), many); got != want {
		t.Errorf("three workers:\n%s\nwant\n%s", got, want)
	}
	file := filepath.Join(t.TempDir(), "walk")
	work := newWork(t)
	played := 0
	open := func() *campaign.Results {
		return must.Get(campaign.Open(file, work, 0))(t)
	}
	interruptions := 0
	for stop := 10; ; stop += 30 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		part := many
		part.Kept = open()
		part.Progress = func(Progress) {
			played++
			if n++; n == stop {
				cancel()
			}
		}
		s, err := Walk(ctx, part)
		cancel()
		must.Do(t, part.Kept.Close())
		if err != nil && !s.Complete(&o) {
			interruptions++
			continue
		}
		if got := resultText(t, s, o); got != want || interruptions < 3 {
			t.Errorf("after %d interruptions:\n%s\nwant\n%s", interruptions, got, want)
		}
		break
	}

	// All of it is kept: nothing is played again, and the result is the same.
	again := many
	again.Kept, again.AsIs = open(), true
	again.Progress = func(Progress) { t.Error("a schedule is played that is kept") }
	defer again.Kept.Close()
	if again.Kept.Len() != played {
		t.Errorf("%d pieces of work were played, and %d are kept", played, again.Kept.Len())
	}
	if got := resultText(t, walked(t, again), o); got != want {
		t.Errorf("as it is kept:\n%s\nwant\n%s", got, want)
	}
	again.AsIs = false
	if got := resultText(t, walked(t, again), o); got != want {
		t.Errorf("gone on with what is kept:\n%s\nwant\n%s", got, want)
	}
}

// A shard has found fewer sets in plainer profiles than one machine, so what they keep of one piece
// of work may differ. All fits in one file, and the result is that of one machine.
func TestShardsAreJoinedWithAWholeWalk(t *testing.T) {
	o := options(t, "watchdog-lua", 2, "fail-over", "lost-reply", "pause-short")
	work := newWork(t)
	kept := func() *campaign.Results { return campaign.NewResults(work, 0) }
	whole := o
	whole.Kept = kept()
	want := resultText(t, walked(t, whole), o)

	shards, both := kept(), whole.Kept
	differ := 0
	const of = 5
	for k := 1; k <= of; k++ {
		one := o
		one.Kept, one.Shard = kept(), campaign.Shard{Number: k, Of: of}
		walked(t, one)
		for _, line := range whole.Kept.Lines() { // they decide which pairs are searched
			if strings.Contains(line.Key, "/1/") && one.Kept.Get(line.Key) == nil {
				t.Errorf("shard %d has not walked %s", k, line.Key)
			}
		}
		for _, line := range one.Kept.Lines() {
			if both.Get(line.Key) == nil {
				differ++
			}
			must.Do(t, errors.Join(shards.Put(line), both.Put(line)))
		}
	}
	if differ == 0 {
		t.Error("all shards kept the same as one machine")
	}
	for name, kept := range map[string]*campaign.Results{"shards": shards, "shards and a whole walk": both} {
		again := o
		again.Kept, again.AsIs = kept, true
		if s := walked(t, again); !s.Complete(&o) || resultText(t, s, o) != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, resultText(t, s, o), want)
		}
	}
}

// The best-known counterexample of Redlock: clocks of servers are stepped, and a majority forgets.
// The walk finds it soon and with a short story.
func TestRedlockAndTheClocks(t *testing.T) {
	o := options(t, "redlock", 2, "server-clock")
	o.In = []string{plainProfile}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	walk := &walk{o: &o, state: &State{Scope: o.scope()}}
	s := walk.state
	o.Progress = func(Progress) {
		if len(s.Locks[0].Found) > 0 {
			stop()
		}
	}
	if err := walk.walk(ctx); err == nil {
		t.Fatal("nothing was found")
	}
	if n := s.Walked(); n > 15_000 {
		t.Errorf("found after %d schedules", n)
	} else {
		t.Logf("found after %d schedules", n)
	}
	r := resultOf(t, s, o)
	data := must.Get(Scenario(&r.Scope, "redlock", &r.Locks[0].Breaks["overlap"][0].Shown))(t)
	p := scenariotest.Parse(t, "", string(data))
	w := worldOf(false)
	defer w.Close()
	h := must.Get(w.Play(t.Context(), p, "redlock", 1))(t)
	steps := explain.Steps(timeline.Of(h), checker.Judge(h).Findings)
	if len(steps) > 15 {
		t.Errorf("%d steps", len(steps))
	}
	for _, x := range steps {
		t.Log(x.At, x.Sentence.English(), x.Note.English())
	}
}
