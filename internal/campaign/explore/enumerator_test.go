package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// The enumerator shares no code with the walk. It takes every phrase with which a scenario could
// begin a fault, up to an occurrence that never happens, and plays all of them and all pairs. If
// not all faults of a run have acted, it counts as one of fewer faults.

// tiny is a world in which all of them can be played.
type tiny struct {
	lock      string
	templates []tinyTemplate
}

type tinyTemplate struct {
	kind, text string
	client     string // whose moments will do; "" for those of all
	long       string // how long it lasts, if at all
	wire       bool   // only before a request
	on         []string
}

var (
	atServers = []string{"starts waiting", "is about to send any command", "has any command executed", "has the reply of any command",
		"is in its critical section", "is about to write", "releases"}
	atProcess = []string{"starts waiting", "is about to send any command", "sends any command", "has the reply of any command",
		"enters", "is in its critical section", "is about to write", "releases"}
)

// phrases are the moments of a template, in a world with two clients.
func (l *tinyTemplate) phrases() (out []string) {
	for _, c := range []string{"A", "B"} {
		if l.client != "" && l.client != c {
			continue
		}
		for _, p := range l.on {
			most := 1
			if strings.Contains(p, "command") {
				most = 9
			}
			for n := 1; n <= most; n++ {
				out = append(out, fmt.Sprintf("%s %s the %dst time", c, p, n))
			}
		}
	}
	return out
}

// parsed are the faults of one text.
func parsed(t *testing.T, profile scenario.Sketch, items ...string) *plan.Plan {
	t.Helper()
	profile.Faults = items
	_, p, err := profile.Plan()
	must.Do(t, err)
	return p
}

// option is one fault that can be put somewhere.
type option struct {
	template int
	phrase   string
	fault    faults.Fault
}

func (w *tiny) options(t *testing.T, profile scenario.Sketch) (out []option) {
	for i := range w.templates {
		l := &w.templates[i]
		for _, phrase := range l.phrases() {
			out = append(out, option{i, phrase, parsed(t, profile, faultItem(l.text, phrase, 0)).Faults[0]})
		}
	}
	return out
}

// seconds are the faults that can come with another: all at their own moments, and, right after the
// other one begins or ends, those that have a place at moments of other clients only.
func (w *tiny) seconds(t *testing.T, profile scenario.Sketch, all []option, first *option) []option {
	out := slices.Clone(all)
	for i := range w.templates {
		l := &w.templates[i]
		if l.wire {
			continue
		}
		out = append(out, option{i, first.phrase, parsed(t, profile, faultItem(l.text, first.phrase, 0)).Faults[0]})
		if long := w.templates[first.template].long; long != "" {
			text := strings.Replace(faultItem(l.text, first.phrase, 1), "after: 1ns", "after: "+long, 1)
			out = append(out, option{i, first.phrase, parsed(t, profile, text).Faults[0]})
		}
	}
	return out
}

// enumerate returns the minimal sets of up to two kinds by way.
func (w *tiny) enumerate(t *testing.T) [ways][]string {
	v := variant(t, w.lock)
	profile := profiles[0].sketch(&v, 2, 1, false)
	p := parsed(t, profile)
	all := w.options(t, profile)
	found := [ways]map[string]bool{}
	for way := range found {
		found[way] = map[string]bool{}
	}
	play := func(picked ...*option) {
		p.Faults = p.Faults[:0]
		var names []string
		for i, o := range picked {
			f := o.fault
			f.Number = i + 1
			p.Faults = append(p.Faults, f)
			names = append(names, w.templates[o.template].kind)
		}
		slices.SortFunc(names, func(a, b string) int { return faultkind.Index(a) - faultkind.Index(b) })
		s := sim.New()
		defer s.Close()
		h := must.Get(s.Run(p, w.lock, 1))(t)
		for way, broken := range w.broken(h, s.Serves()) {
			if broken {
				found[way][strings.Join(names, "+")] = true
			}
		}
	}
	play()
	for i := range all {
		play(&all[i])
		for _, second := range w.seconds(t, profile, all, &all[i]) {
			if second.template != all[i].template || second.phrase != all[i].phrase || second.fault.Trigger.After > 0 {
				play(&all[i], &second)
			}
		}
	}
	return minimalNames(found)
}

// broken judges by Judge, which applies all checkers to every run.
func (w *tiny) broken(h *history.History, serves bool) (out [ways]bool) {
	j := checker.Judge(h)
	if !j.Untested.Empty() {
		return out
	}
	is := func(id string) bool { return j.Finding(id).Verdict == checker.Broken }
	out[checker.Overlap], out[checker.ForeignRelease], out[checker.NoProgress] = is(checker.MutualExclusionID), is(checker.OwnerOnlyReleaseID), serves && is(checker.ProgressID)
	out[checker.Damage] = is(checker.NoLostUpdateID) || meetsANewerHolder(h)
	return out
}

// meetsANewerHolder is the definition of damage other than a lost update: a write is accepted while
// another client holds that has been granted the lock after the writer, and has read since.
func meetsANewerHolder(h *history.History) bool {
	last := func(before int, kind history.Kind, client history.NodeID) int { // a grant or an acquisition
		for i := before - 1; i >= 0; i-- {
			if e := &h.Events[i]; e.Kind == kind && (e.Owner == client || e.Node == client) {
				return i
			}
		}
		return -1
	}
	for w := range h.Events {
		write := &h.Events[w]
		if write.Kind != history.WriteAccepted {
			continue
		}
		for n := range h.Header.Nodes {
			other := history.NodeID(n + 1)
			at := last(w, history.Acquired, other)
			if h.Role(other) != history.RoleClient || other == write.Peer || at < 0 || h.Events[at].At == write.At {
				continue
			}
			holds, hasRead := true, false
			for _, e := range h.Events[at:w] {
				ends := e.Kind == history.Releasing || e.Kind == history.LostLease || e.Kind == history.Crashed
				holds = holds && !(ends && e.Node == other)
				hasRead = hasRead || e.Kind == history.ReadDone && e.Peer == other
			}
			mine := last(int(write.Cause), history.Acquired, write.Peer)
			if holds && hasRead && (mine < 0 || last(at, history.Granted, other) > last(mine, history.Granted, write.Peer)) {
				return true
			}
		}
	}
	return false
}

func minimalNames(found [ways]map[string]bool) (out [ways][]string) {
	for way := range found {
		out[way] = []string{}
		for name := range found[way] { // order: sorted below
			parts, minimal := strings.Split(name, "+"), true
			for other := range found[way] { // order: does not matter
				if other != name && (other == "" || len(parts) == 2 && slices.Contains(parts, other)) {
					minimal = false
				}
			}
			if minimal {
				out[way] = append(out[way], name)
			}
		}
		slices.Sort(out[way])
	}
	return out
}

func server(kind, text string) tinyTemplate {
	return tinyTemplate{kind: kind, text: text, on: atServers}
}

func tinies() []tiny {
	process := func(kind, text, client, long string) tinyTemplate {
		return tinyTemplate{kind: kind, text: text, client: client, long: long, on: atProcess}
	}
	before := []string{"is about to send any command"}
	return []tiny{
		{"set-wait-1of2", []tinyTemplate{
			server("server-clock", "jump-clock: redis-1; by: -11s"), server("fail-over", "fail-over: operator"),
		}},
		{"watchdog-lua", []tinyTemplate{
			process("cut", "partition: [A, redis-2]; for: 12s", "A", "12s"), server("promote", "promote: replica"),
		}},
		{"set-nx-ex-del", []tinyTemplate{
			server("evict", "evict: lock"), process("pause-short", "pause: A; for: 5s", "A", "5s"),
			{kind: "lost-request", text: "drop: request", client: "A", wire: true, on: before},
			{kind: "lost-request", text: "drop: request", client: "B", wire: true, on: before},
		}},
	}
}

// Two of these are traps: a step of the clock leaves no trace in the history, and neither does a
// cut that no message has met yet, so runs with equal histories may go on differently.
func TestTheWalkFindsWhatADumbEnumeratorFinds(t *testing.T) {
	for _, w := range tinies() {
		t.Run(w.lock, func(t *testing.T) {
			want := w.enumerate(t)
			o := options(t, w.lock, 2)
			o.In = []string{plainProfile}
			o.keep = func(l *faultTemplate) bool {
				return slices.ContainsFunc(w.templates, func(x tinyTemplate) bool {
					return x.text == l.text && x.kind == kindNames[l.kind] &&
						(x.client == "" || l.who >= 0 && x.client == string(rune('A'+l.who)))
				})
			}
			s := walked(t, o)
			sum := 0
			for _, way := range checker.Ways() {
				got := sets(s, way)
				slices.Sort(got)
				if !slices.Equal(got, want[way]) {
					t.Errorf("%s: %q, the enumerator %q", way, got, want[way])
				}
				sum += len(want[way])
			}
			if sum == 0 {
				t.Error("nothing breaks in this profile: it compares nothing")
			}
			t.Logf("%q", want)
		})
	}
}
