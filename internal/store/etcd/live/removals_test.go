//go:build linux

package live

import (
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/etcd"
)

// watchedPair is two clients of a real server, whose links keep their requests.
type watchedPair struct {
	*testing.T
	server *livetest.Servers
	links  [2]*link.Link
	a, b   *clientv3.Client
	lost   map[[2]int]bool // replies that are left out: client and number of the request
}

func newWatchedPair(t *testing.T) *watchedPair {
	w := &watchedPair{T: t, server: livetest.Start(t, etcd.ID, livestore.Wish{Election: realElection}), lost: map[[2]int]bool{}}
	var clients [2]*clientv3.Client
	for i := range clients {
		w.links[i] = linktest.Open(t, link.Options{Name: "client", Upstream: w.server.Endpoint, Protocol: protocol})
		clients[i] = w.dial(w.links[i].Addr())
	}
	w.a, w.b = clients[0], clients[1]
	return w
}

func (w *watchedPair) dial(addr string) *clientv3.Client {
	c := must.Get(clientv3.New(clientv3.Config{Endpoints: []string{addr}, Logger: zap.NewNop()}))(w)
	w.Cleanup(func() { _ = c.Close() })
	return c
}

// losing runs do, and leaves the reply to the next request of a client out.
func (w *watchedPair) losing(client int, do func()) {
	w.lost[[2]int{client, int(w.links[client].Changes())}] = true
	do()
}

func (w *watchedPair) removals() ([]livestore.Removal, bool) {
	var sent []livestore.Request
	for i, l := range w.links {
		for n, c := range l.Changed() {
			if w.lost[[2]int{i, n}] {
				c.Bytes[link.Down] = nil
			}
			sent = append(sent, livestore.Request{By: history.NodeID(i + 1), Change: c})
		}
	}
	return removals(w.server.Members, "", sent)
}

func (w *watchedPair) put(c *clientv3.Client, key, value string, o ...clientv3.OpOption) {
	w.do(c, clientv3.OpPut(key, value, o...))
}

func (w *watchedPair) remove(c *clientv3.Client, key string, o ...clientv3.OpOption) {
	w.do(c, clientv3.OpDelete(key, o...))
}

func (w *watchedPair) do(c *clientv3.Client, op clientv3.Op) {
	w.Helper()
	must.Get(c.Do(w.Context(), op))(w)
}

func (w *watchedPair) lease(c *clientv3.Client) clientv3.LeaseID {
	l := must.Get(c.Grant(w.Context(), 1))(w)
	return l.ID
}

func (w *watchedPair) revoke(c *clientv3.Client, id clientv3.LeaseID) {
	must.Get(c.Revoke(w.Context(), id))(w)
}

// The steps of each case follow those of the previous one, and want is what they add: who removed
// whose entry.
func TestWhoseEntryWasRemoved(t *testing.T) {
	w := newWatchedPair(t)
	const a, b = 0, 1 // of losing
	ifHas := func(key, value string, then, otherwise clientv3.Op) clientv3.Op {
		return clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.Value(key), "=", value)}, []clientv3.Op{then}, []clientv3.Op{otherwise})
	}
	before, made := 0, time.Time{}
	for _, c := range []struct {
		name, want string
		steps      func()
	}{
		{"its own", "", func() { w.put(w.a, "k", ""); w.remove(w.a, "k") }},
		{"another's", "B A", func() { w.put(w.a, "k", ""); w.remove(w.b, "k") }},
		{"another's, made after the request was sent", "B A", func() {
			w.links[b].Switch(link.Up, link.Hold)
			removed := make(chan error, 1)
			go func() { _, err := w.b.Delete(t.Context(), "k"); removed <- err }()
			if !realtest.Soon(time.Minute, func() bool { return w.links[b].Held(link.Up) }) {
				t.Fatal("B's request has not reached its link")
			}
			made = time.Now()
			w.put(w.a, "k", "")
			w.links[b].Switch(link.Up, link.Pass)
			if err := <-removed; err != nil {
				t.Fatal(err)
			}
		}},
		{"what is not there", "", func() { w.remove(w.b, "k") }},
		{"by a range", "A B", func() { w.put(w.a, "p1", ""); w.put(w.b, "p2", ""); w.remove(w.a, "p", clientv3.WithPrefix()) }},
		{"in the branch of a failed condition", "B A", func() {
			w.put(w.a, "k", "a")
			w.do(w.b, ifHas("k", "b", clientv3.OpGet("k"), clientv3.OpDelete("k")))
		}},
		{"in a branch that is not taken", "", func() {
			w.put(w.a, "k", "a")
			w.do(w.b, ifHas("k", "b", clientv3.OpDelete("k"), clientv3.OpGet("k")))
			w.remove(w.a, "k")
		}},
		{"its own lease", "", func() { id := w.lease(w.a); w.put(w.a, "k", "", clientv3.WithLease(id)); w.revoke(w.a, id) }},
		{"another's lease", "B A", func() { id := w.lease(w.a); w.put(w.a, "k", "", clientv3.WithLease(id)); w.revoke(w.b, id) }},
		{"the end of a lease", "", func() {
			w.put(w.a, "k", "", clientv3.WithLease(w.lease(w.a)))
			for gone := range w.a.Watch(w.Context(), "k") {
				if len(gone.Events) > 0 && gone.Events[0].Type == clientv3.EventTypeDelete {
					break
				}
			}
		}},
		{"overwritten", "B ?", func() { w.put(w.a, "k", "a"); w.put(w.b, "k", "b"); w.remove(w.b, "k") }},
		{"in the place of another's", "B ?", func() {
			w.put(w.a, "k", "")
			w.do(w.b, clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpDelete("k"), clientv3.OpPut("mine", "")}, nil))
		}},
		{"without a reply", "B ?", func() { w.put(w.a, "k", "a"); w.losing(b, func() { w.remove(w.b, "k") }) }},
		{"its own without a reply", "", func() { w.put(w.a, "x", "a"); w.losing(a, func() { w.remove(w.a, "x") }) }},
		{"another's, which was made without a reply", "B A", func() {
			w.losing(a, func() { w.put(w.a, "x", "a") })
			w.remove(w.b, "x")
		}},
		{"made by either, without a reply", "A ? A ?", func() {
			w.losing(a, func() { w.put(w.a, "z", "") })
			w.losing(b, func() { w.put(w.b, "z", "") })
			w.remove(w.a, "z")
		}},
		{"that another's lost request may have removed", "B ?", func() {
			w.put(w.a, "y", "a")
			w.losing(b, func() { w.do(w.b, ifHas("y", "b", clientv3.OpDelete("y"), clientv3.OpGet("y"))) })
			w.losing(a, func() { w.remove(w.a, "y") })
		}},
	} {
		c.steps()
		all, ok := w.removals()
		got := ""
		for _, r := range all[min(before, len(all)):] {
			got += fmt.Sprintf(" %c %c", "?AB"[r.By], "?AB"[r.Owner])
			if r.Owner != 0 && (!r.At.After(r.From) || r.From.Before(made)) {
				t.Errorf("%s: it happened between %v and %v", c.name, r.From, r.At)
			}
		}
		before = len(all)
		if want := " " + c.want; !ok || got != want && got+" " != want {
			t.Errorf("%s: removed%s, complete %v; want%s", c.name, got, ok, want)
		}
	}
	w.put(w.dial(w.server.Endpoint), "k", "past the links")
	if _, ok := w.removals(); ok {
		t.Error("a change past the links is explained by the requests on them")
	}
}
