package zookeeper

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

// The connections of two clients; b2 is a second one of B.
var (
	a  = store.Conn{ID: 1, Client: 1}
	b  = store.Conn{ID: 2, Client: 2}
	b2 = store.Conn{ID: 3, Client: 2}
)

// tape is a model whose answers and outputs become texts.
type tape struct {
	*Model
	t   *testing.T
	now time.Duration
}

func newTape(t *testing.T) *tape {
	return &tape{Model: New(Config{Tick: 2 * time.Second, LockPath: "/lock"}), t: t}
}

// do executes a request and returns its answer and what came out.
func (p *tape) do(c store.Conn, op store.Op) string {
	p.t.Helper()
	answer, done := p.Exec(store.Clock{Mono: p.now}, 0, c, op)
	if !done {
		p.t.Fatalf("%s waits", op.AppendText(nil))
	}
	return store.AnswerText(op, answer.Value, answer.Err) + p.rest()
}

var eventTexts = [...]string{NodeCreated: "CREATED", NodeDeleted: "DELETED", NodeChanged: "CHANGED"}

// rest is the model's output besides answers.
func (p *tape) rest() string {
	out := p.Output()
	text := ""
	for _, c := range out.Changes {
		text += fmt.Sprintf(" | %v %s of %d by %d", c.Kind, c.Key, c.Owner, c.By)
		if c.TTL > 0 {
			text += " for " + c.TTL.String()
		}
	}
	for _, push := range out.Pushes {
		e := push.Value.(Event)
		text += fmt.Sprintf(" | to %d: %s %s", push.Conn.ID, eventTexts[e.Type], e.Path)
	}
	for _, c := range out.Drops {
		text += fmt.Sprintf(" | drop %d", c.ID)
	}
	return text
}

func (p *tape) expect(got, want string) {
	p.t.Helper()
	must.Equal(p.t, got, want)
}

func (p *tape) tick(at time.Duration) string {
	p.now = at
	p.Tick(store.Clock{Mono: at})
	return p.rest()
}

func ephemeral(path string) Create { return Create{Path: path, Mode: Ephemeral} }

func sequential(path string) Create { return Create{Path: path, Mode: EphemeralSequential} }

func TestEntryIsTheEphemeralNode(t *testing.T) {
	p := newTape(t)
	p.expect(p.do(a, Connect{Timeout: 10 * time.Second}), "session 0x1, timeout 10000")
	p.expect(p.do(b, Connect{Timeout: 10 * time.Second}), "session 0x2, timeout 10000")
	p.expect(p.do(a, ephemeral("/lock")), "/lock | granted /lock of 1 by 1 for 10s")
	p.expect(p.do(b, ephemeral("/lock")), "(error) zk: node already exists")
	p.expect(p.do(b, Exists{Path: "/lock", Watch: true}), "czxid 3, version 0, session 0x1")
	p.expect(p.do(b, Delete{Path: "/lock", Version: 1}), "(error) zk: version conflict")
	p.expect(p.do(b, Delete{Path: "/lock", Version: 0}), "OK | removed /lock of 1 by 2 | to 2: DELETED /lock")
	p.expect(p.do(a, Delete{Path: "/lock", Version: -1}), "(error) zk: node does not exist")
	p.expect(p.do(b, Exists{Path: "/lock", Watch: true}), "no node")
	p.expect(p.do(b, ephemeral("/lock")), "/lock | granted /lock of 2 by 2 for 10s | to 2: CREATED /lock")
	p.expect(p.do(b, Exists{Path: "/lock"}), "czxid 8, version 0, session 0x2") // 4, 5 and 7 failed, 6 deleted
	p.expect(p.do(a, Close{}), "OK")
}

func TestEntryIsTheHeadOfTheQueue(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(b, Connect{Timeout: 20 * time.Second})
	p.expect(p.do(a, Create{Path: "/lock"}), "/lock")
	p.expect(p.do(b, sequential("/lock/z-")), "/lock/z-0000000000 | granted /lock/z-0000000000 of 2 by 2 for 20s")
	p.expect(p.do(a, sequential("/lock/a-")), "/lock/a-0000000001")
	p.expect(p.do(a, ephemeral("/lock/other")), "/lock/other")
	p.expect(p.do(a, Children{Path: "/lock"}), "[z-0000000000 a-0000000001 other]")
	p.expect(p.do(b, Exists{Path: "/lock/a-0000000001", Watch: true}), "czxid 5, version 0, session 0x1")
	p.expect(p.do(b, Delete{Path: "/lock/z-0000000000", Version: -1}),
		"OK | removed /lock/z-0000000000 of 2 by 2 | granted /lock/a-0000000001 of 1 by 2 for 10s")
	// Four children were made, one is gone: the next number is 3, not 2.
	p.expect(p.do(b, sequential("/lock/z-")), "/lock/z-0000000003")
	p.expect(p.do(a, Close{}),
		"OK | removed /lock/a-0000000001 of 1 by 1 | granted /lock/z-0000000003 of 2 by 1 for 20s | to 2: DELETED /lock/a-0000000001")
}

// A session of 10 s that was touched at 3 s ends at the tick after 13 s.
func TestSessionsEndOnATick(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(a, ephemeral("/lock"))
	p.now = 3 * time.Second
	p.expect(p.do(a, Ping{}), "OK | extended /lock of 1 by 1 for 10s")
	if due, ok := p.Due(); due != 14*time.Second || !ok {
		t.Errorf("due at %v, %v", due, ok)
	}
	p.expect(p.tick(14*time.Second-1), "")
	p.expect(p.tick(14*time.Second), " | expired /lock of 1 by 0 | drop 1")
	if due, ok := p.Due(); ok {
		t.Errorf("due at %v without a session", due)
	}
	p.expect(p.do(a, Ping{}), "(error) connection lost | drop 1")
	p.expect(p.do(a, Connect{Timeout: 10 * time.Second, Session: 1}), "(error) zk: session has been expired by the server")
}

// A session's end is rounded up to the next tick, so it never ends too early.
func TestSessionsAreRoundedUp(t *testing.T) {
	tests := []struct{ touched, asked, end time.Duration }{
		{0, 10 * time.Second, 12 * time.Second},
		{1999 * time.Millisecond, 10 * time.Second, 12 * time.Second},
		{2 * time.Second, 10 * time.Second, 14 * time.Second},
		{0, time.Second, 6 * time.Second},  // at least two ticks
		{0, time.Minute, 42 * time.Second}, // at most twenty
		{0, 5 * time.Second, 6 * time.Second},
	}
	for _, tt := range tests {
		p := newTape(t)
		p.now = tt.touched
		p.do(a, Connect{Timeout: tt.asked})
		if due, _ := p.Due(); due != tt.end {
			t.Errorf("%v asked for at %v: ends at %v, want %v", tt.asked, tt.touched, due, tt.end)
		}
	}
}

// Two sessions end at the same tick in the order of their beginnings, and the next request is not
// their cause.
func TestExpiryComesBeforeTheNextRequest(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(b, Connect{Timeout: 10 * time.Second})
	p.do(a, Create{Path: "/lock"})
	p.do(a, sequential("/lock/q-"))
	p.do(b, sequential("/lock/q-"))
	p.now = 12 * time.Second
	p.expect(p.do(b2, Connect{Timeout: 10 * time.Second}), "session 0x3, timeout 10000"+
		" | expired /lock/q-0000000000 of 1 by 0 | granted /lock/q-0000000001 of 2 by 0 for 10s"+
		" | expired /lock/q-0000000001 of 2 by 0 | drop 1 | drop 2")
}

func TestANewLeaderRestartsAllSessionTimeouts(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(b, Connect{Timeout: 20 * time.Second})
	p.do(a, ephemeral("/lock"))
	p.do(b, Exists{Path: "/lock", Watch: true})
	p.Closed(store.Clock{}, b)
	p.now = 11 * time.Second
	p.Lead(store.Clock{Mono: p.now})
	p.expect(p.rest(), " | extended /lock of 1 by 0 for 10s | drop 1")
	if due, _ := p.Due(); due != 22*time.Second {
		t.Errorf("due at %v", due)
	}
	p.expect(p.do(a, Connect{Timeout: 10 * time.Second, Session: 1}), "session 0x1, timeout 10000 | extended /lock of 1 by 1 for 10s")
	p.expect(p.do(b2, Connect{Timeout: 20 * time.Second, Session: 2}), "session 0x2, timeout 20000")
	p.expect(p.do(a, Delete{Path: "/lock", Version: -1}), "OK | removed /lock of 1 by 1") // B's watch ended with its connection
	p.expect(p.do(a, ephemeral("/lock")), "/lock | granted /lock of 1 by 1 for 10s")
	p.expect(p.do(b2, Exists{Path: "/lock"}), "czxid 4294967298, version 0, session 0x1") // the second of the epoch
}

func TestSessionIsOnOneConnection(t *testing.T) {
	p := newTape(t)
	p.do(b, Connect{Timeout: 10 * time.Second})
	p.do(b, Exists{Path: "/lock", Watch: true})
	p.expect(p.do(b2, Connect{Timeout: 20 * time.Second, Session: 1}), "session 0x1, timeout 20000 | drop 2")
	p.Closed(store.Clock{}, b) // late: the session has a new connection
	p.expect(p.do(b2, SetWatches{Since: 1, Exist: []string{"/lock"}}), "OK")
	p.expect(p.do(b2, ephemeral("/lock")), "/lock | granted /lock of 2 by 2 for 20s | to 3: CREATED /lock")
	p.expect(p.do(b2, SetWatches{Since: 2, Data: []string{"/lock"}}), "OK")
	p.expect(p.do(b2, SetWatches{Since: 1, Data: []string{"/lock", "/gone"}, Exist: []string{"/lock"}}),
		"OK | to 3: CHANGED /lock | to 3: DELETED /gone | to 3: CREATED /lock")
}

// Resuming a session restarts its timeout; the end of its connection does not.
func TestResumingASessionRestartsItsTimeout(t *testing.T) {
	p := newTape(t)
	p.do(b, Connect{Timeout: 10 * time.Second})
	p.now = 3 * time.Second
	p.Closed(store.Clock{Mono: p.now}, b)
	if due, _ := p.Due(); due != 12*time.Second {
		t.Errorf("without a connection it ends at %v, want 12s", due)
	}
	p.do(b2, Connect{Timeout: 10 * time.Second, Session: 1})
	if due, _ := p.Due(); due != 14*time.Second {
		t.Errorf("resumed after 3s it ends at %v, want 14s", due)
	}
}

func TestEvictEndsTheSessionOfTheEntry(t *testing.T) {
	p := newTape(t)
	if p.Evict(store.Clock{}, "lock") {
		t.Error("dropped what is not there")
	}
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(b, Connect{Timeout: 10 * time.Second})
	p.do(a, ephemeral("/lock"))
	if !p.Evict(store.Clock{}, "lock") {
		t.Error("dropped nothing")
	}
	p.expect(p.rest(), " | removed /lock of 1 by 0 | drop 1")
	p.expect(p.do(b, Exists{Path: "/lock"}), "no node")
}

func TestErrorsAreThoseOfTheStore(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	p.do(a, ephemeral("/e"))
	p.do(a, Create{Path: "/p"})
	p.do(a, Create{Path: "/p/q"})
	for _, tt := range []struct {
		op   store.Op
		want error
	}{
		{Create{Path: "/none/x"}, ErrNoNode},
		{Create{Path: "/p"}, ErrNodeExists},
		{Create{Path: "/e/x"}, ErrEphemeralParent},
		{Create{Path: "x"}, ErrBadArguments},
		{Create{Path: "/a/"}, ErrNoNode},
		{Create{Path: "//a"}, ErrBadArguments},
		{Create{Path: "/."}, ErrBadArguments},
		{Create{Path: "/🔒"}, ErrBadArguments},
		{Create{Path: "/"}, ErrNodeExists},
		{Delete{Path: "/p", Version: -1}, ErrNotEmpty},
		{Delete{Path: "/p", Version: 3}, ErrBadVersion},
		{Delete{Path: "/"}, ErrBadArguments},
		{Children{Path: "/none"}, ErrNoNode},
	} {
		got, _ := p.Exec(store.Clock{}, 0, a, tt.op)
		text := store.AnswerText(tt.op, got.Value, got.Err)
		if !errors.Is(got.Err, tt.want) || text != "(error) "+tt.want.Error() {
			t.Errorf("%s: got %v %q, want %v", tt.op.AppendText(nil), got.Err, text, tt.want)
		}
	}
	must.Equalf(t, len(p.Output().Changes), 0, "a failed request changed an entry")
}

func TestKeptIsWhatLivesAsLongAsASession(t *testing.T) {
	p := newTape(t)
	p.do(a, Connect{Timeout: 10 * time.Second})
	for _, op := range []Create{{Path: "/lock"}, sequential("/lock/q-"), ephemeral("/other")} {
		p.do(a, op)
	}
	p.expect(fmt.Sprint(p.Kept(1)), fmt.Sprint([]store.Entry{{Key: "lock/q-0000000000"}, {Key: "lock"}, {Key: "other"}}))
	p.expect(fmt.Sprint(p.Kept(2)), "[]")
}

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	lock := func(does history.Effect) history.Op { return history.Op{Key: "/lock", Does: does} }
	request(Connect{Timeout: 10 * time.Second}, "CONNECT 10000", history.Op{Does: history.Opens})
	request(Connect{Timeout: time.Second, Session: 31}, "CONNECT 1000 SESSION 0x1f", history.Op{Does: history.Opens})
	request(Ping{}, "PING", history.Op{Does: history.KeepsAlive})
	request(Create{Path: "/lock", Data: "A"}, "CREATE /lock", lock(history.MakesNew))
	request(Create{Path: "/lock", Mode: Ephemeral}, "CREATE /lock EPHEMERAL", lock(history.MakesNew))
	request(Create{Path: "/lock/a-", Mode: EphemeralSequential}, "CREATE /lock/a- EPHEMERAL SEQUENTIAL",
		history.Op{Key: "/lock/a-", Does: history.Queues})
	request(Delete{Path: "/lock", Version: -1}, "DELETE /lock -1", lock(history.Removes))
	request(Delete{Path: "/lock/a-1", Version: 0}, "DELETE /lock/a-1 0",
		history.Op{Key: "/lock/a-1", Does: history.RemovesOwn, Checks: true})
	request(Exists{Path: "/lock"}, "EXISTS /lock", lock(history.Asks))
	request(Exists{Path: "/lock", Watch: true}, "EXISTS /lock WATCH",
		history.Op{Key: "/lock", Does: history.Asks, Watches: true})
	request(Children{Path: "/lock"}, "CHILDREN /lock", lock(history.Asks))
	request(SetWatches{Since: 7, Data: []string{"/a"}, Exist: []string{"/b"}}, "SETWATCHES SINCE 7 /a /b",
		history.Op{Does: history.NoEntry})
	request(Close{}, "CLOSE", history.Op{Does: history.EndsSession})
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	answer(Connect{}, ConnectReply{31, time.Second}, nil, "session 0x1f, timeout 1000", history.Answer{Session: "0x1f"})
	answer(Create{}, Created{Path: "/lock"}, nil, "/lock", history.Answer{})
	answer(Create{}, nil, ErrNodeExists, "(error) zk: node already exists", history.Answer{Refused: "zk: node already exists"})
	answer(Delete{}, nil, nil, "OK", history.Answer{})
	answer(Exists{}, Found{}, nil, "no node", history.Answer{})
	answer(Exists{}, Found{Stat: &Stat{Czxid: 4}}, nil, "czxid 4, version 0", history.Answer{})
	answer(Exists{}, Found{Stat: &Stat{Czxid: 7, Version: 1, EphemeralOwner: 31}},
		nil, "czxid 7, version 1, session 0x1f", history.Answer{Session: "0x1f"})
	answer(Children{}, []string{"a", "b"}, nil, "[a b]", history.Answer{})
	answer(Close{}, nil, nil, "OK", history.Answer{})
}

func TestTickFollowsAShortLease(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{
		10 * time.Second: 2 * time.Second, 30 * time.Second: 2 * time.Second,
		time.Second: 200 * time.Millisecond, 7 * time.Millisecond: time.Millisecond, 1: time.Millisecond,
	} {
		must.Equalf(t, TickFor(lease), want, "lease %v: tick", lease)
	}
}
