package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
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
	tests := []struct {
		name    string
		give    func(t *tape)
		assumed string
		formula string
		decides string // kinds of the events, as a story would show them
	}{
		{"renewals that do not arrive", func(t *tape) {
			t.acquires(2, "A")
			t.renews(3_000, "A")
			t.add(4_000, history.FaultBegan, "A", value(1))
			t.asks(6_000, 14_000, "A", "EVAL renew lock A")
			t.expires(13_000, "A")
			t.acquires(13_050, "B")
		},
			"A's renewals reach the store before its lease ends.",
			"renew script sent at 6.000 s, executed at 14.000 s > end of the lease at 13.000 s",
			"fault-began expired"},
		{"the first renewal already", func(t *tape) {
			t.acquires(2, "A")
			t.asks(3_000, 0, "A", "EVAL renew lock A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.renews(13_000, "B") // shows what the command is for
		},
			"A's renewals reach the store before its lease ends.",
			"renew script sent at 3.000 s never arrives; the lease ends at 10.002 s",
			"expired"},
		{"what is lost is no renewal", func(t *tape) {
			t.acquires(2, "A")
			t.asks(3_000, 0, "A", "GET lock")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(12_000, history.Releasing, "A")
		},
			"A finishes its work before its lease ends.",
			"held for 11.998 s since the grant > lease 10.000 s",
			"expired"},
		{"renewals that stop", func(t *tape) {
			t.acquires(2, "A")
			t.renews(3_000, "A")
			t.expires(13_000, "A")
			t.acquires(13_050, "B")
			t.add(20_000, history.Releasing, "A")
		},
			"A renews its lease until its work is done.",
			"held for 17.000 s since the last renewal > lease 10.000 s",
			"extended expired"},
		{"a reply that uses up the lease", func(t *tape) {
			t.grants(2, "redis-1", "A")
			t.add(2_502, history.Acquired, "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(10_502, history.Releasing, "A")
		},
			"A learns of its grant early enough to finish its work.",
			"reply 2.500 s after the grant + held for 8.000 s > lease 10.000 s",
			"granted expired"},
		{"pauses that use up the lease", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.Froze, "A", value(1))
			t.add(4_000, history.Thawed, "A", value(1))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(11_002, history.Releasing, "A")
		},
			"A pauses for no longer than its work leaves of the lease.",
			"paused for 3.000 s + 8.000 s without it > lease 10.000 s",
			"froze expired"},
		{"a pause after a renewal", func(t *tape) {
			t.acquires(2, "A")
			t.renews(5_000, "A")
			t.add(5_060, history.Froze, "A", value(1))
			t.expires(15_000, "A")
			t.acquires(15_030, "B")
			t.add(20_060, history.Thawed, "A", value(1))
		},
			"A never pauses for longer than the rest of its lease.",
			"pause 15.000 s > lease 10.000 s - 0.060 s spent",
			"froze expired"},
		{"a check, a pause, a write", func(t *tape) {
			t.acquires(2, "A")
			t.add(4_000, history.Froze, "A", value(1))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(16_000, history.Thawed, "A", value(1))
			t.add(16_000, history.LostLease, "A")
			t.add(16_002, history.WriteAccepted, "resource", t.peer("A"), value(1))
		},
			"A's check of its lease and its write are one step.",
			"pause 12.000 s between the two: A writes at 16.002 s > end of the lease at 10.002 s",
			"froze expired"},
		{"told too late", func(t *tape) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(10_600, history.LostLease, "A")
		},
			"A hears of its loss before another client gets the lock.",
			"lease over at 10.002 s, B in at 10.051 s, A told at 10.600 s",
			"expired lost-lease"},
		{"its own late command", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.Releasing, "A")
			late := t.add(1_000, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
			t.add(5_000, history.Acquired, "A")
			done := t.add(7_000, history.Executed, "redis-1", t.peer("A"), cause(late))
			t.add(7_000, history.Removed, "redis-1",
				t.owner("A"), t.peer("A"), cause(done), t.text("lock"))
			t.acquires(7_050, "B")
		},
			"A's own commands remove its entry only when A is done.",
			"DEL sent at 1.000 s removes it at 7.000 s; A has been in since 5.000 s",
			"removed"},
		{"a missing copy is not to blame for another server's lease", func(t *tape) {
			t.withReplica()
			t.promotes(1, "redis-2", "redis-1")
			t.grants(5, "redis-2", "A")
			t.add(2_505, history.Acquired, "A")
			t.grants(3_000, "redis-1", "A")
			t.add(10_005, history.Expired, "redis-2", t.owner("A"), t.text("lock"))
			t.holds(10_050, "redis-2", "B")
			t.add(10_600, history.Releasing, "A")
		},
			"A learns of its grant early enough to finish its work.",
			"reply 2.500 s after the grant + held for 8.095 s > lease 10.000 s",
			"granted expired"},
		{"this hold does not rest on the copy of the one before", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.copies(20, "A")
			t.promotes(100, "redis-2", "redis-1")
			t.releases(1_000, "A")
			t.acquires(2_000, "A")
			t.add(10_002, history.Expired, "redis-2", t.owner("A"), t.text("lock"))
			t.holds(10_050, "redis-2", "B")
		},
			"There is only one primary at a time.",
			"redis-1 granted the entry at 2.000 s, redis-2 has been the primary since 0.100 s",
			"granted promoted"},
		{"promoted too early", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.promotes(62, "redis-2", "redis-1")
			t.holds(70, "redis-2", "B")
		},
			"A new primary knows every entry of the old one.",
			"entry created 0.060 s before redis-2 was promoted, and not replicated",
			"promoted"},
		{"the old primary forgets", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.promotes(62, "redis-2", "redis-1")
			t.forgets(80, "redis-1", "A")
			t.add(80, history.Demoted, "redis-1", t.peer("redis-2"))
			t.holds(90, "redis-2", "B")
		},
			"A primary that becomes a replica keeps what it has confirmed.",
			"entry created at 0.002 s, redis-1 follows redis-2 since 0.080 s",
			"demoted"},
		{"a crash before the copy", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.renews(302, "A")
			t.add(402, history.Crashed, "redis-1", value(1))
			t.promotes(602, "redis-2", "redis-1")
			t.add(701, history.Acquired, "B")
		},
			"What the primary has confirmed outlives the primary.",
			"entry created 0.400 s before the crash < replication lag 0.500 s",
			"crashed"},
		{"a crash whose loss shows later", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(102, history.Crashed, "redis-1", value(1))
			t.forgets(5_000, "redis-1", "A")
			t.add(5_100, history.Acquired, "B")
		},
			"What the primary has confirmed outlives the primary.",
			"entry created 0.100 s before the crash < replication lag 0.500 s",
			"crashed"},
		{"the copy is on the wrong replica", func(t *tape) {
			t.withServers("redis-1", "redis-3", "redis-2")
			t.acquires(2, "A")
			t.copies(50, "A")
			t.add(100, history.Crashed, "redis-1", value(1))
			t.promotes(600, "redis-3", "redis-1")
			t.holds(700, "redis-3", "B")
		},
			"What the primary has confirmed outlives the primary.",
			"the entry was on redis-2, and another replica became the primary",
			"crashed"},
		{"a restart that forgets", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1")
			t.forgets(550, "redis-1", "A")
			t.add(550, history.Restarted, "redis-1")
			t.acquires(600, "B")
		},
			"What the store has confirmed survives its restart.",
			"entry created at 0.002 s, redis-1 back without it at 0.550 s",
			"restarted"},
		{"of several servers those count that let the newest in", func(t *tape) {
			t.withServers("redis-1", "redis-2", "redis-3")
			t.grants(2, "redis-1", "A")
			t.holds(3, "redis-2", "A")
			t.forgets(900, "redis-2", "A")
			t.add(1_000, history.Restarted, "redis-2")
			t.add(1_500, history.Removed, "redis-1", t.owner("A"), t.text("lock"))
			t.grants(1_600, "redis-1", "C")
			t.grants(2_000, "redis-2", "B")
			t.holds(2_001, "redis-3", "B")
		},
			"What the store has confirmed survives its restart.",
			"entry created at 0.003 s, redis-2 back without it at 1.000 s",
			"restarted"},
		{"a restart that keeps the entry is not to blame", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1")
			t.add(550, history.Restarted, "redis-1")
			t.expires(10_002, "A")
			t.acquires(12_000, "B")
		},
			"A finishes its work before its lease ends.",
			"held for 11.999 s since the grant > lease 10.000 s",
			"expired"},
		{"a lease that ends under another leader", func(t *tape) {
			t.withServers("etcd-1", "etcd-2")
			t.holds(2, "etcd-1", "A")
			t.add(50, history.Crashed, "etcd-1")
			t.promotes(1_050, "etcd-2", "etcd-1")
			t.add(12_000, history.Expired, "etcd-2", t.owner("A"), t.text("lock"))
			t.holds(12_002, "etcd-2", "B")
		},
			"A finishes its work before its lease ends.",
			"held for 12.001 s since the grant > lease 10.000 s",
			"expired"},
		{"an eviction", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_002, history.Removed, "redis-1", t.owner("A"), t.text("lock"))
			t.acquires(1_010, "B")
		},
			"The store keeps an entry until its lease ends or its owner releases it.",
			"dropped 1.000 s after the grant, 9.000 s before the end of its lease",
			"removed"},
		{"a clock step before the renewal", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.ClockChanged, "redis-1", lasts(4*time.Second))
			t.renews(2_000, "A")
			t.expires(9_000, "A")
			t.acquires(9_050, "B")
		},
			"The store's clock runs as fast as true time.",
			"lease 10.000 s ended after 7.000 s",
			"expired"},
		{"a clock step after the renewal", func(t *tape) {
			t.acquires(2, "A")
			t.renews(2_000, "A")
			t.add(9_000, history.ClockChanged, "redis-1", lasts(4*time.Second))
			t.expires(9_000, "A")
			t.acquires(9_050, "B")
		},
			"The store's clock runs as fast as true time.",
			"clock step 4.000 s > lease 10.000 s - 7.000 s spent",
			"clock-changed expired"},
		{"clocks that disagree", func(t *tape) {
			t.withoutEnd(2, "A")
			t.add(900, history.Waits, "B", shows(12_900))
			t.replaces(1_000, "B", "GETSET lock x")
		},
			"The clocks of B and A agree.",
			"B's clock is ahead of A's by 12.000 s; B's GETSET at 1.000 s ends A's entry, " +
				"which is 0.998 s old",
			"granted"},
		{"a record whose time is over", func(t *tape) {
			t.withoutEnd(2, "A")
			t.add(1_000, history.Froze, "A", value(1))
			t.add(9_000, history.Waits, "B", shows(9_000))
			t.replaces(10_100, "B", "GETSET lock x")
			t.add(16_000, history.Thawed, "A", value(1))
		},
			"A never pauses for longer than the rest of its lease.",
			"pause 15.000 s > lease 10.000 s - 0.998 s spent",
			"froze granted"},
		{"the other's entry is still there", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.Granted, "redis-1",
				t.owner("B"), t.peer("B"), t.text("lock/B"), lasts(10*time.Second))
			t.add(1_001, history.Acquired, "B")
		},
			"B gets the lock only when A's entry is gone.",
			"A's entry of 0.002 s still exists at 1.001 s, when B gets in",
			"granted"},
		{"no entry at all", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_001, history.Acquired, "B")
		},
			"B holds the lock only if the store has its entry.",
			"B has been in since 1.001 s, but the store never had an entry for it",
			""},
		{"a lease that is too short", func(t *tape) {
			t.add(2, history.Granted, "redis-1",
				t.owner("A"), t.text("lock"), lasts(10*time.Millisecond))
			t.add(3, history.Acquired, "A")
			t.expires(12, "A")
			t.acquires(50, "B")
		},
			"An entry lasts as long as the requested lease.",
			"A's entry was made to last 0.010 s; the lease is 10.000 s",
			"granted expired"},
		{"no store in the history", func(t *tape) {
			t.add(2, history.Acquired, "A")
			t.add(20, history.Acquired, "B")
		}, "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
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
	tests := []struct {
		name string
		give func(t *tape) (property string, events []int32)
		want string
	}{
		{"a removal by the wrong client", func(t *tape) (string, []int32) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			sent := t.add(12_000, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
			i := t.add(12_102, history.Removed, "redis-1",
				t.owner("B"), t.peer("A"), cause(sent), t.text("lock"))
			return checker.OwnerOnlyReleaseID, []int32{i}
		}, "DEL at 12.102 s > own entry's end at 10.002 s (2.100 s later)"},
		{"A gets in beside B when its lease is over", func(t *tape) (string, []int32) {
			t.grants(2, "redis-1", "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(12_002, history.Acquired, "A")
			return checker.MutualExclusionID, nil
		}, "reply 12.000 s after the grant > lease 10.000 s"},
		{"nothing broke", func(t *tape) (string, []int32) { return "", nil }, ""},
	}
	for _, tt := range tests {
		give := newTape()
		property, events := tt.give(give)
		var findings []checker.Finding
		if property != "" {
			clients := []history.NodeID{give.h.Node("A"), give.h.Node("B")}
			findings = append(findings, breaks(property, give.h.End(), give.h.End(), clients, events...))
		}
		if got := Assumption(timeline.Of(give.h), findings, 0).Formula.English(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// withoutEnd gives a client an entry that never expires.
func (t *tape) withoutEnd(ms int64, name string) {
	t.add(ms-1, history.Waits, name, shows(ms-1))
	t.add(ms, history.Granted, "redis-1", t.owner(name), t.peer(name), t.text("lock"))
	t.add(ms+1, history.Acquired, name, shows(ms+1))
}

// replaces puts a client's entry in the place of another's.
func (t *tape) replaces(ms int64, name, command string) {
	done := t.asks(ms-1, ms, name, command)
	t.add(ms, history.Granted, "redis-1", t.owner(name), t.peer(name), t.text("lock"), cause(done))
	t.add(ms+1, history.Acquired, name)
}

// shows is what the clock of the node shows at an event, in milliseconds.
func shows(ms int64) func(*history.Event) {
	return func(e *history.Event) { e.Clock = ms * int64(time.Millisecond) }
}

// A stuck lock is explained by what all clients wait for, and why that stays.
func TestStuckHasAWhy(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want string
	}{
		{"an entry that is never removed", func(t *tape) {
			t.withoutEnd(2, "A")
			t.add(9, history.Releasing, "A")
			t.add(3_009, history.ReleaseFailed, "A")
		}, "all wait for A's entry of 0.002 s, which never expires; A's release failed at 3.009 s"},
		{"the head of a queue", func(t *tape) {
			t.withoutEnd(2, "A")
			t.add(9, history.Crashed, "A")
			t.add(500, history.Granted, "redis-1", t.owner("B"), t.peer("B"), t.text("lock/B"))
			t.add(20_000, history.GaveUp, "B")
		}, "all wait for A's entry of 0.002 s, which never expires; A crashed at 0.009 s"},
		{"one that comes when its client has given up", func(t *tape) {
			t.add(1, history.GaveUp, "A")
			t.add(500, history.Granted, "redis-1", t.owner("A"), t.peer("A"), t.text("lock"))
		}, "all wait for A's entry of 0.500 s, which never expires; A gave up at 0.001 s"},
		{"a holder that hangs", func(t *tape) {
			t.acquires(2, "A")
			t.renews(55_000, "A")
		}, "all wait for A, which has been in since 0.003 s; its lease was renewed once"},
		{"renewals without a hold", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.LostLease, "A")
			t.renews(3_000, "A")
			t.renews(55_000, "A")
		}, "all wait for A's entry of 0.002 s; A renews it 2 times, last at 55.000 s; " +
			"A was told at 1.000 s that it had lost the lock"},
		{"another's renewals", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.Crashed, "A")
			done := t.asks(54_999, 55_000, "B", "EXPIRE lock 10")
			t.add(55_000, history.Extended, "redis-1",
				t.owner("A"), t.peer("B"), t.text("lock"), cause(done), lasts(10*time.Second))
		}, "all wait for A's entry of 0.002 s; B's EXPIRE extends it, last at 55.000 s"},
		{"a lease without measure", func(t *tape) {
			t.add(2, history.Granted, "redis-1", t.owner("A"), t.text("lock"), lasts(10_000*time.Second))
			t.add(9, history.Crashed, "A")
		}, "A's entry was made to last 10000.000 s; the lease is 10.000 s"},
		{"the server is down", func(t *tape) {
			t.acquires(2, "A")
			t.add(9, history.Crashed, "redis-1")
		}, "the store is down since 0.009 s"},
		{"a removal that is undone", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.copies(20, "A")
			t.releases(1_000, "A")
			t.promotes(1_002, "redis-2", "redis-1")
		}, "all wait for A's entry, removed on redis-1 at 1.001 s; " +
			"redis-2 had a copy when promoted at 1.002 s"},
		{"no entry is in the way, and no waiter is notified", func(t *tape) {
			t.acquires(2, "A")
			t.releases(1_000, "A")
			t.asks(50_001, 50_002, "probe", "SUBSCRIBE lock")
		}, "no entry is in the way; the probe asks for the last time at 50.001 s: " +
			"SUBSCRIBE (reply: (nil))"},
		{"given and given back", func(t *tape) {
			done := t.asks(149_000, 149_001, "probe", "SET lock x NX")
			t.add(149_001, history.Granted, "redis-1",
				t.owner("probe"), t.text("lock"), cause(done), lasts(10*time.Second))
			wait := t.asks(149_002, 149_003, "probe", "WAIT 1 3000")
			t.add(149_004, history.Replied, "probe",
				t.peer("redis-1"), cause(wait), t.text("(integer) 0"))
			del := t.asks(149_005, 149_006, "probe", "DEL lock")
			t.add(149_006, history.Removed, "redis-1",
				t.owner("probe"), t.peer("probe"), cause(del), t.text("lock"))
		}, "the store gives the probe an entry once, and the probe gives it back: WAIT: 0"},
		{"a queue whose head is dead", func(t *tape) {
			t.add(10, history.Waits, "B")
			t.add(20, history.Crashed, "B")
			t.asks(149_000, 149_001, "probe", "EVAL lock lock x")
		}, "the probe asks once; the reply to its last lock script: (nil); " +
			"B crashed at 0.020 s while it waited"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			i := give.add(150_000, history.GaveUp, "probe")
			from := history.Instant(50_000 * time.Millisecond)
			findings := []checker.Finding{breaks(checker.ProgressID, from, give.h.End(),
				[]history.NodeID{give.h.Node("probe")}, i)}
			if got := Assumption(timeline.Of(give.h), findings, 0).Formula.English(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
