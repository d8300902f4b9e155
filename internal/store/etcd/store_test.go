package etcd

import (
	"errors"
	"slices"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

const (
	anna  history.NodeID = 1
	bert  history.NodeID = 2
	carla history.NodeID = 3
)

// bench is a model with a clock that the test moves.
type bench struct {
	*Store
	t   *testing.T
	now store.Clock
}

func newBench(t *testing.T) *bench {
	return &bench{t: t, Store: New(Config{LockKey: "lock"})}
}

// do runs a request of a client that has to succeed at once.
func (b *bench) do(who history.NodeID, op store.Op) any {
	b.t.Helper()
	a, done := b.Exec(b.now, 0, store.Conn{ID: uint64(who), Client: who}, op)
	if a.Err != nil || !done {
		b.t.Fatalf("%s: %v, done: %t", op.AppendText(nil), a.Err, done)
	}
	return a.Value
}

// lease grants 10 s.
func (b *bench) lease(who history.NodeID) int64 {
	b.t.Helper()
	return b.do(who, Grant{TTL: 10 * time.Second}).(Lease).ID
}

func (b *bench) put(who history.NodeID, key string, lease int64) {
	b.t.Helper()
	b.do(who, Op{Kind: Put, Key: key, Lease: lease})
}

func (b *bench) at(d time.Duration) { b.now.Mono = d }

// changes checks the changes since the last call.
func (b *bench) changes(want ...store.Change) {
	b.t.Helper()
	if got := b.Output().Changes; !slices.Equal(got, want) {
		b.t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func granted(key string, owner, by history.NodeID, ttl time.Duration) store.Change {
	return store.Change{Kind: history.Granted, Key: key, Owner: owner, By: by, TTL: ttl}
}

func gone(kind history.Kind, key string, owner, by history.NodeID) store.Change {
	return store.Change{Kind: kind, Key: key, Owner: owner, By: by}
}

func TestTheLocksKeyIsAnEntry(t *testing.T) {
	b := newBench(t)
	lease := b.lease(anna)
	b.at(time.Second)
	b.put(anna, "lock", lease)
	b.changes(granted("lock", anna, anna, 9*time.Second))
	b.at(4 * time.Second)
	b.do(anna, KeepAlive{Lease: lease})
	b.changes(store.Change{Kind: history.Extended, Key: "lock", Owner: anna, By: anna, TTL: 10 * time.Second})
	b.put(carla, "other", 0)
	b.changes()
	b.do(anna, Revoke{Lease: lease})
	b.changes(gone(history.Removed, "lock", anna, anna))
}

func TestAPutOnAnothersKeyTakesIt(t *testing.T) {
	b := newBench(t)
	first, second := b.lease(anna), b.lease(bert)
	b.put(anna, "lock", first)
	b.Output()
	b.put(bert, "lock", second)
	b.changes(gone(history.Removed, "lock", anna, bert), granted("lock", bert, bert, 10*time.Second))
	b.do(anna, Revoke{Lease: first}) // which no longer has the key
	b.changes()
	b.do(bert, Revoke{Lease: second})
	b.changes(gone(history.Removed, "lock", bert, bert))
}

func TestOnlyTheFirstOfTheQueueIsGranted(t *testing.T) {
	b := newBench(t)
	a, c := b.lease(anna), b.lease(carla)
	b.put(anna, "lock/z", a)
	b.changes(granted("lock/z", anna, anna, 10*time.Second))
	b.put(bert, "lock/m", 0)
	b.put(carla, "lock/a", c)
	b.do(carla, KeepAlive{Lease: c}) // of a key that waits
	b.changes()
	b.do(anna, Op{Kind: Delete, Key: "lock/z"})
	b.changes(gone(history.Removed, "lock/z", anna, anna), granted("lock/m", bert, anna, 0))
	b.do(bert, Op{Kind: Delete, Key: "lock/m"})
	b.changes(gone(history.Removed, "lock/m", bert, bert), granted("lock/a", carla, bert, 10*time.Second))
}

// A lease ends at the first scan, every 500 ms, after its time is up.
func TestExpiryIsSeenByAScan(t *testing.T) {
	b := newBench(t)
	b.at(100 * time.Millisecond)
	a := b.lease(anna)
	b.put(anna, "lock/a", a)
	b.put(bert, "lock/b", 0)
	b.Output()
	if due, ok := b.Due(); !ok || due != 10500*time.Millisecond {
		t.Fatalf("due at %v, %t", due, ok)
	}
	b.at(10400 * time.Millisecond)
	b.Tick(b.now)
	b.changes()
	b.at(10500 * time.Millisecond)
	b.Tick(b.now)
	b.changes(gone(history.Expired, "lock/a", anna, 0), granted("lock/b", bert, 0, 0))
	if _, ok := b.Due(); ok {
		t.Error("something is due without leases")
	}
	if b.revision != 4 {
		t.Errorf("revision %d, want 4: two puts and the end of the lease", b.revision)
	}
}

// The keys of a lease are deleted in alphabetical order, as in the lessor of etcd, so that all
// servers notify their watchers in the same order.
func TestTheKeysOfALeaseAreDeletedInOrder(t *testing.T) {
	for _, revoked := range []bool{false, true} {
		b := newBench(t)
		lease := b.lease(anna)
		for _, key := range []string{"m", "z", "a", "b"} {
			b.put(anna, key, lease)
			b.do(bert, Watch{Key: key, From: 6})
		}
		if revoked {
			b.do(anna, Revoke{Lease: lease})
		} else {
			b.at(10 * time.Second)
			b.Tick(b.now)
		}
		var got []string
		for _, p := range b.Output().Pushes {
			got = append(got, p.Text)
		}
		want := []string{"DELETE a, revision 6", "DELETE b, revision 6", "DELETE m, revision 6", "DELETE z, revision 6"}
		if !slices.Equal(got, want) {
			t.Errorf("revoked %t: got %q, want %q", revoked, got, want)
		}
	}
}

// A transaction compares a key with exactly one revision.
func TestATransactionAsksForOneRevision(t *testing.T) {
	b := newBench(t)
	b.put(anna, "lock", 0) // revision 2
	b.put(anna, "lock", 0) // revision 3
	for revision, want := range map[int64]bool{0: false, 2: false, 3: true, 4: false} {
		guarded := Txn{If: []Compare{{Key: "lock", Mod: true, Revision: revision}}}
		if got := b.do(bert, guarded).(Result).Succeeded; got != want {
			t.Errorf("modified at 3, asked for %d: %t", revision, got)
		}
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
		if _, done := b.Exec(b.now, 7, store.Conn{ID: 1, Client: anna}, KeepAlive{Lease: lease}); done != tt.done {
			t.Errorf("at %v: answered at once: %t, want %t", tt.at, done, tt.done)
		}
	}
}

func TestARenewalAfterTheEndWaitsForIt(t *testing.T) {
	b := newBench(t)
	a := b.lease(anna)
	b.put(anna, "lock", a)
	b.at(10100 * time.Millisecond)
	if _, done := b.Exec(b.now, 7, store.Conn{ID: 1, Client: anna}, KeepAlive{Lease: a}); done {
		t.Fatal("it was answered at once")
	}
	if _, done := b.Exec(b.now, 8, store.Conn{ID: 2, Client: bert}, KeepAlive{Lease: a}); done {
		t.Fatal("it was answered at once")
	}
	b.Closed(b.now, store.Conn{ID: 2, Client: bert})
	b.at(10500 * time.Millisecond)
	b.Tick(b.now)
	out := b.Output()
	if len(out.Answers) != 1 || out.Answers[0].ID != 7 || !errors.Is(out.Answers[0].Err, ErrLeaseNotFound) {
		t.Errorf("late answers: %+v", out.Answers)
	}
}

func TestANewLeaderExtendsAllLeases(t *testing.T) {
	b := newBench(t)
	a := b.lease(anna)
	b.put(anna, "lock", a)
	b.Output()
	b.at(10100 * time.Millisecond)
	b.Exec(b.now, 7, store.Conn{ID: 1, Client: anna}, KeepAlive{Lease: a})
	b.Lead(b.now)
	out := b.Output()
	want := []store.Change{
		{Kind: history.Extended, Key: "lock", Owner: anna, TTL: 11 * time.Second},
		{Kind: history.Extended, Key: "lock", Owner: anna, By: anna, TTL: 10 * time.Second},
	}
	if !slices.Equal(out.Changes, want) {
		t.Errorf("got %+v, want %+v", out.Changes, want)
	}
	if len(out.Answers) != 1 || out.Answers[0].ID != 7 || out.Answers[0].Value != 10*time.Second {
		t.Errorf("late answers: %+v", out.Answers)
	}
	b.at(11 * time.Second)
	b.Lead(b.now)
	if due, _ := b.Due(); due != 22*time.Second {
		t.Errorf("due at %v, want 22 s: the full time and an election timeout after 11 s", due)
	}
}

func TestEvictTakesTheGrantedEntry(t *testing.T) {
	b := newBench(t)
	if store.Of(ID).EvictFrom(b.Store, b.now, "lock") {
		t.Error("there was something to drop in an empty store")
	}
	a := b.lease(anna)
	b.put(anna, "lock/a", a)
	b.put(bert, "lock/b", 0)
	b.Output()
	if !store.Of(ID).EvictFrom(b.Store, b.now, "lock") || b.Store.lease(a) != nil {
		t.Error("the lease was not revoked")
	}
	b.changes(gone(history.Removed, "lock/a", anna, 0), granted("lock/b", bert, 0, 0))
	if !store.Of(ID).EvictFrom(b.Store, b.now, "lock") {
		t.Error("a key without a lease was not dropped")
	}
	b.changes(gone(history.Removed, "lock/b", bert, 0))
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
		if got := a.Value.(Lease).TTL; got != tt.want {
			t.Errorf("election %v, asked for %v: got %v, want %v", tt.election, tt.ask, got, tt.want)
		}
	}
}

func TestWatchesBelongToTheirConnection(t *testing.T) {
	b := newBench(t)
	b.put(anna, "lock", 0)
	b.do(bert, Watch{Key: "lock", From: 2})
	b.do(carla, Watch{Key: "lock"})
	b.do(anna, Op{Kind: Delete, Key: "lock"})
	out := b.Output()
	var texts []string
	for _, p := range out.Pushes {
		texts = append(texts, string(rune('0'+p.Conn.ID))+" "+p.Text)
	}
	want := []string{"2 PUT lock, revision 2", "2 DELETE lock, revision 3", "3 DELETE lock, revision 3"}
	if !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	b.Closed(b.now, store.Conn{ID: uint64(bert)})
	b.put(anna, "lock", 0)
	if out := b.Output(); len(out.Pushes) != 1 || out.Pushes[0].Conn.ID != uint64(carla) {
		t.Errorf("pushes after the end of a connection: %+v", out.Pushes)
	}
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
	if err := exec(Grant{TTL: maxTTL + time.Second}).Err; err != ErrTooLong {
		t.Errorf("a lease of %v: %v", maxTTL+time.Second, err)
	}
}
