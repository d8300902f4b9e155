package explain

import (
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/timeline"
)

var pauseFault = history.Fault{
	Number: 1, Verb: "pause", Text: "pause A for 15 s when A is in its critical section",
}

var endlessFault = history.Fault{
	Number: 4, Verb: "pause", Text: "pause A until B acquires",
	Values: history.Values(`{"verb":"pause","value":"A","end":{"until":{"moment":"acquires","subject":"B"}}}`),
}

var longFault = history.Fault{
	Number: 5, Verb: "pause", Text: "pause A for 10m",
	Values: history.Values(`{"verb":"pause","value":"A","end":{"for_ns":600000000000}}`),
}

var hangFault = history.Fault{
	Number: 7, Verb: "hang", Text: "hang that client at 5s",
	Values: history.Values(`{"verb":"hang","value":"that client"}`),
}

var lateFault = history.Fault{
	Number: 8, Verb: "delay", Text: "delay reply by 3s when C sends SET the 2nd time",
	Values: history.Values(`{"verb":"delay","value":"reply","durations_ns":{"by":3000000000},"when":{"moment":"sends %s","subject":"C","command":"SET","nth":2}}`),
}

var cutFault = history.Fault{Number: 3, Verb: "partition", Text: "partition A from store for 5s"}
var nextCutFault = history.Fault{Number: 6, Verb: "partition", Text: "partition A from store for 8s"}

// A narration is a tape and the last sentences of its story, each with its time.
type narration struct {
	name string
	give string
	want []string
}

func checkNarrations(t *testing.T, tests []narration) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range newTape(tt.give, pauseFault, cutFault, endlessFault, longFault, nextCutFault, hangFault, lateFault).steps() {
				got = append(got, s.At.String()+" "+s.Sentence.English())
			}
			if len(got) > len(tt.want) && len(tt.want) > 0 {
				got = got[len(got)-len(tt.want):]
			}
			must.Slices(t, got, tt.want)
			for _, s := range got {
				alone, _, _ := strings.Cut(s, " The same ")
				if n := len(strings.Fields(alone)) - 2; n > 20 {
					t.Errorf("%d words, more than 20: %s", n, s)
				}
			}
		})
	}
}

func TestSentences(t *testing.T) {
	checkNarrations(t, []narration{
		{"granted and entered", "0.011 A acquires",
			[]string{"0.012 s A is granted the lock until 10.011 s and enters."}},
		{"with token, no end", "0.001 redis-1 granted owner=A; 0.002 A acquired token=33",
			[]string{"0.002 s A is granted the lock with token 33 without expiry in the store."}},
		{"late acquisition", `0.001 A asks 0.002 as=done SET lock x
			0.002 redis-1 granted owner=A cause=done lasts=10s; 10.002 redis-1 expired owner=A
			10.05 B acquires; 12.002 A replied peer=redis-1 cause=done; 12.002 A acquired`, []string{
			"0.002 s The store grants A the lock until 10.002 s. A does not know yet.",
			"10.002 s A's entry expires: its lease is over.",
			"10.051 s B is granted the lock until 20.050 s and enters.",
			"12.002 s A gets the reply to its SET only now, 12 s after it was executed.",
			"12.002 s A is told that it holds the lock; the store has an entry of B.",
		}},
		{"late request", `0.002 A acquires; 3 A sent peer=redis-1 as=sent text=DEL lock
			10.002 redis-1 expired owner=A; 10.05 B acquires
			11 redis-1 executed peer=A cause=sent as=done; 11 redis-1 removed owner=B peer=A cause=done`,
			[]string{
				"11.000 s A's DEL reaches the store only now, 8 s after it was sent.",
				"11.000 s A's DEL removes B's entry.",
			}},
		{"failed attempts are told once", `0 A waits value=1; 3 A acquire-failed text=connection lost
			3.1 A acquire-failed text=connection lost; 60 A gave-up value=1`, []string{
			"3.000 s A's attempt fails: connection lost.",
			"60.000 s A gives up: it has waited as long as it was willing to.",
		}},
		{"lost reply", `0.001 A sent peer=redis-1 as=sent text=SET lock x
			0.002 redis-1 executed peer=A cause=sent as=done
			0.002 redis-1 granted owner=A cause=done lasts=10s
			0.002 redis-1 reply-dropped peer=A cause=done value=1; 3.001 A timed-out cause=sent
			3.001 A acquire-failed`, []string{
			"0.002 s The store executes A's SET, but the reply is lost (fault 1).",
			"3.001 s A believes its attempt failed, but the store has its entry.",
		}},
		{"lost request", `0.001 A sent peer=redis-1 as=sent text=EVAL unlock lock x
			0.001 A request-dropped peer=redis-1 cause=sent; 3.001 A timed-out cause=sent`, []string{
			"0.001 s A's unlock script is lost on its way to the store.",
			"3.001 s A gives up on the reply to its unlock script.",
		}},
		{"writes", `0.005 resource write-accepted peer=A value=1
			0.006 resource write-accepted peer=B token=34 value=2
			0.007 resource write-refused peer=A token=33 value=34`, []string{
			"0.005 s A writes. The resource takes it.",
			"0.006 s B writes with token 34. The resource takes it.",
			"0.007 s A writes with token 33. The resource refuses: it has seen 34.",
		}},
		{"a release whose removal is late", `0.002 A acquires; 1 A releasing; 5 redis-1 removed owner=A peer=A`, []string{
			"1.000 s A releases the lock.",
			"5.000 s A's command removes its own entry.",
		}},
		{"release", "0.002 A acquires; 1 A releases", []string{"1.001 s A releases the lock."}},
		{"release of nothing", `0.002 A acquires; 10.002 redis-1 expired owner=A; 12 A releasing
			12.002 A not-held`, []string{
			"10.002 s The lease ends. A is not told.",
			"12.000 s A releases the lock.",
			"12.002 s A's release is a no-op: its entry is gone.",
		}},
		{"failed release", "0.002 A acquires; 1 A releasing; 4 A release-failed text=no reply",
			[]string{"4.000 s A's release fails; the store keeps its entry."}},
		{"an entry of the round before is no proof of a new one", `0.002 A acquires; 1 A releasing
			4 A release-failed text=no reply; 5 A waits; 6 A acquire-failed text=no reply`,
			[]string{"6.000 s A's attempt fails: no reply."}},
		{"a release that fails at a dead server", "0.002 A acquires; 0.5 redis-1 crashed; 1 A releasing; 4 A release-failed text=no reply",
			[]string{"4.000 s A's release fails: no reply."}},
		{"loss is told", `0.002 A acquires; 10.002 redis-1 expired owner=A; 10.1 A lost-lease
			10.1 A releasing`, []string{"10.100 s A learns that its lock is lost and stops."}},
		{"renewals", `0.002 A acquires; 3 A renews; 6 A renews; 7 redis-1 extended owner=A peer=A
			8 redis-1 extended owner=A peer=B lasts=10s`, []string{
			"6.000 s A has renewed its lease 2 times, the last time until 16.000 s.",
			"7.000 s A sets the lease of its entry: it no longer expires.",
			"8.000 s B's command extends A's entry: it now ends at 18.000 s.",
		}},
		{"freeze with wake-up write", `0.002 A acquires; 0.06 A fault-began value=1
			0.06 A froze value=1; 15.06 A fault-ended value=1; 15.06 A thawed value=1
			15.061 resource write-accepted peer=A value=1`, []string{
			"0.060 s A freezes for 15 s (fault 1).",
			"15.061 s A wakes and writes. The resource takes it.",
		}},
		{"the end of a pause never comes", `0.002 A acquires; 0.06 A fault-began value=4
			0.06 A froze value=4; 15.06 A fault-ended value=4; 15.06 A thawed value=4; 15.06 A healed`, []string{
			"0.060 s A freezes for 15 s (fault 4).",
			"15.060 s The end of fault 4 never came: it is over only now, with all others.",
			"15.060 s A wakes. It does not know that time has passed.",
		}},
		{"the healing cuts a pause short", `0.002 A acquires; 0.06 A fault-began value=5
			0.06 A froze value=5; 15.06 A fault-ended value=5; 15.06 A thawed value=5; 15.06 A healed`, []string{
			"0.060 s A freezes for 15 s (fault 5).",
			"15.060 s Fault 5 ends early, with all others: it was to last 600 s.",
			"15.060 s A wakes. It does not know that time has passed.",
		}},
		{"a pause ends by itself, just before the healing", `0.002 A acquires; 0.06 A fault-began value=5
			0.06 A froze value=5; 600.06 A fault-ended value=5; 600.06 A thawed value=5; 600.06 A healed`, []string{
			"0.060 s A freezes for 600 s (fault 5).",
			"600.060 s A wakes. It does not know that time has passed.",
		}},
		{"freeze between two commands", `0.002 A acquires; 1 A releasing
			1 A asks 1.001 as=done GET lock; 1.002 A replied peer=redis-1 cause=done
			1.002 A froze value=1; 12.002 A thawed value=1; 12.002 A sent peer=redis-1 text=DEL lock`,
			[]string{
				"1.000 s A releases the lock.",
				"1.002 s A freezes for 11 s between GET and DEL (fault 1).",
				"12.002 s A wakes.",
			}},
		{"crash of a holder", "0.002 A acquires; 0.05 A crashed value=1",
			[]string{"0.050 s A crashes (fault 1). Its entry stays until 10.002 s."}},
		{"failover", `servers redis-1 redis-2; 0.002 A acquires; 0.05 redis-1 crashed value=1
			0.55 redis-2 promoted peer=redis-1`, []string{
			"0.050 s Store redis-1 crashes (fault 1). No replica has A's entry.",
			"0.550 s Store redis-2 becomes the primary. It has no entry of A.",
		}},
		{"clock", "0.009 redis-1 clock-changed lasts=-12s",
			[]string{"0.009 s The store's wall clock jumps back by 12 s."}},
		{"fault without an event of its own", "0.009 A fault-began value=2 text=slow A by 15 s",
			[]string{"0.009 s Fault 2 begins: slow A by 15 s."}},
		{"a fault names whom it hit", "0.009 B fault-began value=7", []string{"0.009 s Fault 7 begins: B's work hangs."}},
		{"a delay names the message", "0.009 A fault-began value=8", []string{"0.009 s Fault 8 begins: the reply to C's SET arrives 3 s late."}},
		{"the probe is left out", "0.009 probe acquires", nil},
		{"a release that removes nothing", "0.002 A acquires; 1 A releasing; 1.002 A not-held",
			[]string{"1.002 s A's release removes nothing, although the store has its entry."}},
		{"a write after the loss", `0.002 A acquires; 4 A froze value=1; 10.002 redis-1 expired owner=A
			16 A thawed value=1; 16 A lost-lease; 16.002 resource write-accepted peer=A value=1`, []string{
			"16.000 s A wakes. It does not know that time has passed.",
			"16.000 s A learns that its lock is lost.",
			"16.002 s A writes all the same. The resource takes it.",
		}},
		{"a new leader restarts the leases, also that of a frozen client", `servers etcd-1 etcd-2
			0.002 etcd-1 admits A; 0.01 A froze; 0.05 etcd-1 crashed; 1.05 etcd-2 promoted peer=etcd-1
			1.051 etcd-2 extended owner=A lasts=10s`,
			[]string{"1.051 s Store etcd-2 resets the lease of A's entry: it now ends at 11.051 s."}},
	})
}

func TestSentencesOfServers(t *testing.T) {
	checkNarrations(t, []narration{
		{"a restart that forgets", `0.002 A acquires; 0.05 redis-1 crashed value=1
			0.55 redis-1 forgotten owner=A; 0.55 redis-1 restarted value=1`, []string{
			"0.050 s The store crashes (fault 1).",
			"0.550 s The store restarts (fault 1) without A's entry. It does not tell A.",
		}},
		{"a restart that keeps everything", `0.002 A acquires; 0.05 redis-1 crashed value=1
			0.55 redis-1 restarted value=1`, []string{"0.550 s The store restarts (fault 1)."}},
		{"a client restarts", "0.05 A crashed value=1; 0.55 A restarted value=1",
			[]string{"0.550 s A restarts (fault 1) and starts from the beginning."}},
		{"a second primary", `servers redis-1 redis-2; 0.002 A acquires
			0.06 redis-2 promoted peer=redis-1; 0.09 redis-1 forgotten owner=A
			0.09 redis-1 demoted peer=redis-2`, []string{
			"0.060 s Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A.",
			"0.090 s Store redis-1 has lost A's entry. A is not told.",
			"0.090 s Store redis-1 becomes a replica of redis-2 and forgets what only it knew.",
		}},
		{"a release at the new primary of an entry on the old one", `servers redis-1 redis-2; 0.002 A acquires
			0.06 redis-2 promoted peer=redis-1; 1 A releasing; 1.002 A replied peer=redis-2; 1.002 A not-held`,
			[]string{"1.002 s A's release is a no-op: store redis-2 has no entry of A."}},
		{"a primary of another shard is replaced", `servers redis-1 redis-2 redis-3 redis-4
			0.002 A acquires; 0.05 redis-3 executed peer=B text=(error) MOVED 8718 redis-1:6379
			0.051 B replied peer=redis-3 text=(error) MOVED 8718 redis-1:6379
			0.06 redis-4 promoted peer=redis-3; 0.07 redis-2 promoted peer=redis-1`, []string{
			"0.060 s Store redis-4 becomes the primary of another shard, in place of redis-3.",
			"0.070 s Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A.",
		}},
		{"a replica that does not say from whom it copies", `servers redis-1 redis-2; 0.002 A acquires
			0.04 redis-2 replicated owner=A; 0.05 redis-1 crashed value=1`,
			[]string{"0.050 s Store redis-1 crashes (fault 1). A replica has A's entry, too."}},
		{"a replica dies", `servers redis-1 redis-2; 0.002 A acquires; 0.04 redis-2 copies A; 0.05 redis-2 crashed value=1`,
			[]string{"0.050 s Store redis-2 crashes (fault 1)."}},
		{"a frozen primary is replaced", `servers redis-1 redis-2; 0.05 redis-1 froze value=1
			0.06 redis-2 promoted peer=redis-1`, []string{"0.060 s Store redis-2 becomes the primary."}},
		{"a leader dies", `servers etcd-1 etcd-2 etcd-3; 0.002 etcd-1 admits A; 0.003 A entered
			0.05 etcd-1 crashed value=1; 1.05 etcd-2 promoted peer=etcd-1; 20 etcd-2 expired owner=A`,
			[]string{
				"0.050 s Store etcd-1 crashes (fault 1). The others have everything it had.",
				"1.050 s Store etcd-2 becomes the leader. It has everything the leader before it had.",
				"20.000 s The lease ends, 9.998 s after its time. A is not told.",
			}},
		{"waiting inside of a request is no delay", `servers mysql-1; 0 B waits
			0.001 B sent peer=mysql-1 as=sent text=GET_LOCK lock 60
			4 mysql-1 executed peer=B cause=sent text=1`, nil},
		{"a blocking query is no delay", `servers consul-1
			0.001 A sent peer=consul-1 as=sent text=GET lock INDEX 3 WAIT 5m0s
			4 consul-1 executed peer=A cause=sent text=not locked`, nil},
		{"a request that waits outside of the store", `servers etcd-1 etcd-2 etcd-3
			0.001 A sent peer=etcd-1 as=sent text=REVOKE 7
			4.001 etcd-1 executed peer=A cause=sent text=OK`,
			[]string{"4.001 s A's REVOKE is executed only now, 4 s after it was sent."}},
		{"an entry is dropped", "0.002 A acquires; 0.05 redis-1 removed owner=A",
			[]string{"0.050 s The store removes A's entry. A is not told."}},
		{"a partition", "0.009 A fault-began value=3; 5.009 A fault-ended value=3", []string{
			"0.009 s Fault 3 begins: partition A from store for 5s.",
			"5.009 s The links work again (fault 3); what they held back arrives now.",
		}},
		{"a partition ends within another one", `0.009 A fault-began value=3; 1 A fault-began value=6
			5.009 A fault-ended value=3; 9 A fault-ended value=6`, []string{
			"1.000 s Fault 6 begins: partition A from store for 8s.",
			"5.009 s Fault 3 is over.",
			"9.000 s The links work again (fault 6); what they held back arrives now.",
		}},
		{"re-entry", `0.002 A acquires; 0.01 A reenters value=1; 0.012 A reentered value=1
			0.013 A reenters value=2; 9 A reentered value=2; 9.1 A left value=2
			9.2 A left value=1 text=the lock is not held`, []string{
			"0.003 s A is granted the lock until 10.002 s and enters.",
			"0.012 s A takes the lock again.",
			"0.013 s A asks again for the lock it already holds.",
			"9.000 s A takes the lock again, 2 deep, 8.987 s after it asked.",
			"9.100 s A gives the lock back once and goes on.",
			"9.200 s A's inner release fails: the lock is not held.",
		}},
		{"no re-entry", `0.002 A acquires; 0.01 A reenters value=1
			8 A reenter-failed value=1 text=context deadline exceeded; 10.002 redis-1 expired owner=A
			10.01 A reenter-failed value=1 text=no reply; 11 A reenter-failed value=1 text=context deadline exceeded`, []string{
			"8.000 s A cannot take the lock again: its own entry is in the way.",
			"10.002 s The lease ends. A is not told.",
			"10.010 s A cannot take the lock again: no reply.",
			"11.000 s A cannot take the lock again: its time is up.",
		}},
	})
}

// A history without the events of the stores is told from the clients' side, and says nothing about
// the store.
func TestStepsWithoutStore(t *testing.T) {
	steps := newTape("0.002 A acquired; 0.003 A entered; 1 A releasing").steps()
	if len(steps) != 2 {
		t.Fatalf("got %d steps, want 2: %v", len(steps), steps)
	}
	if s := steps[0]; s.Sentence.English() != "A is granted the lock and enters." || s.Store.English() != "" || s.Belief.English() != "A thinks it holds the lock" {
		t.Errorf("got %+v", s)
	}
}

// Damaged histories cause no panic.
func TestStepsOfNonsense(t *testing.T) {
	h := history.New(history.Header{})
	for k := range history.Kind(60) {
		h.Add(history.Event{Kind: k, Node: 900, Peer: 901, Owner: 902, Cause: 77, Value: -5, At: history.Instant(k)})
	}
	Steps(timeline.Of(h), nil)
}
