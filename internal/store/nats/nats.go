// Package nats models a key-value bucket of NATS JetStream that is on all servers of a cluster: the
// requests of locks, and the state machine that answers them (Store).
//
// Sources are nats-server 2.14 (filestore.go for ages, jetstream_batching.go for expected
// sequences) and nats.go 1.52 (jetstream/kv.go); the test of package live compares the model with a
// real server. With three real servers, writes are refused within a millisecond while the leader is
// dead (no responders), and get no answer and are never executed while it is frozen; a direct get
// needs no leader and may go to any server, even a frozen one. On a busy machine many gets do not
// show the client's own last write. In the model the asked server answers, and is never stale: a
// Get only chooses the revision that a Create expects, which is refused unless it is the last, so a
// stale one costs a retry and grants nothing.
package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// ID is the store of locks that keep their entries in NATS.
const ID store.ID = "nats"

func init() {
	store.Register(store.Store{
		ID: ID, Place: 8, Node: "nats", Title: "NATS", About: "A cluster of NATS with JetStream, and a key-value bucket on all of its servers.",
		Topology: store.Quorum, Requests: []string{string(Create), string(Update), string(Delete), "GET"},
		Expires: true, AtOnce: true, OneLane: true, Lossy: true, Election: Election, Timing: store.Timing{Election: 5 * time.Second},
		Settings: []store.Setting{{
			Name: "ttl", Example: "10s", Least: 100 * time.Millisecond, Of: func(lease time.Duration) time.Duration { return lease },
			Doc: "How long a key is kept after it was last written (max_age of the bucket's stream), 100ms or more. Left out: one lease.",
		}},
		Consent: map[history.Effect]store.Consent{history.Asks: store.OfServer}, // a bucket allows direct gets
		Evict:   evict,
		New:     func(s store.Setup) store.Model { return New(TTL(s.Settings)) },
	})
}

// Election is how long followers wait at least for a silent or dead leader: each draws from 4 to 9
// s.
const Election = 4 * time.Second

// TTL is how long a bucket keeps a key after its last write.
func TTL(s store.Settings) time.Duration { return s[0] }

// The requests.
type (
	// Write writes a key whose last revision is Last, 0 for a missing key; a Delete, which writes a
	// marker, is unconditional with 0. Answered by its Revision, or refused with WrongLast.
	Write struct {
		What       What
		Key, Value string
		Last       Revision
	}
	// Get reads a key; answered by an Entry.
	Get struct{ Key string }
)

// What is the kind of a write, by its name in reports.
type What string

// The kinds of writes.
const (
	Create What = "CREATE"
	Update What = "UPDATE"
	Delete What = "DELETE"
)

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

// Op implements store.Op. A client only updates and deletes its own write: no other client knows
// the revision.
func (w Write) Op() history.Op {
	op := history.Op{Name: string(w.What), Key: w.Key, Does: history.MakesNew}
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
func (g Get) Op() history.Op { return history.Op{Name: "GET", Key: g.Key, Does: history.Asks} }

// Revision is the number of a write in the stream: it grows with each write to any key of the
// bucket.
type Revision int64

// Text is a revision as an answer.
func (r Revision) Text() string { return fmt.Sprintf("revision %d", r) }

// Answer is the revision in a history.
func (r Revision) Answer() history.Answer { return history.Answer{Revision: int64(r)} }

// Entry is the last write to a key; its Revision is 0 if there is none or it has expired.
type Entry struct {
	Value    string
	Revision Revision
	Deleted  bool // it is a marker
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

// Answer is the entry's revision in a history.
func (e Entry) Answer() history.Answer { return e.Revision.Answer() }

// WrongLast refuses a write because the key has another last revision; it is the server's sentence.
type WrongLast string

// Error implements error.
func (e WrongLast) Error() string { return "nats: " + string(e) }

// Held reports whether an error says that the key has another write.
func Held(err error) bool { return errors.As(err, new(WrongLast)) }

// evict deletes the key of any client.
func evict(ask func(store.Op) (any, error), key string) (session string, found bool, err error) {
	e, err := store.Value[Entry](ask(Get{Key: key}))
	if found = e.Revision != 0 && !e.Deleted; found {
		_, err = ask(Write{What: Delete, Key: key})
	}
	return "", found, err
}

// Client is a bucket as one client sees it.
type Client struct{ store.Port }

// Create writes a missing key as nats.go does: after any error it looks for a marker and tries
// again to replace it.
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

// Write sends a write.
func (c Client) Write(ctx context.Context, w Write) (Revision, error) {
	return store.Value[Revision](c.Send(ctx, w))
}
