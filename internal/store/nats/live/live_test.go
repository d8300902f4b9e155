//go:build linux

package live

import (
	"fmt"
	"net"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store"
	"lockstep/internal/store/nats"
	"lockstep/internal/store/storetest"
)

// A request to a server that refuses is answered at once, while another one waits for a silent server.
func TestASilentServerHoldsUpNoRequestToAnother(t *testing.T) {
	asked := make(chan struct{})
	silent := realtest.Serve(t, func(c net.Conn) {
		close(asked)
		_, _ = c.Read(make([]byte, 1))
	})
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	must.Do(t, closed.Close())
	const timeout = 2 * time.Second
	var dialer net.Dialer
	e := must.Get(connect(livestore.Client{Endpoints: []string{silent, closed.Addr().String()}, Timeout: timeout, Dial: dialer.DialContext}))(t)
	go func() { _, _ = e.Do(t.Context(), 0, nats.Get{Key: "a"}) }()
	<-asked
	began := time.Now()
	_, err := e.Do(t.Context(), 1, nats.Get{Key: "a"})
	if took := time.Since(began); err != ports.ErrConnection || took > timeout/2 {
		t.Errorf("%v after %v", err, took)
	}
}

// pair is the model and a real server.
type pair struct {
	storetest.Duel
	server *livetest.Servers
}

func newPair(t *testing.T, ttl time.Duration) *pair {
	t.Helper()
	p, began := &pair{server: livetest.Start(t, nats.ID, livestore.Wish{Settings: store.Settings{ttl}})}, time.Now()
	p.Duel = storetest.Duel{
		T: t, Model: nats.New(ttl), Kind: kindOf, Real: p.server.Do,
		Now: func() store.Clock { // the real time, as on the server
			d := time.Since(began)
			return store.Clock{Wall: d, Mono: d + time.Hour}
		},
	}
	return p
}

func kindOf(r ports.Request, a store.Answer) string {
	if e, _ := a.Value.(nats.Entry); e.Deleted {
		return ports.Name(r) + " deleted"
	}
	return storetest.Kind(r, a)
}

// The model and a real server give the same answers to random requests, even after a kill and a
// restart.
func TestRealNATSAgrees(t *testing.T) {
	p, rng, all := newPair(t, time.Hour), storetest.Rand(t, 1, 1), storetest.Operations(5000)
	p.Run(all, func() ports.Request {
		if p.Asked == all/2 {
			p.restart()
		}
		key := []string{"lock", "lock.a", "other", "o"}[rng.IntN(4)]
		w := nats.Write{What: nats.Create, Key: key, Value: fmt.Sprint(p.Asked), Last: p.Modelled(nats.Get{Key: key}).(nats.Entry).Revision}
		switch rng.IntN(6) {
		case 0:
			w.Last = nats.Revision(rng.IntN(p.Asked + 3))
		case 1:
			w.Last = 0
		}
		switch rng.IntN(4) {
		case 0:
			return nats.Get{Key: key}
		case 1:
			w.What = nats.Update
		case 2:
			w.What, w.Value = nats.Delete, ""
		}
		return w
	})
	p.Demand(all/100, "CREATE", "CREATE refused", "UPDATE", "UPDATE refused", "DELETE", "DELETE refused", "GET", "GET deleted")
}

// A client that writes over another one's key ends that one's entry.
func TestATakeoverEndsTheOtherEntry(t *testing.T) {
	b := storetest.Bench{T: t, Model: nats.New(time.Minute)}
	made := b.Value(1, nats.Write{What: nats.Create, Key: "lock", Value: "A"}).(nats.Revision)
	b.Value(2, nats.Write{What: nats.Update, Key: "lock", Value: "B", Last: made})
	b.Noted("0s granted lock of 1 by 1 for 1m0s", "0s removed lock of 1 by 2", "0s granted lock of 2 by 2 for 1m0s")
}

// restart kills the server, checks that its client notices, and waits until it answers again.
func (p *pair) restart() {
	p.T.Helper()
	must.Do(p.T, p.server.Members[0].Kill())
	if _, err := p.Served(nats.Get{Key: "lock"}); err != ports.ErrConnection {
		p.Fail("a dead server answers %v", err)
	}
	must.Do(p.T, p.server.Members[0].Relaunch(p.T.Context()))
	p.Awaits(nats.Get{Key: "lock"})
}

// Keys never expire before their time, and in the model no later than the resolution of a server's
// clock allows.
func TestRealNATSAgreesOnAges(t *testing.T) {
	const ttl, renewed, late, slack = time.Second, 400 * time.Millisecond, 350 * time.Millisecond, 5 * time.Millisecond
	p := newPair(t, ttl)
	for _, renewals := range []int{0, 2, 5} {
		last := p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "A"}).(nats.Revision)
		for range renewals {
			time.Sleep(renewed)
			last = p.Do(nats.Write{What: nats.Update, Key: "lock", Value: "A", Last: last}).(nats.Revision)
		}
		written := p.Now().Wall
		if e := p.Do(nats.Get{Key: "lock"}).(nats.Entry); e.Revision != last {
			p.Fail("the key was last written at %d", e.Revision)
		}
		gone := time.Duration(0)
		for gone == 0 && p.Now().Wall-written < time.Minute {
			if e, err := p.Served(nats.Get{Key: "lock"}); err == nil && e == (nats.Entry{}) {
				gone = p.Now().Wall - written
			}
			time.Sleep(time.Millisecond)
		}
		ends := p.ends() - written
		t.Logf("after %d renewals: gone after %v, in the model after %v", renewals, gone, ends)
		if gone < ttl-slack || ends < ttl-slack || ends > ttl+late { // a busy machine is later
			t.Errorf("after %d renewals the server keeps a key of %v for %v, the model for %v", renewals, ttl, gone, ends)
		}
		p.Do(nats.Get{Key: "lock"})
	}
	// The marker of a deletion expires, too, and then the key does not exist.
	last := p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "A"}).(nats.Revision)
	marker := p.Do(nats.Write{What: nats.Delete, Key: "lock", Last: last}).(nats.Revision)
	p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "B"})
	time.Sleep(ttl + late + time.Second)
	p.ends()
	p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "B", Last: marker})
	p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "B"})
}

// ends ticks the model until nothing is due, and returns when the last key expired, on the wall
// clock.
func (p *pair) ends() (wall time.Duration) {
	p.T.Helper()
	p.Model.Output()
	offset := p.Now().Mono - p.Now().Wall
	for due, ok := p.Model.Due(); ok; due, ok = p.Model.Due() {
		wall = due - offset
		p.Model.Tick(store.Clock{Wall: wall, Mono: due})
	}
	for _, ch := range p.Model.Output().Changes {
		if ch.Kind != history.Expired {
			p.Fail("the model says %v of a key that was too old", ch)
		}
	}
	return wall
}

// An eviction deletes the key of any client, and reports whether there was one.
func TestEvict(t *testing.T) {
	p := newPair(t, time.Hour)
	drop := func(want bool) {
		t.Helper()
		_, found, err := livestore.Of(nats.ID).Evict(t.Context(), p.server.Members[0], "lock")
		if modelled := store.Of(nats.ID).EvictFrom(p.Model, p.Now(), "lock"); err != nil || found != want || modelled != want {
			t.Errorf("dropped by the server: %v, %v, by the model: %v, want %v", found, err, modelled, want)
		}
	}
	drop(false)
	p.Do(nats.Write{What: nats.Create, Key: "lock", Value: "A"})
	drop(true)
	p.Do(nats.Get{Key: "lock"})
	drop(false)
}

func TestARequestOfNATSIsKnownByItsHeader(t *testing.T) {
	d := protocol()
	header := "NATS/1.0\r\nLockstep-Call: /* call7 */\r\n\r\n"
	up := fmt.Sprintf("CONNECT {}\r\nPING\r\nSUB _INBOX.a.* 1\r\nHPUB $KV.locks.lock _INBOX.a.x %d %d\r\n%sA\r\n", len(header), len(header)+1, header)
	linktest.Want(t, d, link.Up, []byte(up), "0 ", "0 ", "0 ", "1 begins changes /* call7 */")
	linktest.Want(t, d, link.Up, []byte("PUB $JS.API _INBOX.a.y 0\r\n\r\n"), "2 begins ")
	down := "INFO {}\r\nPONG\r\nHMSG _INBOX.a.y 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\nMSG _INBOX.a.x 1 2\r\n{}\r\nMSG _INBOX.a.x 1 2\r\n{}\r\n"
	linktest.Want(t, d, link.Down, []byte(down), "0 ", "0 ", "2 begins ", "1 begins ", "0 ")
}

func FuzzProtocol(f *testing.F) {
	linktest.Fuzz(f, protocol, "PING\r\n", "PUB a b 2\r\nhi\r\n", "HPUB a b 12 12\r\nNATS/1.0\r\n\r\n\r\n", "MSG b 1 2\r\nhi\r\n", "MSG b 1 -2\r\n", "PUB a\r\n", "INFO {}\r\n")
}
