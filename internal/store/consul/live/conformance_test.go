//go:build linux

package live

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
	"lockstep/internal/store/storetest"
)

// pair is the model and a real server.
//
// The log of a real cluster has more entries, so its indices differ. But each index of the model
// has to correspond to one index of the server, in the same order.
type pair struct {
	storetest.Duel
	model    *consul.Store
	server   *livetest.Servers
	sessions storetest.Names[string]
	indices  map[int64]int64 // of the server, by the model's
	blocked  int
}

func newPair(t *testing.T, leastTTL time.Duration) *pair {
	second := leastTTL / leastSession
	p := &pair{
		server: livetest.Start(t, consul.ID, livestore.Wish{Settings: store.Settings{second}}),
		model:  consul.New(second), indices: map[int64]int64{},
	}
	p.Duel = storetest.Duel{
		T: t, Model: p.model, Real: p.server.Do,
		Translate: p.translated, Same: p.differ, Kind: kindOf, Waits: p.begin,
	}
	return p
}

// begin gives a query time to arrive, since the server does not confirm it. A late query would see
// the change for which the others wait.
func (p *pair) begin(blocked int) bool {
	if blocked > p.blocked {
		time.Sleep(2 * time.Millisecond)
	}
	p.blocked = blocked
	return true
}

// refusal is the kind of an error.
func refusal(err error) string {
	switch {
	case err == nil:
		return ""
	case strings.Contains(strings.ToLower(err.Error()), "invalid session ttl"):
		return "invalid TTL"
	}
	return err.Error()
}

func kindOf(op store.Op, a store.Answer) string {
	kv, _ := a.Value.(consul.KV)
	switch name := ports.Name(op); {
	case a.Err != nil:
		return name + " refused"
	case name == "GET":
		return fmt.Sprintf("GET exists %v locked %v", kv.Exists, kv.Session != "")
	case name == "ACQUIRE" || name == "RELEASE":
		return name + " " + store.AnswerText(op, a.Value, a.Err)
	default:
		return name
	}
}

// translated is a request with the server's names and indices.
func (p *pair) translated(op store.Op) store.Op {
	switch op := op.(type) {
	case consul.RenewSession:
		return consul.RenewSession{Session: p.sessions.Theirs(op.Session)}
	case consul.DestroySession:
		return consul.DestroySession{Session: p.sessions.Theirs(op.Session)}
	case consul.Acquire:
		op.Session = p.sessions.Theirs(op.Session)
		return op
	case consul.Release:
		op.Session = p.sessions.Theirs(op.Session)
		return op
	case consul.Get:
		if op.After > 0 {
			op.After = p.indices[op.After]
		}
		return op
	}
	return op
}

// differ says how two answers differ, "" if they do not, and records names and indices.
func (p *pair) differ(op store.Op, want store.Answer, got storetest.Reply) string {
	if refusal(want.Err) != refusal(got.Err) {
		return "another refusal"
	}
	switch value := want.Value.(type) {
	case string:
		p.sessions.Bind(value, got.Value.(string))
		return ""
	case consul.KV:
		return p.differs(value, got.Value.(consul.KV))
	}
	if want.Err == nil && want.Value != got.Value {
		return "another answer"
	}
	return ""
}

func (p *pair) differs(model, real consul.KV) string {
	if model.Exists != real.Exists || model.Value != real.Value || model.LockIndex != real.LockIndex || p.sessions.Theirs(model.Session) != real.Session {
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
	p.indices[model.Index] = real.Index
	p.indices[model.ModifyIndex] = real.ModifyIndex
	return ""
}

// script draws requests about a few keys. Keys with a lock delay are used only briefly, so that no
// delay ends.
type script struct {
	*pair
	rng     *rand.Rand
	delayed int // the number of the last key with a lock delay
}

func (s *script) key() string {
	if s.rng.IntN(6) == 0 {
		return fmt.Sprintf("delayed-%d", s.delayed)
	}
	return []string{"lock", "lock/a", "other", "o"}[s.rng.IntN(4)]
}

// session picks the session that has locked a key, a recent one, or one that never existed.
func (s *script) session(key string) string {
	if holder := s.Modelled(consul.Get{Key: key}).(consul.KV).Session; holder != "" && s.rng.IntN(2) == 0 {
		return holder
	}
	if n := len(s.sessions.Made); n > 0 && s.rng.IntN(20) > 0 {
		return s.sessions.Made[max(0, n-1-s.rng.IntN(5))]
	}
	return "5e551000-ffff-4000-8000-000000000000"
}

func (s *script) next() ports.Request {
	if s.Asked%100 < 2 {
		s.delay()
	}
	key := s.key()
	switch n := s.rng.IntN(100); {
	case n < 8:
		return consul.CreateSession{TTL: 24 * time.Hour, DeleteKeys: s.rng.IntN(2) == 0}
	case n < 12:
		return consul.RenewSession{Session: s.session(key)}
	case n < 18:
		return consul.DestroySession{Session: s.session(key)}
	case n < 46:
		return consul.Acquire{Key: key, Value: fmt.Sprint(s.rng.IntN(2)), Session: s.session(key)}
	case n < 66:
		return consul.Release{Key: key, Value: fmt.Sprint(s.rng.IntN(2)), Session: s.session(key)}
	case n < 88:
		return consul.Get{Key: key}
	}
	seen := s.Do(consul.Get{Key: key}).(consul.KV) // so that its index is known
	return consul.Get{Key: key, After: seen.Index, Wait: 9 * time.Minute}
}

// delay destroys a session with a lock delay and a separate key.
func (s *script) delay() {
	s.delayed++
	session := s.Do(consul.CreateSession{TTL: 24 * time.Hour, LockDelay: 5 * time.Minute, DeleteKeys: s.rng.IntN(2) == 0}).(string)
	s.Do(consul.Acquire{Key: fmt.Sprintf("delayed-%d", s.delayed), Value: "", Session: session})
	s.Do(consul.DestroySession{Session: session})
}

// The model and a real Consul give the same answers to random requests, blocking queries
// included.
func TestRealConsulAgrees(t *testing.T) {
	s := &script{pair: newPair(t, leastSession*time.Second), rng: storetest.Rand(t, 1, 1)}
	s.Run(2000, s.next)
	s.Demand(20,
		"SESSION", "RENEW", "RENEW refused", "DESTROY", "ACQUIRE true", "ACQUIRE false", "ACQUIRE refused", "RELEASE true", "RELEASE false",
		"GET exists false locked false", "GET exists true locked false", "GET exists true locked true", "GET waits",
		"GET exists true locked false, late", "GET exists true locked true, late",
	)
}

func TestRealConsulAgreesOnRefusals(t *testing.T) {
	p := newPair(t, leastSession*time.Second)
	for _, ttl := range []time.Duration{time.Second, 9999 * time.Millisecond, 10 * time.Second, 24 * time.Hour, 24*time.Hour + 1} {
		p.Do(consul.CreateSession{TTL: ttl})
	}
	p.Do(consul.Acquire{Key: "lock", Value: "", Session: "none"})
	p.Do(consul.Release{Key: "lock", Value: "", Session: "none"})
	p.Do(consul.RenewSession{Session: "none"})
	p.Do(consul.DestroySession{Session: "none"})
	seen := p.Do(consul.Get{Key: "lock"}).(consul.KV)
	again, err := p.Served(consul.Get{Key: "lock", After: seen.Index, Wait: 10 * time.Millisecond})
	if index := p.indices[seen.Index]; err != nil || index < 1 || again != (consul.KV{Index: index}) {
		t.Errorf("after a wait in vain: %+v, %v", again, err)
	}
}

// Sessions never expire before their time, and in the model after twice that; then the lock delay
// begins. How late the server is depends on the machine. Other tests have the exact times of the
// model.
func TestRealConsulAgreesOnExpiry(t *testing.T) {
	p := newPair(t, time.Second)
	const delay = time.Second
	for _, deleteKeys := range []bool{false, true} {
		began := time.Now()
		holder := p.Do(consul.CreateSession{TTL: time.Second, LockDelay: delay, DeleteKeys: deleteKeys}).(string)
		other := p.Do(consul.CreateSession{TTL: time.Hour}).(string)
		p.Do(consul.Acquire{Key: "lock", Value: "A", Session: holder})
		lock := consul.Acquire{Key: "lock", Value: "B", Session: other}
		p.Do(lock)
		seen := p.Do(consul.Get{Key: "lock"}).(consul.KV)
		p.Do(consul.Get{Key: "lock", After: seen.Index, Wait: time.Minute})

		due := p.Due()
		if lasts := due - p.Clock.Mono; lasts != 2*time.Second {
			t.Fatalf("the model's session lasts %v", lasts)
		}
		p.Tick(due) // waits until the session has ended on the server
		if lasted := time.Since(began); lasted < time.Second {
			t.Errorf("Consul has ended a session of 1s after %v", lasted)
		}
		ended := time.Now()
		p.Do(consul.Get{Key: "lock"})
		p.Do(consul.RenewSession{Session: holder})
		p.Do(consul.Release{Key: "lock", Value: "A", Session: holder})
		p.Clock.Mono += delay - 1
		must.Equalf(t, p.Modelled(lock), false, "the model locks a key during its delay")
		for tries := 0; ; tries++ {
			locked := must.Get(p.Served(lock))(t)
			if locked == true {
				if lasted := time.Since(ended); tries == 0 || lasted < delay-200*time.Millisecond {
					t.Errorf("the lock delay of %v was over after %v and %d tries", delay, lasted, tries)
				}
				break
			}
			if time.Since(ended) > 20*time.Second {
				t.Fatal("the lock delay has not ended")
			}
			time.Sleep(5 * time.Millisecond)
		}
		p.Clock.Mono++
		must.Equalf(t, p.Modelled(lock), true, "the model does not lock a key after its delay")
		p.Do(consul.Get{Key: "lock"})
		p.Do(consul.DestroySession{Session: other})
	}
}
