//go:build linux

package consul

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

var (
	conformanceSeed       = flag.Uint64("conformance.seed", 1, "seed of the random requests")
	conformanceOperations = flag.Int("conformance.operations", 2000, "how many random requests to compare")
)

// pair is the model beside a real server. They get the same requests.
//
// The log of a real cluster has entries of its own, so its indices are other numbers; but
// an index of the model has to be the same one of the server wherever it shows, and a
// later one a later one.
type pair struct {
	t        *testing.T
	model    *Store
	real     *realServer
	now      store.Clock
	luck     *rand.Rand
	next     uint64
	sessions []string          // the model's, dead ones among them
	names    map[string]string // of the server, by the model's
	indices  map[int64]int64   // of the server, by the model's
	queries  []*blocked
	exact    int // blocking queries that the server has answered with the very change that ended them
	answered int
	log      []string
	seen     map[string]int // kinds of answers, so that the test cannot be a test of errors only
}

// blocked is a blocking query that is under way on both sides.
type blocked struct {
	Get
	id     uint64
	states []world.ConsulKV // of its key in the model, from the change on that has ended it
	real   chan outcome
}

type outcome struct {
	kv  world.ConsulKV
	err error
}

func newPair(t *testing.T, leastTTL time.Duration, seed uint64) *pair {
	return &pair{
		t: t, real: startServer(t, leastTTL), model: New(Config{Second: leastTTL / minTTL}),
		luck: rand.New(rand.NewPCG(seed, 1)), names: map[string]string{}, indices: map[int64]int64{}, seen: map[string]int{},
	}
}

func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("%s\nafter %d requests, the last of them:\n%s", fmt.Sprintf(format, args...), len(p.log), strings.Join(p.log[max(0, len(p.log)-15):], "\n"))
}

// exec runs a request on both and compares the answers. A blocking query goes on beside
// the requests that follow.
func (p *pair) exec(op store.Op) any {
	p.t.Helper()
	p.log = append(p.log, string(op.AppendText(nil)))
	p.next++
	answer, done := p.model.Exec(p.now, p.next, store.Conn{ID: p.next, Client: 1}, op)
	if !done {
		p.begin(op.(Get))
		return nil
	}
	got, err := p.real.exec(p.translated(op))
	if made, ok := answer.Value.(string); ok && err == nil {
		p.sessions, p.names[made], got = append(p.sessions, made), got.(string), made
	}
	if want, is := refusal(answer.Err), refusal(err); want != is {
		p.fail("the model answers %q, Consul %q (%v)", want, is, err)
	}
	if kv, ok := answer.Value.(world.ConsulKV); ok {
		if differs := p.differ(kv, got.(world.ConsulKV)); differs != "" {
			p.fail("the model answers %+v\n         Consul %+v: %s", kv, got, differs)
		}
		p.bind(kv, got.(world.ConsulKV))
	} else if answer.Err == nil && answer.Value != got {
		p.fail("the model answers %v, Consul %v", answer.Value, got)
	}
	p.log[len(p.log)-1] += " -> " + answer.Text
	p.seen[kindOf(op, answer)]++
	p.collect()
	return answer.Value
}

// refusal is the kind of an error.
func refusal(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errInvalidTTL) || strings.Contains(err.Error(), "invalid session TTL"):
		return "invalid TTL"
	}
	return err.Error()
}

func kindOf(op store.Op, a store.Answer) string {
	kv, _ := a.Value.(world.ConsulKV)
	switch {
	case a.Err != nil:
		return op.Name() + " refused"
	case op.Name() == "GET":
		return fmt.Sprintf("GET exists %v locked %v", kv.Exists, kv.Session != "")
	case op.Name() == "ACQUIRE" || op.Name() == "RELEASE":
		return op.Name() + " " + a.Text
	}
	return op.Name()
}

// theirs is the server's name of a session.
func (p *pair) theirs(session string) string {
	if name, known := p.names[session]; known {
		return name
	}
	return session
}

// translated is a request in the server's words.
func (p *pair) translated(op store.Op) store.Op {
	switch op := op.(type) {
	case RenewSession:
		return RenewSession{Session: p.theirs(op.Session)}
	case DestroySession:
		return DestroySession{Session: p.theirs(op.Session)}
	case Acquire:
		return Acquire{Key: op.Key, Value: op.Value, Session: p.theirs(op.Session)}
	case Release:
		return Release{Key: op.Key, Value: op.Value, Session: p.theirs(op.Session)}
	case Get:
		if op.After > 0 {
			op.After = p.indices[op.After]
		}
		return op
	}
	return op
}

// differ says in what two answers differ, "" for nothing.
func (p *pair) differ(model, real world.ConsulKV) string {
	if model.Exists != real.Exists || model.Value != real.Value || model.LockIndex != real.LockIndex || p.theirs(model.Session) != real.Session {
		return "another entry"
	}
	for _, i := range [][2]int64{{model.Index, real.Index}, {model.ModifyIndex, real.ModifyIndex}} {
		if known, met := p.indices[i[0]]; met && known != i[1] {
			return fmt.Sprintf("index %d was %d, and is %d now", i[0], known, i[1])
		}
		for m, r := range p.indices {
			if (m < i[0]) != (r < i[1]) || (m == i[0]) != (r == i[1]) {
				return fmt.Sprintf("index %d would be %d, and %d is %d", i[0], i[1], m, r)
			}
		}
	}
	return ""
}

// bind notes which indices are the same.
func (p *pair) bind(model, real world.ConsulKV) {
	p.indices[model.Index] = real.Index
	p.indices[model.ModifyIndex] = real.ModifyIndex
}

// begin lets a query wait on the server as it does in the model.
func (p *pair) begin(op Get) {
	q := &blocked{Get: op, id: p.next, real: make(chan outcome, 1)}
	ask := p.translated(op)
	go func() {
		kv, err := p.real.exec(ask)
		got, _ := kv.(world.ConsulKV)
		q.real <- outcome{got, err}
	}()
	p.queries = append(p.queries, q)
	p.seen["blocking query"]++
	// Nothing tells when the server has begun to wait. Who comes too late hears of a later
	// change, which is no fault of the model; exact says how often that was not so.
	time.Sleep(2 * time.Millisecond)
}

// collect notes which queries the model has answered, and compares what the server says
// to those.
func (p *pair) collect() {
	for _, late := range p.model.Output().Answers {
		for _, q := range p.queries {
			if q.id == late.ID {
				q.states = append(q.states, late.Value.(world.ConsulKV))
			}
		}
	}
	kept := p.queries[:0]
	for _, q := range p.queries {
		if len(q.states) == 0 || !p.compare(q) {
			kept = append(kept, q)
		}
	}
	p.queries = kept
}

// compare compares the answers to a query that the model has answered.
func (p *pair) compare(q *blocked) bool {
	a, _ := p.model.read(q.Key)
	q.states = append(q.states, a.Value.(world.ConsulKV))
	select {
	case got := <-q.real:
		if got.err != nil {
			p.fail("a blocking query: %v", got.err)
		}
		for i, state := range q.states {
			if p.differ(state, got.kv) == "" {
				p.bind(state, got.kv)
				p.answered++
				if i == 0 {
					p.exact++
				}
				return true
			}
		}
		p.fail("%s ends with %+v in the model, with %+v in Consul: %s", q.AppendText(nil), q.states[0], got.kv, p.differ(q.states[0], got.kv))
	case <-time.After(20 * time.Second):
		p.fail("%s ends with %+v in the model, and waits on in Consul", q.AppendText(nil), q.states[0])
	}
	return false
}

// endQueries looks that those which the model keeps waiting wait on the server, too.
func (p *pair) endQueries() {
	for _, q := range p.queries {
		select {
		case got := <-q.real:
			p.fail("%s waits in the model; Consul has answered %+v, %v", q.AppendText(nil), got.kv, got.err)
		default:
		}
	}
}

// script draws requests about a few keys. Those of sessions with a lock delay are used for
// a moment only, in which a delay of a minute does not end.
type script struct {
	*pair
	delayed int // number of the key that such sessions lock
}

func (s *script) key() string {
	if s.luck.IntN(6) == 0 {
		return fmt.Sprintf("delayed-%d", s.delayed)
	}
	return []string{"lock", "lock/a", "other", "o"}[s.luck.IntN(4)]
}

// session is the one that has locked a key, one of the latest, or one that never was.
func (s *script) session(key string) string {
	if e := s.model.entry(key); e != nil && e.session != nil && s.luck.IntN(2) == 0 {
		return e.session.id
	}
	if n := len(s.sessions); n > 0 && s.luck.IntN(20) > 0 {
		return s.sessions[max(0, n-1-s.luck.IntN(5))]
	}
	return "5e551000-ffff-4000-8000-000000000000"
}

func (s *script) step() {
	key := s.key()
	switch n := s.luck.IntN(100); {
	case n < 8:
		s.exec(CreateSession{TTL: 24 * time.Hour, DeleteKeys: s.luck.IntN(2) == 0})
	case n < 12:
		s.exec(RenewSession{Session: s.session(key)})
	case n < 18:
		s.exec(DestroySession{Session: s.session(key)})
	case n < 46:
		s.exec(Acquire{Key: key, Value: fmt.Sprint(s.luck.IntN(2)), Session: s.session(key)})
	case n < 66:
		s.exec(Release{Key: key, Value: fmt.Sprint(s.luck.IntN(2)), Session: s.session(key)})
	case n < 88:
		s.exec(Get{Key: key})
	default:
		seen := s.exec(Get{Key: key}).(world.ConsulKV) // so that its index is known
		s.exec(Get{Key: key, After: seen.Index, Wait: 9 * time.Minute})
	}
}

// delay lets a session with a lock delay die with a key of its own.
func (s *script) delay() {
	s.delayed++
	session := s.exec(CreateSession{TTL: 24 * time.Hour, LockDelay: 5 * time.Minute, DeleteKeys: s.luck.IntN(2) == 0}).(string)
	s.exec(Acquire{Key: fmt.Sprintf("delayed-%d", s.delayed), Value: "", Session: session})
	s.exec(DestroySession{Session: session})
}

// The model and a real Consul give the same answers to random requests, blocking queries
// included.
func TestRealConsulAgrees(t *testing.T) {
	t.Logf("seed %d", *conformanceSeed)
	s := &script{pair: newPair(t, minTTL*time.Second, *conformanceSeed)}
	for len(s.log) < *conformanceOperations {
		if len(s.log)%100 < 2 {
			s.delay()
		}
		s.step()
	}
	s.endQueries()
	t.Logf("%d requests, %d sessions, %d of %d blocking queries ended by the same change: %v", len(s.log), len(s.sessions), s.exact, s.answered, s.seen)
	for _, kind := range []string{
		"SESSION", "RENEW", "RENEW refused", "DESTROY", "ACQUIRE true", "ACQUIRE false", "ACQUIRE refused", "RELEASE true", "RELEASE false",
		"GET exists false locked false", "GET exists true locked false", "GET exists true locked true", "blocking query",
	} {
		if s.seen[kind] < 20 {
			t.Errorf("only %d times %q: the script misses it", s.seen[kind], kind)
		}
	}
	if s.exact*2 < s.answered {
		t.Errorf("only %d of %d blocking queries were ended by the same change", s.exact, s.answered)
	}
}

func TestRealConsulAgreesOnRefusals(t *testing.T) {
	p := newPair(t, minTTL*time.Second, 2)
	for _, ttl := range []time.Duration{time.Second, 9999 * time.Millisecond, 10 * time.Second, 24 * time.Hour, 24*time.Hour + 1} {
		p.exec(CreateSession{TTL: ttl})
	}
	p.exec(Acquire{Key: "lock", Value: "", Session: "none"})
	p.exec(Release{Key: "lock", Value: "", Session: "none"})
	p.exec(RenewSession{Session: "none"})
	p.exec(DestroySession{Session: "none"})
}

// Sessions that end by themselves: never before their time, in the model as on the server
// after twice that, and then the lock delay keeps the key closed. How late the server is
// says how busy the machine is; the model's own times are those of its other tests.
func TestRealConsulAgreesOnExpiry(t *testing.T) {
	p := newPair(t, time.Second, 3)
	const delay = time.Second
	for _, deleteKeys := range []bool{false, true} {
		began := time.Now()
		holder := p.exec(CreateSession{TTL: time.Second, LockDelay: delay, DeleteKeys: deleteKeys}).(string)
		other := p.exec(CreateSession{TTL: time.Hour}).(string)
		p.exec(Acquire{Key: "lock", Value: "A", Session: holder})
		p.exec(Acquire{Key: "lock", Value: "B", Session: other})
		seen := p.exec(Get{Key: "lock"}).(world.ConsulKV)
		p.exec(Get{Key: "lock", After: seen.Index, Wait: time.Minute})

		due, ok := p.model.Due()
		if lasts := due - p.now.Mono; !ok || lasts != 2*time.Second {
			t.Fatalf("the model's session lasts %v, %v", lasts, ok)
		}
		p.now.Mono = due
		p.model.Tick(p.now)
		p.collect() // waits until the session has ended on the server
		if lasted := time.Since(began); lasted < time.Second {
			t.Errorf("Consul has ended a session of 1s after %v", lasted)
		}
		ended := time.Now()
		p.exec(Get{Key: "lock"})
		p.exec(RenewSession{Session: holder})
		p.exec(Release{Key: "lock", Value: "A", Session: holder})
		p.now.Mono += delay - 1
		if a, _ := p.model.Exec(p.now, 0, store.Conn{}, Acquire{Key: "lock", Value: "B", Session: other}); a.Value != false {
			t.Error("the model locks a key whose delay is not over")
		}
		for tries := 0; ; tries++ {
			locked, err := p.real.exec(p.translated(Acquire{Key: "lock", Value: "B", Session: other}))
			if err != nil {
				t.Fatal(err)
			}
			if locked == true {
				if lasted := time.Since(ended); tries == 0 || lasted < delay-200*time.Millisecond {
					t.Errorf("the lock delay of %v was over after %v and %d tries", delay, lasted, tries)
				}
				break
			}
			if time.Since(ended) > 20*time.Second {
				t.Fatal("the lock delay does not end")
			}
			time.Sleep(5 * time.Millisecond)
		}
		p.now.Mono++
		if a, _ := p.model.Exec(p.now, 0, store.Conn{}, Acquire{Key: "lock", Value: "B", Session: other}); a.Value != true {
			t.Error("the model does not lock a key whose delay is over")
		}
		p.exec(Get{Key: "lock"})
		p.exec(DestroySession{Session: other})
	}
}
