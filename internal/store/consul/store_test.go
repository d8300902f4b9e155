package consul

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/store"
	"lockstep/internal/store/storetest"
)

// bench is a model with its clients.
type bench struct {
	storetest.Bench
	s *Store
}

func newBench(t *testing.T) *bench {
	s := New(time.Second)
	return &bench{storetest.Bench{T: t, Model: s}, s}
}

// Do executes a request and returns the text of its answer, "waits" if it waits.
func (b *bench) Do(client int, op store.Op) string {
	b.T.Helper()
	a, done := b.Exec(client, op)
	if !done {
		return "waits"
	}
	must.Equalf(b.T, a.Err != nil, a.Value == nil,
		"%s: value %v, error %v", op.AppendText(nil), a.Value, a.Err)
	return store.AnswerText(op, a.Value, a.Err)
}

// session makes a session and returns its id.
func (b *bench) session(client int, ttl, delay time.Duration, deleteKeys bool) string {
	return b.Do(client, CreateSession{TTL: ttl, LockDelay: delay, DeleteKeys: deleteKeys})
}

func (b *bench) want(what, got, want string) {
	b.T.Helper()
	must.Equalf(b.T, got, want, "%s", what)
}

const ttl = 10 * time.Second

func TestLocksAKeyForOneSession(t *testing.T) {
	b := newBench(t)
	one, two := b.session(1, ttl, 0, false), b.session(2, ttl, 0, false) // indices 2 and 3
	b.want("no key", b.Do(1, Get{Key: "lock"}), "no key, index 1")
	b.want("first", b.Do(1, Acquire{Key: "lock", Value: "x", Session: one}), "true") // 4
	b.want("read", b.Do(2, Get{Key: "lock"}), "locked by "+one+", lock index 1, modify index 4")
	b.want("second", b.Do(2, Acquire{Key: "lock", Value: "y", Session: two}), "false") // 5
	b.want("again", b.Do(1, Acquire{Key: "lock", Value: "z", Session: one}), "true")   // 6: no other lock, but a change
	b.want("and again", b.Do(1, Acquire{Key: "lock", Value: "z", Session: one}), "true")
	b.want("no change", b.Do(2, Get{Key: "lock"}), "locked by "+one+", lock index 1, modify index 6")
	b.want("read", b.Do(2, Get{Key: "lock"}), "locked by "+one+", lock index 1, modify index 6")
	b.want("not its own", b.Do(2, Release{Key: "lock", Value: "", Session: two}), "false")                 // 8
	b.want("release", b.Do(1, Release{Key: "lock", Value: "", Session: one}), "true")                      // 9
	b.want("twice", b.Do(1, Release{Key: "lock", Value: "", Session: one}), "false")                       // 10
	b.want("no delay", b.Do(2, Acquire{Key: "lock", Value: "y", Session: two}), "true")                    // 11
	b.want("no session", b.Do(1, Acquire{Key: "lock", Value: "y", Session: "none"}), ErrNoSession.Error()) // 12
	b.want("read", b.Do(1, Get{Key: "lock"}), "locked by "+two+", lock index 2, modify index 11")
	b.Noted(
		"0s granted lock of 1 by 1 for 20s", "0s removed lock of 1 by 1", "0s granted lock of 2 by 2 for 20s",
	)
}

func TestSessionEndsAfterTwiceItsTime(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, 0, false)
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
	b.At(15 * time.Second)
	b.want("renewal, after its time and before twice that", b.Do(1, RenewSession{Session: one}), "TTL 10s")
	b.At(34999 * time.Millisecond)
	b.Noted("0s granted lock of 1 by 1 for 20s", "15s extended lock of 1 by 1 for 20s")
	b.At(36 * time.Second)
	b.Noted("35s expired lock of 1 by 0")
	b.want("renewal of nothing", b.Do(1, RenewSession{Session: one}), ErrNoSession.Error())
	b.want("the key stays", b.Do(1, Get{Key: "lock"}), "not locked, lock index 1, modify index 4")
}

func TestLockDelay(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(b *bench, session string)
		free time.Duration // when the key can be locked again
	}{
		{"after the end of a session", func(b *bench, _ string) { b.At(20 * time.Second) }, 35 * time.Second},
		{"after its destruction", func(b *bench, s string) { b.Do(1, DestroySession{Session: s}) }, 15 * time.Second},
		{"after an operator's", func(b *bench, _ string) { b.Evict(ID) }, 15 * time.Second},
		{"not after a release", func(b *bench, s string) { b.Do(1, Release{Key: "lock", Value: "", Session: s}) }, 0},
		{"another leader knows of it", func(b *bench, s string) { b.Do(1, DestroySession{Session: s}); b.Lead() }, 15 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			one := b.session(1, ttl, 15*time.Second, false)
			b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
			tt.end(b, one)
			two := b.session(2, time.Hour, 0, false)
			if tt.free > 0 {
				b.At(tt.free - time.Millisecond)
				index := b.s.index
				b.want("too early", b.Do(2, Acquire{Key: "lock", Value: "", Session: two}), "false")
				must.Equalf(t, b.s.index, index, "a refused request has reached the log")
				b.At(tt.free)
			}
			b.want("in time", b.Do(2, Acquire{Key: "lock", Value: "", Session: two}), "true")
		})
	}
}

func TestLockDelayIsAMinuteAtMost(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, time.Hour, false)
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
	b.Do(1, DestroySession{Session: one})
	two := b.session(2, time.Hour, 0, false)
	b.At(time.Minute)
	b.want("after a minute", b.Do(2, Acquire{Key: "lock", Value: "", Session: two}), "true")
}

// With the behavior "delete", the lock index of the next key starts from 1, the modify index does
// not.
func TestKeysThatEndWithTheirSession(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, 0, true)
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
	b.Do(1, DestroySession{Session: one}) // 4
	b.want("gone", b.Do(1, Get{Key: "lock"}), "no key, index 4")
	two := b.session(2, ttl, 0, true)
	b.Do(2, Acquire{Key: "lock", Value: "", Session: two}) // 6
	b.want("again", b.Do(1, Get{Key: "lock"}), "locked by "+two+", lock index 1, modify index 6")
	b.Noted("0s granted lock of 1 by 1 for 20s", "0s removed lock of 1 by 1", "0s granted lock of 2 by 2 for 20s")
}

func TestBlockingQueries(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, 0, true)                                                     // 2
	b.want("no key yet", b.Do(2, Get{Key: "lock", After: 1, Wait: time.Minute}), "waits") // request 2
	b.want("another key", b.Do(2, Get{Key: "other", After: 1, Wait: time.Minute}), "waits")
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one}) // index 3
	b.Noted("0s granted lock of 1 by 1 for 20s", "0s answer 2: locked by "+one+", lock index 1, modify index 3")
	b.want("old news", b.Do(2, Get{Key: "lock", After: 2, Wait: time.Minute}), "locked by "+one+", lock index 1, modify index 3")
	b.want("wait", b.Do(2, Get{Key: "lock", After: 3, Wait: 5 * time.Second}), "waits") // request 6
	b.At(5 * time.Second)
	b.Noted("5s answer 6: locked by " + one + ", lock index 1, modify index 3")
	b.want("wait", b.Do(2, Get{Key: "lock", After: 3, Wait: time.Minute}), "waits") // request 7
	b.At(21 * time.Second)
	b.Noted("20s expired lock of 1 by 0", "20s answer 7: no key, index 4")
	b.want("wait", b.Do(3, Get{Key: "lock", After: 4, Wait: time.Minute}), "waits") // request 8
	b.s.Closed(b.Now, store.Conn{ID: 3, Client: 3})
	b.At(2 * time.Minute) // the query for the other key ends
	b.Noted("1m0s answer 3: no key, index 4")
}

func TestQueryWithoutATimeWaitsFiveMinutes(t *testing.T) {
	b := newBench(t)
	b.Do(1, Get{Key: "lock", After: 1})
	b.At(time.Hour)
	b.Noted("5m0s answer 1: no key, index 1")
	must.Equalf(t, (Get{Key: "lock", After: 1}).Patience(), 5*time.Minute, "patience")
	must.Equalf(t, (Get{Key: "lock"}).Patience(), 0, "patience … for a query that does not wait")
}

// A new leader restarts the timers of all sessions.
func TestAnotherLeader(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, 0, false)
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
	b.At(19 * time.Second)
	b.Lead()
	b.At(38 * time.Second)
	b.Noted("0s granted lock of 1 by 1 for 20s", "19s extended lock of 1 by 0 for 20s")
	b.At(39 * time.Second)
	b.Noted("39s expired lock of 1 by 0")
}

func TestEvict(t *testing.T) {
	b := newBench(t)
	if b.Evict(ID) {
		t.Error("there was nothing to drop")
	}
	one := b.session(1, ttl, 0, false)
	b.Do(1, Acquire{Key: "lock", Value: "", Session: one})
	if !b.Evict(ID) {
		t.Error("nothing was dropped")
	}
	b.Noted("0s granted lock of 1 by 1 for 20s", "0s removed lock of 1 by 0")
	b.want("its session is gone", b.Do(1, RenewSession{Session: one}), ErrNoSession.Error())
}

func TestSessionTimesHaveLimits(t *testing.T) {
	b := newBench(t)
	for _, d := range []time.Duration{0, 9999 * time.Millisecond, 24*time.Hour + 1} {
		a, _ := b.s.Exec(b.Now, 1, store.Conn{}, CreateSession{TTL: d})
		if a.Err == nil || errors.Is(a.Err, ErrNoSession) {
			t.Errorf("a session of %v: %v", d, a.Err)
		}
	}
	for _, d := range []time.Duration{ttl, 24 * time.Hour} {
		if a, _ := b.s.Exec(b.Now, 1, store.Conn{}, CreateSession{TTL: d}); a.Err != nil {
			t.Errorf("a session of %v: %v", d, a.Err)
		}
	}
}

// A restarted leader starts all lock delays again, for each key the shortest; any other leader
// keeps its own. Consul 1.21 does the same: TestRealConsulAgreesOnARestart.
func TestARestartStartsLockDelaysAgain(t *testing.T) {
	s := New(time.Second)
	at := func(d time.Duration) store.Clock { return store.Clock{Mono: d} }
	session := func(now, delay time.Duration) string {
		a, _ := s.Exec(at(now), 1, store.Conn{}, CreateSession{TTL: time.Hour, LockDelay: delay})
		return a.Value.(string)
	}
	locks := func(now time.Duration, id string) bool {
		a, _ := s.Exec(at(now), 1, store.Conn{}, Acquire{Key: "lock", Session: id})
		return a.Value == true
	}
	for i, delay := range []time.Duration{2 * time.Second, 20 * time.Second} {
		now := time.Duration(i) * 10 * time.Second
		id := session(now, delay)
		if !locks(now, id) {
			t.Fatalf("the key cannot be locked at %v", now)
		}
		s.Exec(at(now), 1, store.Conn{}, DestroySession{Session: id})
	}
	next := session(10*time.Second, 0)
	for _, tt := range []struct {
		since, now time.Duration
		want       bool
	}{
		{0, 29 * time.Second, false}, {40 * time.Second, 41 * time.Second, false}, {40 * time.Second, 43 * time.Second, true},
	} {
		s.LeaderRuns(tt.since)
		s.Lead(at(tt.now))
		must.Equalf(t, locks(tt.now, next), tt.want,
			"at %v, with a leader that runs since %v", tt.now, tt.since)
	}
}

func TestKeptIsWhatASessionOfTheClientHasLocked(t *testing.T) {
	b := newBench(t)
	one := b.session(1, ttl, 0, false)
	b.Do(1, Acquire{Key: "lock", Session: one})
	b.Do(1, Acquire{Key: "other", Session: one})
	b.Do(1, Release{Key: "other", Session: one})
	b.want("of client 1", fmt.Sprint(b.s.Kept(1)), fmt.Sprint([]store.Entry{{Key: "lock"}}))
	b.want("of client 2", fmt.Sprint(b.s.Kept(2)), "[]")
}

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	opens, makes := history.Op{Does: history.Opens}, history.Op{Key: "lock", Does: history.MakesNew}
	request(CreateSession{TTL: 10 * time.Second, LockDelay: 1500 * time.Millisecond}, "SESSION TTL 10s LOCK-DELAY 1.5s BEHAVIOR release",
		opens)
	request(CreateSession{TTL: 10 * time.Second, DeleteKeys: true}, "SESSION TTL 10s LOCK-DELAY 0s BEHAVIOR delete", opens)
	request(RenewSession{Session: "s"}, "RENEW s", history.Op{Does: history.KeepsAlive})
	request(DestroySession{Session: "s"}, "DESTROY s", history.Op{Does: history.EndsSession})
	request(Acquire{Key: "lock", Value: "A", Session: "s"}, "ACQUIRE lock SESSION s", makes)
	request(Release{Key: "lock", Session: "s"}, "RELEASE lock SESSION s", history.Op{Key: "lock", Does: history.RemovesOwn})
	request(Get{Key: "lock"}, "GET lock", history.Op{Key: "lock", Does: history.Asks})
	request(Get{Key: "lock", After: 7, Wait: 15 * time.Second}, "GET lock INDEX 7 WAIT 15s",
		history.Op{Key: "lock", Does: history.Asks, Blocks: true})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	answer(CreateSession{}, "s-1", nil, "s-1", history.Answer{Session: "s-1"})
	answer(RenewSession{}, time.Second, nil, "TTL 1s", history.Answer{})
	answer(DestroySession{}, true, nil, "true", history.Number(1))
	answer(Acquire{Key: "lock"}, false, nil, "false", history.Number(0))
	answer(Release{Key: "lock"}, true, nil, "true", history.Number(1))
	answer(Get{}, KV{Index: 3}, nil, "no key, index 3", history.Answer{})
	answer(Get{}, KV{Exists: true, LockIndex: 1, ModifyIndex: 4},
		nil, "not locked, lock index 1, modify index 4", history.Answer{})
	answer(Get{}, KV{Exists: true, Session: "s", ModifyIndex: 4},
		nil, "locked by s, lock index 0, modify index 4", history.Answer{Session: "s"})
}
