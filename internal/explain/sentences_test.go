package explain

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// sentencesOf narrates a tape in plain text, one step per line.
func sentencesOf(t *tape) []string {
	var out []string
	for _, s := range Steps(timeline.Of(t.h), nil) {
		out = append(out, s.At.String()+" "+s.Sentence.English())
	}
	return out
}

var pauseFault = history.Fault{Number: 1, Verb: "pause", Text: "pause A for 15 s when A is in its critical section"}

func TestSentences(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want []string // the last sentences
	}{
		{"granted and entered", func(t *tape) { t.acquires(11, "A") },
			[]string{"0.012 s A is granted the lock until 10.011 s and enters."}},
		{"with token, no end", func(t *tape) {
			t.add(1, history.Granted, "redis-1", t.owner("A"))
			t.add(2, history.Acquired, "A", token(33))
		}, []string{"0.002 s A is granted the lock with token 33 without expiry in the store."}},
		{"late acquisition", func(t *tape) {
			sent := t.add(1, history.Sent, "A", t.peer("redis-1"), t.text("SET lock x"))
			done := t.add(2, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(2, history.Granted, "redis-1", t.owner("A"), cause(done), t.text("lock"), lasts(10*time.Second))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(12_002, history.Replied, "A", t.peer("redis-1"), cause(done))
			t.add(12_002, history.Acquired, "A")
		}, []string{
			"0.002 s The store grants A the lock until 10.002 s. A does not know yet.",
			"10.002 s A's entry expires: its lease is over.",
			"10.051 s B is granted the lock until 20.050 s and enters.",
			"12.002 s A gets the reply to its SET only now, 12 s after it was executed.",
			"12.002 s A is told that it holds the lock; the store has an entry of B.",
		}},
		{"late request", func(t *tape) {
			t.acquires(2, "A")
			sent := t.add(3000, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			done := t.add(11_000, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(11_000, history.Removed, "redis-1", t.owner("B"), t.peer("A"), cause(done), t.text("lock"))
		}, []string{
			"11.000 s A's DEL reaches the store only now, 8 s after it was sent.",
			"11.000 s A's DEL removes B's entry.",
		}},
		{"failed attempts are told once", func(t *tape) {
			t.add(0, history.Waits, "A", value(1))
			t.add(3000, history.AcquireFailed, "A", t.text("connection lost"))
			t.add(3100, history.AcquireFailed, "A", t.text("connection lost"))
			t.add(60_000, history.GaveUp, "A", value(1))
		}, []string{
			"3.000 s A's attempt fails: connection lost.",
			"60.000 s A gives up: it has waited as long as it could.",
		}},
		{"lost reply", func(t *tape) {
			sent := t.add(1, history.Sent, "A", t.peer("redis-1"), t.text("SET lock x"))
			done := t.add(2, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(2, history.Granted, "redis-1", t.owner("A"), cause(done), t.text("lock"), lasts(10*time.Second))
			t.add(2, history.ReplyDropped, "redis-1", t.peer("A"), cause(done), value(1))
			t.add(3001, history.TimedOut, "A", cause(sent))
			t.add(3001, history.AcquireFailed, "A")
		}, []string{
			"0.002 s The store executes A's SET, but the reply is lost (fault 1).",
			"3.001 s A believes its attempt failed, but the store has its entry.",
		}},
		{"lost request", func(t *tape) {
			sent := t.add(1, history.Sent, "A", t.peer("redis-1"), t.text("EVAL unlock lock x"))
			t.add(1, history.RequestDropped, "A", t.peer("redis-1"), cause(sent))
			t.add(3001, history.TimedOut, "A", cause(sent))
		}, []string{
			"0.001 s A's unlock script is lost on its way to the store.",
			"3.001 s A gives up on the reply to its unlock script.",
		}},
		{"writes", func(t *tape) {
			t.add(5, history.WriteAccepted, "resource", t.peer("A"), value(1))
			t.add(6, history.WriteAccepted, "resource", t.peer("B"), token(34), value(2))
			t.add(7, history.WriteRefused, "resource", t.peer("A"), token(33), value(34))
		}, []string{
			"0.005 s A writes. The resource takes it.",
			"0.006 s B writes with token 34. The resource takes it.",
			"0.007 s A writes with token 33. The resource refuses: it has seen 34.",
		}},
		{"release", func(t *tape) {
			t.acquires(2, "A")
			t.releases(1000, "A")
		}, []string{"1.001 s A releases the lock."}},
		{"release of nothing", func(t *tape) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.add(12_000, history.Releasing, "A")
			t.add(12_002, history.NotHeld, "A")
		}, []string{
			"10.002 s The lease ends. A is not told.",
			"12.000 s A releases the lock.",
			"12.002 s A's release is a no-op: its entry is gone.",
		}},
		{"failed release", func(t *tape) {
			t.acquires(2, "A")
			t.add(1000, history.Releasing, "A")
			t.add(4000, history.ReleaseFailed, "A", t.text("no reply"))
		}, []string{"4.000 s A's release fails; the store keeps its entry."}},
		{"loss is told", func(t *tape) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.add(10_100, history.LostLease, "A")
			t.add(10_100, history.Releasing, "A")
		}, []string{"10.100 s A learns that its lock is lost and stops."}},
		{"renewals", func(t *tape) {
			t.acquires(2, "A")
			t.add(3000, history.Extended, "redis-1", t.owner("A"), t.peer("A"), t.text("lock"), lasts(10*time.Second))
			t.add(6000, history.Extended, "redis-1", t.owner("A"), t.peer("A"), t.text("lock"), lasts(10*time.Second))
			t.add(7000, history.Extended, "redis-1", t.owner("A"), t.peer("A"), t.text("lock"))
			t.add(8000, history.Extended, "redis-1", t.owner("A"), t.peer("B"), t.text("lock"), lasts(10*time.Second))
		}, []string{
			"6.000 s A has renewed its lease 2 times, the last time until 16.000 s.",
			"7.000 s A sets the lease of its entry: it no longer expires.",
			"8.000 s B's command extends A's entry: it now ends at 18.000 s.",
		}},
		{"freeze with wake-up write", func(t *tape) {
			t.acquires(2, "A")
			t.add(60, history.FaultBegan, "A", value(1))
			t.add(60, history.Froze, "A", value(1))
			t.add(15_060, history.FaultEnded, "A", value(1))
			t.add(15_060, history.Thawed, "A", value(1))
			t.add(15_061, history.WriteAccepted, "resource", t.peer("A"), value(1))
		}, []string{
			"0.060 s A freezes for 15 s (fault 1).",
			"15.061 s A wakes and writes. The resource takes it.",
		}},
		{"freeze between two commands", func(t *tape) {
			t.acquires(2, "A")
			t.add(1000, history.Releasing, "A")
			sent := t.add(1000, history.Sent, "A", t.peer("redis-1"), t.text("GET lock"))
			done := t.add(1001, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(1002, history.Replied, "A", t.peer("redis-1"), cause(done))
			t.add(1002, history.Froze, "A", value(1))
			t.add(12_002, history.Thawed, "A", value(1))
			t.add(12_002, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
		}, []string{
			"1.000 s A releases the lock.",
			"1.002 s A freezes for 11 s between GET and DEL (fault 1).",
			"12.002 s A wakes.",
		}},
		{"crash of a holder", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "A", value(1))
		}, []string{"0.050 s A crashes (fault 1). Its entry stays until 10.002 s."}},
		{"failover", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.add(550, history.Promoted, "redis-2", t.peer("redis-1"))
		}, []string{
			"0.050 s Store redis-1 crashes (fault 1). No replica has A's entry yet.",
			"0.550 s Store redis-2 becomes the primary. It has no entry of A.",
		}},
		{"restart without persistence", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.add(90, history.Restarted, "redis-1", value(1))
			t.add(90, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
		}, []string{
			"0.050 s The store crashes (fault 1).",
			"0.090 s The store restarts (fault 1).",
			"0.090 s The store has lost A's entry. A is not told.",
		}},
		{"clock", func(t *tape) { t.add(9, history.ClockChanged, "redis-1", value(int64(-12*time.Second))) },
			[]string{"0.009 s The store's wall clock jumps back by 12 s."}},
		{"fault without an event of its own", func(t *tape) {
			t.add(9, history.FaultBegan, "A", value(2), t.text("slow A by 15 s"))
		}, []string{"0.009 s Fault 2 begins: slow A by 15 s."}},
		{"the probe is left out", func(t *tape) { t.acquires(9, "probe") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			got := sentencesOf(give)
			if len(got) > len(tt.want) && len(tt.want) > 0 {
				got = got[len(got)-len(tt.want):]
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
			for _, s := range got {
				if n := len(strings.Fields(s)) - 2; n > 20 {
					t.Errorf("%d words, more than 20: %s", n, s)
				}
			}
		})
	}
}

// A history without the stores' side, from a world that cannot see it, is told
// from the clients' side; nothing is said about the store.
func TestStepsWithoutStore(t *testing.T) {
	give := newTape()
	give.add(2, history.Acquired, "A")
	give.add(3, history.Entered, "A")
	give.add(1000, history.Releasing, "A")
	steps := Steps(timeline.Of(give.h), nil)
	if len(steps) != 2 {
		t.Fatalf("got %d steps, want 2: %v", len(steps), steps)
	}
	if s := steps[0]; s.Sentence.English() != "A is granted the lock and enters." || s.Store.English() != "" || s.Belief.English() != "A thinks it holds the lock" {
		t.Errorf("got %+v", s)
	}
}

// Damaged histories are told badly, not with a panic.
func TestStepsOfNonsense(t *testing.T) {
	h := history.New(history.Header{})
	for k := range history.Kind(60) {
		h.Add(history.Event{Kind: k, Node: 900, Peer: 901, Owner: 902, Cause: 77, Value: -5, At: history.Instant(k)})
	}
	Steps(timeline.Of(h), nil)
}
