//go:build linux

package live

import (
	"fmt"
	"slices"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store"
	"lockstep/internal/store/nats"
)

// watchedPair is two clients of a real server, whose links keep their requests.
type watchedPair struct {
	*testing.T
	server *livetest.Servers
	links  [2]*link.Link
	a, b   jetstream.KeyValue
	lost   map[[2]int]bool // replies that are left out: client and number of the request
}

func watched(t *testing.T, ttl time.Duration) *watchedPair {
	w := &watchedPair{T: t, server: livetest.Start(t, nats.ID, livestore.Wish{Settings: store.Settings{ttl}}), lost: map[[2]int]bool{}}
	for i, kv := range []*jetstream.KeyValue{&w.a, &w.b} {
		w.links[i] = linktest.Open(t, link.Options{Name: "client", Upstream: w.server.Endpoint, Protocol: protocol})
		*kv, _ = w.dial(w.links[i].Addr())
	}
	return w
}

func (w *watchedPair) dial(addr string) (jetstream.KeyValue, jetstream.JetStream) {
	c := must.Get(client.Connect(addr))(w)
	w.Cleanup(c.Close)
	js := must.Get(jetstream.New(c))(w)
	return must.Get(js.KeyValue(w.Context(), bucketName))(w), js
}

// losing runs do, and leaves the reply to the next request of a client out.
func (w *watchedPair) losing(client int, do func()) {
	w.lost[[2]int{client, int(w.links[client].Changes())}] = true
	do()
}

// told returns who removed whose entry: "B A" for an entry of A that B removed, "B ?" if that is in
// doubt.
func (w *watchedPair) removals() (all []string, ok bool) {
	var sent []livestore.Request
	for i, l := range w.links {
		for n, c := range l.Changed() {
			if w.lost[[2]int{i, n}] {
				c.Bytes[link.Down] = nil
			}
			sent = append(sent, livestore.Request{By: history.NodeID(i + 1), Change: c})
		}
	}
	removed, ok := removals(w.server.Members, "", sent)
	for _, r := range removed {
		all = append(all, fmt.Sprintf("%c %c", "?AB"[r.By], "?AB"[r.Owner]))
		if r.Owner != 0 && !r.At.After(r.From) {
			w.Errorf("it happened between %v and %v", r.From, r.At)
		}
	}
	return all, ok
}

func (w *watchedPair) create(kv jetstream.KeyValue, key string) uint64 {
	return must.Get(kv.Create(w.Context(), key, nil))(w)
}

func (w *watchedPair) remove(kv jetstream.KeyValue, key string, o ...jetstream.KVDeleteOpt) {
	must.Do(w, kv.Delete(w.Context(), key, o...))
}

// The steps of each case follow those of the previous one, and want is what they add.
func TestWhoseEntryWasRemoved(t *testing.T) {
	w := watched(t, time.Hour)
	const a, b = 0, 1 // of losing
	refused := func(err error) {
		if err == nil {
			t.Error("it is not refused")
		}
	}
	var before []string
	for _, c := range []struct {
		name  string
		want  []string
		steps func()
	}{
		{"nothing", nil, func() {}},
		{"its own", nil, func() { w.remove(w.a, "k", jetstream.LastRevision(w.create(w.a, "k"))) }},
		{"another's", []string{"B A"}, func() { w.create(w.a, "k"); w.remove(w.b, "k") }},
		{"another's, purged", []string{"B A"}, func() { w.create(w.a, "k"); must.Do(t, w.b.Purge(t.Context(), "k")) }},
		{"what is not there", nil, func() { w.remove(w.b, "k") }},
		{"of another revision", nil, func() {
			last := w.create(w.a, "k")
			refused(w.b.Delete(t.Context(), "k", jetstream.LastRevision(last-1)))
			w.remove(w.a, "k")
		}},
		{"while another has it", nil, func() {
			w.create(w.a, "k")
			_, err := w.b.Create(t.Context(), "k", nil)
			refused(err)
			w.remove(w.a, "k")
		}},
		{"overwritten", []string{"B ?"}, func() {
			last := w.create(w.a, "k")
			must.Get(w.b.Update(t.Context(), "k", nil, last))(t)
			w.remove(w.b, "k")
		}},
		{"without a reply", []string{"B ?"}, func() { w.create(w.a, "k"); w.losing(b, func() { w.remove(w.b, "k") }) }},
		{"its own without a reply", nil, func() { w.create(w.a, "k"); w.losing(a, func() { w.remove(w.a, "k") }) }},
		{"by either, without a reply", []string{"B ?"}, func() {
			w.create(w.a, "x")
			w.losing(a, func() { refused(w.a.Delete(t.Context(), "x", jetstream.LastRevision(1))) })
			w.losing(b, func() { w.remove(w.b, "x") })
		}},
	} {
		c.steps()
		got, ok := w.removals()
		if want := slices.Concat(before, c.want); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: removed %q, complete %v; want %q", c.name, got, ok, want)
		}
		before = got
	}
}

// An entry whose time is up is no longer another client's.
func TestAnOldEntryIsNotRobbed(t *testing.T) {
	w := watched(t, 300*time.Millisecond)
	w.create(w.a, "k")
	time.Sleep(300*time.Millisecond + slack)
	w.remove(w.b, "k")
	if got, ok := w.removals(); !ok || got != nil {
		t.Errorf("removed %q, complete %v", got, ok)
	}
}

// What the requests on the links do not explain leaves all unknown.
func TestUnexplainedWrites(t *testing.T) {
	for name, do := range map[string]func(*watchedPair){
		"past the links": func(w *watchedPair) { kv, _ := w.dial(w.server.Endpoint); w.remove(kv, "k") },
		"the whole bucket": func(w *watchedPair) {
			_, js := w.dial(w.links[1].Addr())
			must.Do(w, must.Get(js.Stream(w.Context(), streamName))(w).Purge(w.Context()))
		},
		"an option that is not understood": func(w *watchedPair) {
			_, js := w.dial(w.links[1].Addr())
			must.Get(js.Publish(w.Context(), subjects+"k", nil, jetstream.WithExpectLastSequence(1)))(w)
		},
	} {
		w := watched(t, time.Hour)
		w.create(w.a, "k")
		do(w)
		if _, ok := w.removals(); ok {
			t.Errorf("%s: the requests are said to explain it", name)
		}
	}
}
