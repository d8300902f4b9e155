package sim

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// inVain plays a lock and returns the numbers of the faults that had no effect, according to the
// history.
func inVain(t *testing.T, p plan.Plan, lock string) string {
	t.Helper()
	h := play(t, &p, lock, 1)
	var out []int64
	for _, e := range h.Events {
		if e.Kind == history.WithoutEffect {
			out = append(out, e.Value)
		}
	}
	return fmt.Sprint(out)
}

// Package conformance has the counterpart: faults that have an effect.
func TestAFaultThatChangesNothingIsNamed(t *testing.T) {
	inSection, once := first(faults.InSection), faults.End{}
	second := faults.End{For: time.Second}
	late := faults.Trigger{At: 1500 * time.Millisecond} // A has played, B works
	tests := []struct {
		name string
		lock string // set-nx-lua when empty
		all  []faults.Fault
		want string
	}{
		{"a pause of 1 ns", "", []faults.Fault{verb("pause", 1, "A", inSection, faults.End{For: 1})}, "[1]"},
		{"a pause of a dead client", "", []faults.Fault{
			verb("crash", 1, "A", inSection, once), verb("pause", 2, "A", inSection, second)}, "[2]"},
		{"a pause of a client that has finished", "", []faults.Fault{
			verb("pause", 1, "A", faults.Trigger{Moment: faults.Releases, Subject: "A", Nth: 1, After: 500 * time.Millisecond}, second)}, "[1]"},
		{"a second crash", "", []faults.Fault{verb("crash", 1, "A", inSection, once), verb("crash", 2, "A", inSection, once)}, "[2]"},
		{"a restart of a dead client", "", []faults.Fault{
			verb("crash", 1, "A", inSection, once), verb("restart", 2, "A", inSection, once)}, "[]"},
		{"the loss of a dead client's host", "", []faults.Fault{verb("crash", 1, "A", inSection, once), verb("lose-host", 2, "A", inSection, once)}, "[2]"},
		{"the loss of a host of a client that has finished", "", []faults.Fault{verb("lose-host", 1, "A", late, once)}, "[1]"},
		{"a restart on a lost host", "", []faults.Fault{verb("lose-host", 1, "A", inSection, once), verb("restart", 2, "A", inSection, once)}, "[2]"},
		{"a server that is back when no client plays any more", "redlock", []faults.Fault{
			verb("crash", 1, "redis-1", inSection, once), restartOf(2, "redis-1", time.Minute, late),
			verb("crash", 3, "redis-2", inSection, once), verb("crash", 4, "redis-3", inSection, once)}, "[2]"},
		{"a server that is back while a client plays", "redlock", []faults.Fault{
			verb("crash", 1, "redis-1", inSection, once), restartOf(2, "redis-1", time.Millisecond, late)}, "[]"},
		{"a pause of the holder, and no client has held", "", []faults.Fault{verb("pause", 1, faults.TheHolder, faults.Trigger{}, second)}, "[1]"},
		{"a cut of the holder, and no client has held", "", []faults.Fault{cutOff(faults.TheHolder, faults.TheStore, faults.Trigger{}, second)}, "[1]"},
		{"a cut between clients, which never talk", "", []faults.Fault{cutOff("A", "B", inSection, second)}, "[1]"},
		{"a cut when no client plays", "", []faults.Fault{cutOff("A", faults.TheStore, late, second)}, "[1]"},
		{"a cut that ends while A works", "", []faults.Fault{cutOff("A", faults.TheStore, inSection, faults.End{For: 900 * time.Millisecond})}, "[1]"},
		{"a cut between nodes that know nothing of each other", "redlock", []faults.Fault{cutOff("redis-1", "redis-2", inSection, second)}, "[1]"},
		{"a cut between members of a cluster", "etcd-txn", []faults.Fault{cutOff("etcd-1", "etcd-2", inSection, second)}, "[]"},
		{"a lost reply to a lost request", "", []faults.Fault{
			verb("drop", 1, "request", onWire(faults.AboutToSend, "SET"), once),
			verb("drop", 2, "reply", onWire(faults.AboutToSend, "SET"), once)}, "[2]"},
		{"a late reply to a lost request", "", []faults.Fault{
			verb("drop", 1, "request", onWire(faults.AboutToSend, "SET"), once),
			timed("delay", 2, "reply", onWire(faults.AboutToSend, "SET"), once)}, "[2]"},
		{"longer work after the work", "", []faults.Fault{timed("slow", 1, "A", first(faults.Writes), once)}, "[1]"},
		{"longer work of a waiting client", "", []faults.Fault{timed("slow", 1, "B", first(faults.InSection), once)}, "[]"},
		{"longer work of a resting client", "", []faults.Fault{timed("slow", 1, "A", faults.Trigger{Moment: faults.Writes, Subject: "A", Nth: 1, After: 100 * time.Millisecond}, once)}, "[1]"},
		{"a task that hangs after its work", "", []faults.Fault{verb("hang", 1, "A", first(faults.Writes), once)}, "[1]"},
		{"an eviction of nothing", "", []faults.Fault{verb("evict", 1, "", faults.Trigger{}, once)}, "[1]"},
		{"lag without a replica", "", []faults.Fault{timed("lag", 1, "", inSection, second)}, "[1]"},
		{"a replica that is not there", "", []faults.Fault{verb("promote", 1, "replica", inSection, once)}, "[1]"},
		{"a clock of a client that has finished", "", []faults.Fault{timed("jump-clock", 1, "A", late, once)}, "[1]"},
	}
	for _, tt := range tests {
		p := story(tt.all[0])
		p.Faults = tt.all
		p.Workload.Retry = 100 * time.Millisecond
		if got := inVain(t, p, cmp.Or(tt.lock, "set-nx-lua")); got != tt.want {
			t.Errorf("%s: without effect %s, want %s", tt.name, got, tt.want)
		}
	}
}

// timed is a fault whose one duration is a second.
func timed(name string, number int, target string, at faults.Trigger, end faults.End) faults.Fault {
	return lasting(name, number, target, time.Second, at, end)
}

// cutOff is a partition of two nodes.
func cutOff(a, b string, t faults.Trigger, end faults.End) faults.Fault {
	return apart(1, t, end.For, []string{a}, []string{b})
}
