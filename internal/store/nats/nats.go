// Package nats models a key-value bucket of NATS JetStream that all servers of a cluster have: what a lock sends to
// one, and the state machine that answers (Store).
//
// Facts from nats-server 2.14 (filestore.go for ages, jetstream_batching.go for expected sequences) and nats.go 1.52
// (jetstream/kv.go); the test of package live compares it with a real server. Measured with three real ones: while
// their leader is dead (5 s), writes are refused within a millisecond (no responders); while it is frozen (7 s), they
// get no answer and are never executed; a direct get needs no leader, and any server is asked, at times the frozen one.
// On a busy machine 23 % of them (4540 of 20109) did not show the asker's own last write. In the model the server that
// a client asks answers, and is never behind: a Get only decides with what a Create is compared, and that is refused
// when it is not the last write, so one that is behind costs a retry and grants nothing.
package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// ID is what locks name to keep their entries in NATS.
const ID store.ID = "nats"

func init() {
	store.Register(store.Store{
		ID: ID, Place: 8, Node: "nats", Title: "NATS", About: "A cluster of NATS with JetStream, and a key-value bucket on all of its servers.",
		Topology: store.Quorum, Requests: []string{string(Create), string(Update), string(Delete), Get{}.Name()},
		Expires: true, AtOnce: true, OneLane: true, Lossy: true, Election: Election, Luck: store.Luck{Election: 5 * time.Second},
		Settings: []store.Setting{{
			Name: "ttl", Example: "10s", Least: 100 * time.Millisecond, Of: func(lease time.Duration) time.Duration { return lease },
			Doc: "How long a key is kept after it was last written (max_age of the bucket's stream), 100ms or more. Left out: one lease.",
		}},
		Consent: map[history.Effect]store.Consent{history.Asks: store.OfServer}, // a bucket allows direct gets
		Evict:   evict,
		New:     func(s store.Setup) store.Model { return New(TTL(s.Settings)) },
	})
}

// Election is how long followers wait, at least, for a leader that is silent or dead: each draws from 4 to 9 s.
const Election = 4 * time.Second

// TTL is how long a bucket keeps a key after it was last written.
func TTL(s store.Settings) time.Duration { return s[0] }

// The requests.
type (
	// Write writes a key that was last written at a revision, 0 where it is not there; a Delete, which puts a
	// marker in its place, does so in any case with 0. It is answered by its Revision, or refused with WrongLast.
	Write struct {
		What       What
		Key, Value string
		Last       Revision
	}
	// Get reads a key; answered by an Entry.
	Get struct{ Key string }
)

// What a write is for.
type What string

// Writes, by their names.
const (
	Create What = "CREATE"
	Update What = "UPDATE"
	Delete What = "DELETE"
)

// Name implements store.Op.
func (w Write) Name() string { return string(w.What) }

// Name implements store.Op.
func (Get) Name() string { return "GET" }

// AppendText implements store.Op: UPDATE lock LAST 5.
func (w Write) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, w.What...), ' '), w.Key...)
	if w.Last != 0 {
		buf = fmt.Appendf(buf, " LAST %d", w.Last)
	}
	return buf
}

// AppendText implements store.Op: GET lock.
func (g Get) AppendText(buf []byte) []byte { return append(append(buf, "GET "...), g.Key...) }

// Op implements store.Op. A client updates and deletes its own write: no other client knows the revision.
func (w Write) Op() history.Op {
	op := history.Op{Name: w.Name(), Key: w.Key, Does: history.MakesNew}
	switch op.Checks = w.What != Create && w.Last != 0; {
	case w.What == Update:
		op.Does = history.Makes
	case op.Checks:
		op.Does = history.RemovesOwn
	case w.What == Delete:
		op.Does = history.Removes
	}
	return op
}

// Op implements store.Op.
func (g Get) Op() history.Op { return history.Op{Name: g.Name(), Key: g.Key, Does: history.Asks} }

// Revision is the number of a write in the stream: it grows with each write to any key of the bucket.
type Revision int64

// Text is a revision as an answer.
func (r Revision) Text() string { return fmt.Sprintf("revision %d", r) }

// Answer says what it says.
func (r Revision) Answer() history.Answer { return history.Answer{Revision: int64(r)} }

// Entry is what was last written to a key; its Revision is 0 when nothing was, or all has expired.
type Entry struct {
	Value    string
	Revision Revision
	Deleted  bool // a marker
}

// Text is an entry as an answer.
func (e Entry) Text() string {
	switch {
	case e.Revision == 0:
		return "no key"
	case e.Deleted:
		return "deleted, " + e.Revision.Text()
	}
	return e.Value + ", " + e.Revision.Text()
}

// Answer says of which revision it is.
func (e Entry) Answer() history.Answer { return e.Revision.Answer() }

// WrongLast refuses a write, with the server's sentence: something else was last written to the key.
type WrongLast string

// Error implements error.
func (e WrongLast) Error() string { return "nats: " + string(e) }

// Held reports whether by this error another write stands in a key's place.
func Held(err error) bool { return errors.As(err, new(WrongLast)) }

// evict deletes a key of any client.
func evict(ask func(store.Op) (any, error), key string) (session string, found bool, err error) {
	e, err := store.Value[Entry](ask(Get{Key: key}))
	if found = e.Revision != 0 && !e.Deleted; found {
		_, err = ask(Write{What: Delete, Key: key})
	}
	return "", found, err
}

// Client is a bucket as one client sees it.
type Client struct{ store.Port }

// Create writes a key that is not there, as nats.go does it: after any error it looks for a marker, and tries again in
// its place.
func (c Client) Create(ctx context.Context, key, value string) (Revision, error) {
	made, err := c.Write(ctx, Write{What: Create, Key: key, Value: value})
	if err == nil {
		return made, nil
	}
	if e, lost := store.Value[Entry](c.Send(ctx, Get{Key: key})); lost == nil && e.Deleted {
		return c.Write(ctx, Write{What: Create, Key: key, Value: value, Last: e.Revision})
	}
	return 0, err
}

// Write sends one write.
func (c Client) Write(ctx context.Context, w Write) (Revision, error) {
	return store.Value[Revision](c.Send(ctx, w))
}
