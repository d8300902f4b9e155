package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/timeline"
)

// inBesideA is the finding that B got in while A held the lock.
func (t *tape) inBesideA() checker.Finding {
	b := t.h.Node("B")
	var at history.Instant
	for _, hold := range history.Holds(t.h) {
		if hold.Client == b {
			at = hold.Start
		}
	}
	return breaks(checker.MutualExclusionID, at, at, []history.NodeID{b, t.h.Node("A")})
}

// Each way to let a second client in has an assumption of its own, and its events decide.
func TestEachWayToFailHasItsAssumption(t *testing.T) {
	const lag = 500 * time.Millisecond
	for _, tt := range []struct {
		name    string
		give    string
		assumed string
		formula string
		decides string // kinds of the events, as a story would show them
	}{
		{"renewals that do not arrive", `0.002 A acquires; 3 A renews; 4 A fault-began value=1
			6 A asks 14 EVAL renew lock A; 13 redis-1 expired owner=A; 13.05 B acquires`,
			"A's renewals reach the store before its lease ends.",
			"renew script sent at 6.000 s, executed at 14.000 s > end of the lease at 13.000 s",
			"fault-began expired"},
		{"the first renewal already", `0.002 A acquires; 3 A asks never EVAL renew lock A
			10.002 redis-1 expired owner=A; 10.05 B acquires; 13 B renews`,
			"A's renewals reach the store before its lease ends.",
			"renew script sent at 3.000 s never arrives; the lease ends at 10.002 s",
			"expired"},
		{"what is lost is no renewal", `0.002 A acquires; 3 A asks never GET lock
			10.002 redis-1 expired owner=A; 10.05 B acquires; 12 A releasing`,
			"A finishes its work before its lease ends.",
			"held for 11.998 s since the grant > lease 10.000 s",
			"expired"},
		{"renewals that stop", `0.002 A acquires; 3 A renews; 13 redis-1 expired owner=A
			13.05 B acquires; 20 A releasing`,
			"A renews its lease until its work is done.",
			"held for 17.000 s since the last renewal > lease 10.000 s",
			"extended expired"},
		{"a reply that uses up the lease", `0.002 redis-1 grants A; 2.502 A acquired
			10.002 redis-1 expired owner=A; 10.05 B acquires; 10.502 A releasing`,
			"A learns of its grant early enough to finish its work.",
			"reply 2.500 s after the grant + held for 8.000 s > lease 10.000 s",
			"granted expired"},
		{"pauses that use up the lease", `0.002 A acquires; 1 A froze value=1; 4 A thawed value=1
			10.002 redis-1 expired owner=A; 10.05 B acquires; 11.002 A releasing`,
			"A pauses for no longer than its work leaves of the lease.",
			"paused for 3.000 s + 8.000 s without it > lease 10.000 s",
			"froze expired"},
		{"a pause after a renewal", `0.002 A acquires; 5 A renews; 5.06 A froze value=1
			15 redis-1 expired owner=A; 15.03 B acquires; 20.06 A thawed value=1`,
			"A never pauses for longer than the rest of its lease.",
			"pause 15.000 s > lease 10.000 s - 0.060 s spent",
			"froze expired"},
		{"a check, a pause, a write", `0.002 A acquires; 4 A froze value=1
			10.002 redis-1 expired owner=A; 10.05 B acquires; 16 A thawed value=1; 16 A lost-lease
			16.002 resource write-accepted peer=A value=1`,
			"A's check of its lease and its write are one step.",
			"pause 12.000 s between the two: A writes at 16.002 s > end of the lease at 10.002 s",
			"froze expired"},
		{"told too late", `0.002 A acquires; 10.002 redis-1 expired owner=A; 10.05 B acquires
			10.6 A lost-lease`,
			"A learns of its loss before another client gets the lock.",
			"lease over at 10.002 s, B inside at 10.051 s, A told at 10.600 s",
			"expired lost-lease"},
		{"its own late command", `0.002 A acquires; 1 A releasing
			1 A sent peer=redis-1 as=late text=DEL lock; 5 A acquired
			7 redis-1 executed peer=A cause=late as=done; 7 redis-1 removed owner=A peer=A cause=done
			7.05 B acquires`,
			"A's own commands remove its entry only when A is done.",
			"DEL sent at 1.000 s removes it at 7.000 s; A has been inside since 5.000 s",
			"removed"},
		{"a missing copy is not to blame for another server's lease", `servers redis-1 redis-2
			0.001 redis-2 promoted peer=redis-1; 0.005 redis-2 grants A; 2.505 A acquired
			3 redis-1 grants A; 10.005 redis-2 expired owner=A; 10.05 redis-2 admits B; 10.6 A releasing`,
			"A learns of its grant early enough to finish its work.",
			"reply 2.500 s after the grant + held for 8.095 s > lease 10.000 s",
			"granted expired"},
		{"this hold does not rest on the copy of the one before", `servers redis-1 redis-2
			0.002 A acquires; 0.02 redis-2 copies A; 0.1 redis-2 promoted peer=redis-1; 1 A releases
			2 A acquires; 10.002 redis-2 expired owner=A; 10.05 redis-2 admits B`,
			"There is only one primary at a time.",
			"redis-1 granted the entry at 2.000 s, redis-2 has been the primary since 0.100 s",
			"granted promoted"},
		{"promoted too early", `servers redis-1 redis-2; 0.002 A acquires
			0.062 redis-2 promoted peer=redis-1; 0.07 redis-2 admits B`,
			"A new primary knows every entry of the old one.",
			"entry created 0.060 s before redis-2 was promoted, and not replicated",
			"promoted"},
		{"the old primary forgets", `servers redis-1 redis-2; 0.002 A acquires
			0.062 redis-2 promoted peer=redis-1; 0.08 redis-1 forgotten owner=A
			0.08 redis-1 demoted peer=redis-2; 0.09 redis-2 admits B`,
			"A primary that becomes a replica keeps what it has confirmed.",
			"entry created at 0.002 s, redis-1 follows redis-2 since 0.080 s",
			"demoted"},
		{"a crash before the copy", `servers redis-1 redis-2; 0.002 A acquires; 0.302 A renews
			0.402 redis-1 crashed value=1; 0.602 redis-2 promoted peer=redis-1; 0.701 B acquired`,
			"What the primary has confirmed outlives the primary.",
			"entry created 0.400 s before the crash < replication lag 0.500 s",
			"crashed"},
		{"a crash whose loss shows later", `servers redis-1 redis-2; 0.002 A acquires
			0.102 redis-1 crashed value=1; 5 redis-1 forgotten owner=A; 5.1 B acquired`,
			"What the primary has confirmed outlives the primary.",
			"entry created 0.100 s before the crash < replication lag 0.500 s",
			"crashed"},
		{"the copy is on the wrong replica", `servers redis-1 redis-3 redis-2; 0.002 A acquires
			0.05 redis-2 copies A; 0.1 redis-1 crashed value=1; 0.6 redis-3 promoted peer=redis-1
			0.7 redis-3 admits B`,
			"What the primary has confirmed outlives the primary.",
			"the entry was on redis-2, and another replica became the primary",
			"crashed"},
		{"a restart that forgets", `0.002 A acquires; 0.05 redis-1 crashed
			0.55 redis-1 forgotten owner=A; 0.55 redis-1 restarted; 0.6 B acquires`,
			"What the store has confirmed survives its restart.",
			"entry created at 0.002 s, redis-1 back without it at 0.550 s",
			"restarted"},
		{"of several servers those count that let the newest in", `servers redis-1 redis-2 redis-3
			0.002 redis-1 grants A; 0.003 redis-2 admits A; 0.9 redis-2 forgotten owner=A
			1 redis-2 restarted; 1.5 redis-1 removed owner=A; 1.6 redis-1 grants C; 2 redis-2 grants B
			2.001 redis-3 admits B`,
			"What the store has confirmed survives its restart.",
			"entry created at 0.003 s, redis-2 back without it at 1.000 s",
			"restarted"},
		{"a restart that keeps the entry is not to blame", `0.002 A acquires; 0.05 redis-1 crashed
			0.55 redis-1 restarted; 10.002 redis-1 expired owner=A; 12 B acquires`,
			"A finishes its work before its lease ends.",
			"held for 11.999 s since the grant > lease 10.000 s",
			"expired"},
		{"a lease that ends under another leader", `servers etcd-1 etcd-2; 0.002 etcd-1 admits A
			0.05 etcd-1 crashed; 1.05 etcd-2 promoted peer=etcd-1; 12 etcd-2 expired owner=A
			12.002 etcd-2 admits B`,
			"A finishes its work before its lease ends.",
			"held for 12.001 s since the grant > lease 10.000 s",
			"expired"},
		{"an eviction", "0.002 A acquires; 1.002 redis-1 removed owner=A; 1.01 B acquires",
			"The store keeps an entry until its lease ends or its owner releases it.",
			"dropped 1.000 s after the grant, 9.000 s before the end of its lease",
			"removed"},
		{"a clock step before the renewal", `0.002 A acquires; 1 redis-1 clock-changed lasts=4s
			2 A renews; 9 redis-1 expired owner=A; 9.05 B acquires`,
			"The store's clock runs as fast as true time.",
			"lease 10.000 s ended after 7.000 s",
			"expired"},
		{"a clock step after the renewal", `0.002 A acquires; 2 A renews
			9 redis-1 clock-changed lasts=4s; 9 redis-1 expired owner=A; 9.05 B acquires`,
			"The store's clock runs as fast as true time.",
			"clock step 4.000 s > lease 10.000 s - 7.000 s spent",
			"clock-changed expired"},
		{"clocks that step while the request is on its way", `0.001 A sent peer=redis-1 as=sent shows=0.001 text=SETNX lock x
			0.0015 A clock-changed lasts=12s shows=12.0015; 0.002 redis-1 executed peer=A cause=sent as=done
			0.002 redis-1 granted owner=A peer=A cause=done; 0.003 A acquired shows=12.003
			0.9 B waits shows=12.9; 1 B replaces GETSET lock x`,
			"The clocks of B and A agree.",
			"B's clock is ahead of A's by 12.000 s; B's GETSET at 1.000 s ends A's entry, " +
				"which is 0.998 s old",
			"clock-changed granted"},
		{"clocks that disagree", `0.002 A acquires forever; 0.9 B waits shows=12.9
			1 B replaces GETSET lock x`,
			"The clocks of B and A agree.",
			"B's clock is ahead of A's by 12.000 s; B's GETSET at 1.000 s ends A's entry, " +
				"which is 0.998 s old",
			"granted"},
		{"a record whose time is over", `0.002 A acquires forever; 1 A froze value=1; 9 B waits shows=9
			10.1 B replaces GETSET lock x; 16 A thawed value=1`,
			"A never pauses for longer than the rest of its lease.",
			"pause 15.000 s > lease 10.000 s - 0.998 s spent",
			"froze granted"},
		{"the other's entry is still there", `0.002 A acquires
			1 redis-1 granted owner=B peer=B lasts=10s text=lock/B; 1.001 B acquired`,
			"B gets the lock only when A's entry is gone.",
			"A's entry of 0.002 s still exists at 1.001 s, when B gets in",
			"granted"},
		{"no entry at all", "0.002 A acquires; 1.001 B acquired",
			"B holds the lock only if the store has its entry.",
			"B has been inside since 1.001 s, but the store never granted it the lock",
			""},
		{"a lease that is too short", `0.002 redis-1 granted owner=A lasts=10ms; 0.003 A acquired
			0.012 redis-1 expired owner=A; 0.05 B acquires`,
			"An entry lasts as long as the requested lease.",
			"A's entry was made to last 0.010 s; the lease is 10.000 s",
			"granted expired"},
		{"no store in the history", "0.002 A acquired; 0.02 B acquired", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(tt.give, pauseFault)
			got := Assumption(timeline.Of(give.h), []checker.Finding{give.inBesideA()}, lag)
			if got.Assumed.English() != tt.assumed || got.Formula.English() != tt.formula {
				t.Errorf("got  %s %s\nwant %s %s",
					got.Assumed.English(), got.Formula.English(), tt.assumed, tt.formula)
			}
			for _, kind := range strings.Fields(tt.decides) {
				if !slices.ContainsFunc(got.Events, func(i int32) bool {
					return give.h.Events[i].Kind.String() == kind
				}) {
					t.Errorf("no event of the kind %s decides: %v", kind, got.Events)
				}
			}
		})
	}
}

// Other findings have assumptions, too; a history in which nothing broke has none.
func TestAssumptionsOfOtherFindings(t *testing.T) {
	tests := []struct{ name, give, property, want string }{
		{"a removal by the wrong client", `0.002 A acquires; 10.002 redis-1 expired owner=A; 10.05 B acquires
			12 A sent peer=redis-1 as=DEL text=DEL lock; 12.102 redis-1 removed owner=B peer=A cause=DEL as=decides`,
			checker.OwnerOnlyReleaseID, "DEL at 12.102 s > own entry's end at 10.002 s (2.100 s later)"},
		{"A gets in beside B when its lease is over",
			"0.002 redis-1 grants A; 10.002 redis-1 expired owner=A; 10.05 B acquires; 12.002 A acquired as=decides",
			checker.MutualExclusionID, "reply 12.000 s after the grant > lease 10.000 s"},
		{"nothing broke", "", "", ""},
	}
	for _, tt := range tests {
		give := newTape(tt.give)
		var findings []checker.Finding
		if tt.property != "" {
			clients := []history.NodeID{give.h.Node("A"), give.h.Node("B")}
			end := give.h.End()
			findings = append(findings, breaks(tt.property, end, end, clients, give.Event("decides")))
		}
		must.Equalf(t, Assumption(timeline.Of(give.h), findings, 0).Formula.English(), tt.want,
			"%s", tt.name)
	}
}

// A stuck lock is explained by what all clients wait for, and why that stays.
func TestStuckHasAWhy(t *testing.T) {
	for _, tt := range []struct {
		name string
		give string
		want string
	}{
		{"an entry that is never removed", `0.002 A acquires forever; 0.009 A releasing
			3.009 A release-failed`,
			"all wait for A's entry of 0.002 s, which never expires; A's release failed at 3.009 s"},
		{"the head of a queue", `0.002 A acquires forever; 0.009 A crashed
			0.5 redis-1 granted owner=B peer=B text=lock/B; 20 B gave-up`,
			"all wait for A's entry of 0.002 s, which never expires; A crashed at 0.009 s"},
		{"one that comes when its client has given up", `0.001 A gave-up
			0.5 redis-1 granted owner=A peer=A`,
			"all wait for A's entry of 0.500 s, which never expires; A gave up at 0.001 s"},
		{"a holder that hangs", "0.002 A acquires; 55 A renews",
			"all wait for A, which has been inside since 0.003 s; its lease was renewed once"},
		{"renewals without a hold", "0.002 A acquires; 1 A lost-lease; 3 A renews; 55 A renews",
			"all wait for A's entry of 0.002 s; A renews it 2 times, last at 55.000 s; " +
				"A was told at 1.000 s that it had lost the lock"},
		{"another's renewals", `0.002 A acquires; 1 A crashed; 54.999 B asks 55 as=done EXPIRE lock 10
			55 redis-1 extended owner=A peer=B cause=done lasts=10s`,
			"all wait for A's entry of 0.002 s; B's EXPIRE extends it, last at 55.000 s"},
		{"a lease without measure", "0.002 redis-1 granted owner=A lasts=10000s; 0.009 A crashed",
			"A's entry was made to last 10000.000 s; the lease is 10.000 s"},
		{"the server is down", "0.002 A acquires; 0.009 redis-1 crashed", "the store is down since 0.009 s"},
		{"a removal that is undone", `servers redis-1 redis-2; 0.002 A acquires; 0.02 redis-2 copies A
			1 A releases; 1.002 redis-2 promoted peer=redis-1`,
			"all wait for A's entry, removed on redis-1 at 1.001 s; " +
				"redis-2 had a copy when promoted at 1.002 s"},
		{"no entry is in the way, and no waiter is notified", `0.002 A acquires; 1 A releases
			50.001 probe asks 50.002 SUBSCRIBE lock`,
			"no entry is in the way; the probe asks for the last time at 50.001 s: " +
				"SUBSCRIBE (reply: (nil))"},
		{"given and given back", `149 probe asks 149.001 as=done SET lock x NX
			149.001 redis-1 granted owner=probe cause=done lasts=10s
			149.002 probe asks 149.003 as=wait WAIT 1 3000
			149.004 probe replied peer=redis-1 cause=wait text=(integer) 0
			149.004 probe asks 149.005 as=info INFO replication
			149.005 probe replied peer=redis-1 cause=info text=role:master
			149.005 probe asks 149.006 as=del DEL lock
			149.006 redis-1 removed owner=probe peer=probe cause=del`,
			"the store gives the probe an entry once, and the probe gives it back: WAIT: 0"},
		{"a queue whose head is dead", `0.01 B waits; 0.02 B crashed
			149 probe asks 149.001 EVAL lock lock x`,
			"the probe asks once; the reply to its last lock script: (nil); " +
				"B crashed at 0.020 s while it waited"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(tt.give+"; 150 probe gave-up", pauseFault)
			i := int32(len(give.h.Events)) - 1
			from := history.Instant(50_000 * time.Millisecond)
			findings := []checker.Finding{breaks(checker.ProgressID, from, give.h.End(),
				[]history.NodeID{give.h.Node("probe")}, i)}
			must.Equal(t, Assumption(timeline.Of(give.h), findings, 0).Formula.English(), tt.want)
		})
	}
}
