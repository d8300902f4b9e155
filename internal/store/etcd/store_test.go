package etcd

import (
	"fmt"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/store"
	"lockstep/internal/store/storetest"
)

const anna, bert, carla = 1, 2, 3

// bench is a model with its clients.
type bench struct {
	storetest.Bench
	s *Store
}

func newBench(t *testing.T) *bench {
	s := New(Config{LockKey: "lock"})
	return &bench{storetest.Bench{T: t, Model: s, MessageText: eventText}, s}
}

// eventText is the text of a message to a watcher.
func eventText(message any) string {
	e, verb := message.(Event), "PUT"
	if e.Deleted {
		verb = "DELETE"
	}
	return fmt.Sprintf("%s %s, revision %d", verb, e.Key, e.Revision)
}

// lease grants 10 s.
func (b *bench) lease(who int) int64 {
	b.T.Helper()
	return b.Value(who, Grant{TTL: 10 * time.Second}).(Lease).ID
}

func (b *bench) put(who int, key string, lease int64) {
	b.T.Helper()
	b.Value(who, Op{Kind: Put, Key: key, Lease: lease})
}

func (b *bench) at(d time.Duration) { b.Now.Mono = d }

func TestTheLocksKeyIsAnEntry(t *testing.T) {
	b := newBench(t)
	lease := b.lease(anna)
	b.at(time.Second)
	b.put(anna, "lock", lease)
	b.Noted("1s granted lock of 1 by 1 for 9s")
	b.at(4 * time.Second)
	b.Value(anna, KeepAlive{Lease: lease})
	b.Noted("4s extended lock of 1 by 1 for 10s")
	b.put(carla, "other", 0)
	b.Noted()
	b.Value(anna, Revoke{Lease: lease})
	b.Noted("4s removed lock of 1 by 1")
}

func TestAPutOnAnothersKeyTakesIt(t *testing.T) {
	b := newBench(t)
	first, second := b.lease(anna), b.lease(bert)
	b.put(anna, "lock", first)
	b.Noted("0s granted lock of 1 by 1 for 10s")
	b.put(bert, "lock", second)
	b.Noted("0s removed lock of 1 by 2", "0s granted lock of 2 by 2 for 10s")
	b.Value(anna, Revoke{Lease: first}) // which no longer has the key
	b.Noted()
	b.Value(bert, Revoke{Lease: second})
	b.Noted("0s removed lock of 2 by 2")
}

func TestOnlyTheFirstOfTheQueueIsGranted(t *testing.T) {
	b := newBench(t)
	a, c := b.lease(anna), b.lease(carla)
	b.put(anna, "lock/z", a)
	b.Noted("0s granted lock/z of 1 by 1 for 10s")
	b.put(bert, "lock/m", 0)
	b.put(carla, "lock/a", c)
	b.Value(carla, KeepAlive{Lease: c}) // of a key that waits
	b.Noted()
	b.Value(anna, Op{Kind: Delete, Key: "lock/z"})
	b.Noted("0s removed lock/z of 1 by 1", "0s granted lock/m of 2 by 1")
	b.Value(bert, Op{Kind: Delete, Key: "lock/m"})
	b.Noted("0s removed lock/m of 2 by 2", "0s granted lock/a of 3 by 2 for 10s")
}

// A lease ends at the first scan, every 500 ms, after its time is up.
func TestExpiryIsSeenByAScan(t *testing.T) {
	b := newBench(t)
	b.at(100 * time.Millisecond)
	a := b.lease(anna)
	b.put(anna, "lock/a", a)
	b.put(bert, "lock/b", 0)
	b.Noted("100ms granted lock/a of 1 by 1 for 10s")
	if due, ok := b.s.Due(); !ok || due != 10500*time.Millisecond {
		t.Fatalf("due at %v, %t", due, ok)
	}
	b.at(10400 * time.Millisecond)
	b.s.Tick(b.Now)
	b.Noted()
	b.at(10500 * time.Millisecond)
	b.s.Tick(b.Now)
	b.Noted("10.5s expired lock/a of 1 by 0", "10.5s granted lock/b of 2 by 0")
	if _, ok := b.s.Due(); ok {
		t.Error("something is due without leases")
	}
	must.Equalf(t, b.s.revision, 4, "revision")
}

// The keys of a lease are deleted in alphabetical order, as in the lessor of etcd, so that all
// servers notify their watchers in the same order.
func TestTheKeysOfALeaseAreDeletedInOrder(t *testing.T) {
	for _, revoked := range []bool{false, true} {
		b := newBench(t)
		lease := b.lease(anna)
		for _, key := range []string{"m", "z", "a", "b"} {
			b.put(anna, key, lease)
			b.Value(bert, Watch{Key: key, From: 6})
		}
		if revoked {
			b.Value(anna, Revoke{Lease: lease})
		} else {
			b.at(10 * time.Second)
			b.s.Tick(b.Now)
		}
		at := b.Now.Mono.String()
		b.Noted(at+" to 2: DELETE a, revision 6", at+" to 2: DELETE b, revision 6", at+" to 2: DELETE m, revision 6", at+" to 2: DELETE z, revision 6")
	}
}

// A transaction compares a key with exactly one revision.
func TestATransactionAsksForOneRevision(t *testing.T) {
	b := newBench(t)
	b.put(anna, "lock", 0) // revision 2
	b.put(anna, "lock", 0) // revision 3
	for revision, want := range map[int64]bool{0: false, 2: false, 3: true, 4: false} {
		guarded := Txn{If: []Compare{{Key: "lock", Mod: true, Revision: revision}}}
		must.Equalf(t, b.Value(bert, guarded).(Result).Succeeded, want,
			"modified at 3, asked for %d", revision)
	}
}

// A lease can be renewed until just before its end.
func TestARenewalAtTheLastInstant(t *testing.T) {
	for _, tt := range []struct {
		at   time.Duration
		done bool
	}{{10*time.Second - 1, true}, {10 * time.Second, false}} {
		b := newBench(t)
		lease := b.lease(anna)
		b.at(tt.at)
		if _, done := b.Exec(anna, KeepAlive{Lease: lease}); done != tt.done {
			t.Errorf("at %v: answered at once: %t, want %t", tt.at, done, tt.done)
		}
	}
}

func TestARenewalAfterTheEndWaitsForIt(t *testing.T) {
	b := newBench(t)
	a := b.lease(anna)
	b.put(anna, "lock", a)
	b.at(10100 * time.Millisecond)
	if _, done := b.Exec(anna, KeepAlive{Lease: a}); done {
		t.Fatal("it was answered at once")
	}
	if _, done := b.Exec(bert, KeepAlive{Lease: a}); done {
		t.Fatal("it was answered at once")
	}
	b.s.Closed(b.Now, store.Conn{ID: 2, Client: bert})
	b.at(10500 * time.Millisecond)
	b.s.Tick(b.Now)
	b.Noted("0s granted lock of 1 by 1 for 10s", "10.5s expired lock of 1 by 0", "10.5s answer 3: "+ErrLeaseNotFound.Error())
}

func TestANewLeaderExtendsAllLeases(t *testing.T) {
	b := newBench(t)
	a := b.lease(anna)
	b.put(anna, "lock", a)
	b.Noted("0s granted lock of 1 by 1 for 10s")
	b.at(10100 * time.Millisecond)
	b.Exec(anna, KeepAlive{Lease: a})
	b.Lead()
	b.Noted("10.1s extended lock of 1 by 0 for 11s", "10.1s extended lock of 1 by 1 for 10s", "10.1s answer 3: TTL 10")
	b.at(11 * time.Second)
	b.Lead()
	if due, _ := b.s.Due(); due != 22*time.Second {
		t.Errorf("due at %v, want 22 s: the full time and an election timeout after 11 s", due)
	}
}

func TestEvictTakesTheGrantedEntry(t *testing.T) {
	b := newBench(t)
	if b.Evict(ID) {
		t.Error("there was something to drop in an empty store")
	}
	a := b.lease(anna)
	b.put(anna, "lock/a", a)
	b.put(bert, "lock/b", 0)
	b.Noted("0s granted lock/a of 1 by 1 for 10s")
	if !b.Evict(ID) || b.s.lease(a) != nil {
		t.Error("the lease was not revoked")
	}
	b.Noted("0s removed lock/a of 1 by 0", "0s granted lock/b of 2 by 0")
	if !b.Evict(ID) {
		t.Error("a key without a lease was not dropped")
	}
	b.Noted("0s removed lock/b of 2 by 0")
}

// With an election timeout of 1 s no lease is shorter than 2 s.
func TestTheShortestLease(t *testing.T) {
	tests := []struct{ election, ask, want time.Duration }{
		{0, time.Second, 2 * time.Second},
		{0, 3 * time.Second, 3 * time.Second},
		{100 * time.Millisecond, time.Second, time.Second},
		{2 * time.Second, time.Second, 3 * time.Second},
	}
	for _, tt := range tests {
		s := New(Config{Election: tt.election})
		a, _ := s.Exec(store.Clock{}, 0, store.Conn{}, Grant{TTL: tt.ask})
		must.Equalf(t, a.Value.(Lease).TTL, tt.want,
			"election %v, asked for %v", tt.election, tt.ask)
	}
}

func TestWatchesBelongToTheirConnection(t *testing.T) {
	b := newBench(t)
	b.put(anna, "lock", 0)
	b.Value(bert, Watch{Key: "lock", From: 2})
	b.Value(carla, Watch{Key: "lock"})
	b.Value(anna, Op{Kind: Delete, Key: "lock"})
	b.Noted("0s granted lock of 1 by 1", "0s to 2: PUT lock, revision 2", "0s removed lock of 1 by 1",
		"0s to 2: DELETE lock, revision 3", "0s to 3: DELETE lock, revision 3")
	b.s.Closed(b.Now, store.Conn{ID: uint64(bert)})
	b.put(anna, "lock", 0)
	b.Noted("0s granted lock of 1 by 1", "0s to 3: PUT lock, revision 4")
}

// A sorted range that is limited to one key still counts all, and says that there are more; a lease
// that is too long is refused. The tests against real servers compare this with etcd 3.4.
func TestCutRangesAndLongLeases(t *testing.T) {
	s := New(Config{})
	exec := func(op store.Op) store.Answer {
		a, _ := s.Exec(store.Clock{}, 1, store.Conn{}, op)
		return a
	}
	for _, key := range []string{"l/b", "l/a", "l/c"} {
		exec(Op{Kind: Put, Key: key})
	}
	for _, tt := range []struct {
		op   Op
		more bool
	}{
		{Op{Key: "l/", Prefix: true, FirstCreated: true}, true},
		{Op{Key: "l/", Prefix: true, MaxCreateRevision: 3}, true},
		{Op{Key: "l/", Prefix: true, MaxCreateRevision: 2}, false},
	} {
		got := exec(tt.op).Value.(Result).Responses[0]
		if got.Count != 3 || got.More != tt.more || len(got.KVs) != 1 {
			t.Errorf("%+v: %+v, want one of 3 keys, and more: %v", tt.op, got, tt.more)
		}
	}
	must.Equalf(t, exec(Grant{TTL: maxTTL + time.Second}).Err, ErrTooLong,
		"a lease of %v", maxTTL+time.Second)
}

func TestKept(t *testing.T) {
	b := newBench(t)
	b.put(anna, "q/1", b.lease(anna))
	b.put(bert, "q/2", 0)
	for who, want := range map[history.NodeID][]store.Entry{
		anna: {{Key: "q/1", Lease: 10 * time.Second}, {Key: "q"}},
		bert: {{Key: "q/2"}, {Key: "q"}},
	} {
		must.Slicesf(t, b.s.Kept(who), want, "of %d", who)
	}
}

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	const lease = 0x1f
	op := func(key string, does history.Effect) history.Op { return history.Op{Key: key, Does: does} }
	request(Grant{TTL: 10 * time.Second}, "GRANT 10", history.Op{Does: history.Opens})
	request(KeepAlive{Lease: lease}, "KEEPALIVE 1f", history.Op{Does: history.KeepsAlive})
	request(Revoke{Lease: lease}, "REVOKE 1f", history.Op{Does: history.RevokesLease})
	request(Watch{Key: "lock"}, "WATCH lock", history.Op{Key: "lock", Does: history.NoEntry, Watches: true})
	request(Watch{Key: "lock/", From: 7, Prefix: true}, "WATCH lock/ PREFIX FROM 7",
		history.Op{Key: "lock/", Does: history.NoEntry, Watches: true})

	get, put, del := Op{Key: "lock"}, Op{Kind: Put, Key: "lock", Value: "A", Lease: lease}, Op{Kind: Delete, Key: "lock"}
	place, leaves := Op{Kind: Put, Key: "lock/7"}, Op{Kind: Delete, Key: "lock/7"}
	request(get, "GET lock", op("lock", history.Asks))
	request(Op{Key: "lock/", Prefix: true}, "GET lock/ PREFIX", op("lock/", history.Asks))
	request(Op{Key: "lock/", Prefix: true, FirstCreated: true}, "GET lock/ PREFIX FIRST CREATED", op("lock/", history.Asks))
	request(Op{Key: "lock/", Prefix: true, MaxCreateRevision: 6}, "GET lock/ PREFIX LAST CREATED UP TO 6", op("lock/",
		history.Asks))
	request(put, "PUT lock A LEASE 1f", op("lock", history.TakesOver))
	request(place, "PUT lock/7", op("lock/7", history.Queues))
	request(del, "DELETE lock", op("lock", history.Removes))
	request(leaves, "DELETE lock/7", op("lock/7", history.RemovesOwn))
	request(Op{Kind: Delete, Key: "lock/", Prefix: true, FirstCreated: true}, "DELETE lock/ PREFIX", op("lock/",
		history.Removes))

	txn := func(key string, does history.Effect) history.Op {
		return history.Op{Key: key, Does: does, Checks: true}
	}
	absent, seen := []Compare{{Key: "lock"}}, []Compare{{Key: "lock", Mod: true, Revision: 9}}
	request(Txn{If: absent, Then: []Op{put}, Else: []Op{get}}, "TXN IF create(lock) = 0 THEN PUT lock A LEASE 1f ELSE GET lock", txn("lock",
		history.MakesNew))
	request(Txn{If: seen, Then: []Op{put}}, "TXN IF mod(lock) = 9 THEN PUT lock A LEASE 1f", txn("lock", history.Makes))
	request(Txn{If: absent, Then: []Op{place, get}}, "TXN IF create(lock) = 0 THEN PUT lock/7, GET lock", txn("lock/7",
		history.Queues))
	request(Txn{If: append(absent, seen...), Then: []Op{leaves}}, "TXN IF create(lock) = 0 AND mod(lock) = 9 THEN DELETE lock/7", txn("lock/7",
		history.RemovesOwn))
	request(Txn{If: []Compare{{Key: "lock", ByValue: true, Value: "A"}}, Then: []Op{del}}, "TXN IF value(lock) = A THEN DELETE lock", txn("lock",
		history.Removes))
	request(Txn{Then: []Op{put, del}}, "TXN THEN PUT lock A LEASE 1f, DELETE lock", op("lock lock", history.Anything))
	request(Txn{Then: []Op{get}}, "TXN THEN GET lock", history.Op{Does: history.Asks})
	request(Txn{}, "TXN", history.Op{Does: history.Asks})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	found := Result{Revision: 7, Succeeded: true, Responses: []Response{{Deleted: 2}, {KVs: []KV{{Key: "lock", CreateRevision: 3}}}}}
	answer(Grant{}, Lease{ID: 31, TTL: 10 * time.Second}, nil, "lease 1f, TTL 10", history.Answer{Session: "1f"})
	answer(KeepAlive{}, 10*time.Second, nil, "TTL 10", history.Answer{})
	answer(KeepAlive{}, nil, ErrLeaseNotFound, "etcdserver: requested lease not found",
		history.Answer{Refused: ErrLeaseNotFound.Error()})
	answer(Revoke{}, nil, nil, "OK", history.Answer{})
	answer(Watch{}, int64(7), nil, "OK", history.Answer{})
	answer(Op{}, found, nil, "revision 7, deleted 2, lock created 3", history.Answer{Revision: 7})
	answer(Txn{}, found, nil, "succeeded, revision 7, deleted 2, lock created 3", history.Answer{Revision: 7})
	answer(Txn{}, Result{Revision: 1}, nil, "failed, revision 1", history.Answer{Revision: 1})
}
