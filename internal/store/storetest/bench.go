package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Bench is a model with clients 1, 2, ..., each on its own connection, and a clock that the test
// moves.
type Bench struct {
	T           testing.TB
	Model       store.Model
	Now         store.Clock
	MessageText func(message any) string // the text of a message to a watcher; nil: there are none
	asked       []ports.Request
	notes       []string // changes and late answers
}

// Exec executes a request, or lets it wait. Requests are numbered from 1.
func (b *Bench) Exec(client int, r ports.Request) (a store.Answer, done bool) {
	b.asked = append(b.asked, r)
	a, done = b.Model.Exec(b.Now, uint64(len(b.asked)), store.Conn{ID: uint64(client), Client: history.NodeID(client)}, r)
	b.Gather()
	return a, done
}

// Value executes a request that has to succeed at once, and returns its answer.
func (b *Bench) Value(client int, r ports.Request) any {
	b.T.Helper()
	a, done := b.Exec(client, r)
	if a.Err != nil || !done {
		b.T.Fatalf("%s: %v, done: %t", ports.RequestText(r), a.Err, done)
	}
	return a.Value
}

// At moves the clock to an instant, with all ticks that are due until then.
func (b *Bench) At(d time.Duration) {
	for due, ok := b.Model.Due(); ok && due <= d; due, ok = b.Model.Due() {
		b.Now.Mono = max(due, b.Now.Mono)
		b.Model.Tick(b.Now)
		b.Gather()
	}
	b.Now.Mono = d
}

// Lead lets another server lead.
func (b *Bench) Lead() {
	b.Model.Lead(b.Now)
	b.Gather()
}

// Evict drops the entry of the lock as an operator does, and reports whether there was one.
func (b *Bench) Evict(id store.ID) bool {
	found := store.Of(id).EvictFrom(b.Model, b.Now, "lock")
	b.Gather()
	return found
}

// Gather notes what the model has put out.
func (b *Bench) Gather() {
	out := b.Model.Output()
	for _, c := range out.Changes {
		note := fmt.Sprintf("%v %v %s of %d by %d", b.Now.Mono, c.Kind, c.Key, c.Owner, c.By)
		if c.TTL != 0 {
			note += fmt.Sprintf(" for %v", c.TTL)
		}
		b.notes = append(b.notes, note)
	}
	for _, a := range out.Answers {
		text := store.AnswerText(b.asked[a.ID-1], a.Value, a.Err)
		b.notes = append(b.notes, fmt.Sprintf("%v answer %d: %s", b.Now.Mono, a.ID, text))
	}
	for _, p := range out.Pushes {
		b.notes = append(b.notes, fmt.Sprintf("%v to %d: %v", b.Now.Mono, p.Conn.ID, b.MessageText(p.Value)))
	}
}

// Noted checks what has been noted since the last call: changes, late answers and messages to
// watchers.
func (b *Bench) Noted(want ...string) {
	b.T.Helper()
	b.Gather()
	if got := strings.Join(b.notes, "\n"); got != strings.Join(want, "\n") {
		b.T.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	b.notes = nil
}
