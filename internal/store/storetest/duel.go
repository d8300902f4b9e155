// Package storetest compares the model of a store with its real servers: both get the same requests
// and have to give the same answers. A store supplies its model, a function that asks its server,
// and requests.
//
//	servers := livetest.Start(t, nats.ID, livestore.Wish{Settings: store.Settings{time.Hour}})
//	d := &storetest.Duel{T: t, Model: nats.New(time.Hour), Real: servers.Do}
//	rng := storetest.Rand(t, 1, 1)
//	d.Run(5000, func() ports.Request { return nats.Get{Key: fmt.Sprint(rng.IntN(3))} })
//	d.Demand(50, "GET")
//
// That is enough for a store that answers at once, on any connection, with the names in its
// requests. The other fields and methods of a Duel are for server-side names (Translate, Same,
// Names), sessions and watches (Open, DoAs, Hears), requests that wait (Waits, Waiting), and time
// (Now, Tick, Pass). The flags -conformance.seed and -conformance.operations of go test choose the
// requests of every store.
//
// The package also tests what every model has to do (whole_test.go), and compares requests with
// their descriptions (Requests, Answers).
package storetest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

var (
	seed       = flag.Uint64("conformance.seed", 0, "seed of the random requests; 0: the test's own")
	operations = flag.Int("conformance.operations", 0, "how many random requests to compare; 0: as many as the test says")
)

// Rand draws requests, with the seed of the command line or the test's own.
func Rand(t testing.TB, own, stream uint64) *rand.Rand {
	if *seed != 0 {
		own = *seed
	}
	t.Helper()
	t.Logf("seed %d", own)
	return rand.New(rand.NewPCG(own, stream))
}

// Operations is how many requests to compare, by the command line or the test.
func Operations(own int) int {
	if *operations != 0 {
		return *operations
	}
	return own
}

// patience is how long a busy machine may take to answer a request that need not wait.
const patience = 20 * time.Second

// Conn is the connection of a test that needs only one.
var Conn = store.Conn{ID: 1, Client: 1}

// Duel sends the same requests to a model and a real server.
type Duel struct {
	T     testing.TB
	Model store.Model
	// Real asks the server. It is called concurrently while requests wait in the model.
	Real func(c store.Conn, r ports.Request) (any, error)
	// Translate returns a request with the server's own names and numbers (Names); nil: there are
	// none.
	Translate func(r ports.Request) ports.Request
	// Same says how the server's answer differs from the model's, "" if it does not, and may note
	// the server's names; nil: Differ.
	Same func(r ports.Request, want store.Answer, got Reply) string
	// Kind is a kind of answer, for Demand; nil: the function Kind.
	Kind func(r ports.Request, a store.Answer) string
	// Answered is called with each answer on which both agree, even late ones; may be nil.
	Answered func(c store.Conn, r ports.Request, a store.Answer)
	// Hears returns and clears the unsolicited messages of the server to a connection, up to its
	// last answer; nil: the test compares them itself.
	Hears func(c store.Conn) []any
	// Waits reports whether the server holds that many requests, or cannot know; it is polled while
	// some wait in the model. nil: none ever waits.
	Waits func(count int) bool
	// Reset empties both before each batch of Run, so that a failure can be reduced to the fewest
	// requests; may be nil.
	Reset func()
	// Now reads the clocks; nil: Clock, which the test moves.
	Now   func() store.Clock
	Clock store.Clock

	Asked   int // requests
	conns   uint64
	log     []string
	seen    map[string]int
	batch   []*call // since Reset
	waiting []*call
	pushes  []store.Push // that Heard has not returned
	drops   []store.Conn
}

// batch is how many requests Run plays before it empties both again.
const batch = 400

// Reply is an answer of the server.
type Reply struct {
	Value any
	Err   error
}

// call is a request in progress.
type call struct {
	id      uint64
	conn    store.Conn
	request ports.Request
	got     chan Reply
}

// shown is how many of the last requests a failure lists.
const shown = 25

// Fail ends the test, and lists the last requests.
func (d *Duel) Fail(format string, args ...any) {
	d.T.Helper()
	d.T.Fatalf("%s\nafter %d requests, the last of them:\n%s", fmt.Sprintf(format, args...), d.Asked, strings.Join(d.log, "\n"))
}

// Log adds an action of the test to the list of Fail.
func (d *Duel) Log(format string, args ...any) {
	d.log = append(d.log[max(0, len(d.log)-shown+1):], fmt.Sprintf(format, args...))
}

// Run compares the answers to a number of requests (see Operations); next may also send requests
// itself and return nil.
func (d *Duel) Run(own int, next func() ports.Request) {
	d.T.Helper()
	for d.Asked < Operations(own) {
		if d.Reset != nil && len(d.batch)%batch == 0 {
			d.batch = nil
			d.Reset()
		}
		if r := next(); r != nil {
			d.Do(r)
		}
	}
}

// Open returns another connection of a client.
func (d *Duel) Open(client history.NodeID) store.Conn {
	d.conns++
	return store.Conn{ID: Conn.ID + d.conns, Client: client}
}

// Do sends a request to both and returns the model's answer; nil if the request waits.
func (d *Duel) Do(r ports.Request) any {
	d.T.Helper()
	a, _ := d.DoAs(Conn, r)
	return a.Value
}

// DoAs is Do on the given connection, and returns the complete answer.
func (d *Duel) DoAs(c store.Conn, r ports.Request) (a store.Answer, done bool) {
	d.T.Helper()
	d.Asked++
	k := d.ask(c, r)
	if d.Reset != nil {
		d.batch = append(d.batch, k)
	}
	d.Log("%s", k)
	a, done = d.Model.Exec(d.now(), k.id, c, r)
	switch {
	case done:
		d.log[len(d.log)-1] += " -> " + text(a.Value, a.Err)
		d.match(k, a, "")
	case d.Waits == nil:
		d.Fail("the model keeps %s waiting", k)
	default:
		d.log[len(d.log)-1] += " waits"
		d.waiting = append(d.waiting, k)
		d.Count(ports.Name(r)+" waits", 1)
		d.Count("waits", 1)
	}
	d.Collect()
	if done && d.Hears != nil {
		d.compareHeard(c)
	}
	return a, done
}

// Modelled asks only the model.
func (d *Duel) Modelled(r ports.Request) any {
	a, _ := d.Model.Exec(d.now(), 0, Conn, r)
	return a.Value
}

// Served asks only the server.
func (d *Duel) Served(r ports.Request) (any, error) { return d.Real(Conn, d.translated(r)) }

// Awaits asks only the server until it answers, as after a restart.
func (d *Duel) Awaits(r ports.Request) {
	d.T.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := d.Served(r); err == nil {
			return
		} else if time.Since(began) > patience {
			d.Fail("no answer after %v: %v", patience, err)
		}
	}
}

// ask sends a request to the server.
func (d *Duel) ask(c store.Conn, r ports.Request) *call {
	k, asked := &call{uint64(d.Asked), c, r, make(chan Reply, 1)}, d.translated(r)
	go func() {
		value, err := d.Real(c, asked)
		k.got <- Reply{value, err}
	}()
	return k
}

func (k *call) String() string {
	text := ports.RequestText(k.request)
	if k.conn != Conn {
		return fmt.Sprintf("client %d: %s", k.conn.Client, text)
	}
	return text
}

func (d *Duel) now() store.Clock {
	if d.Now != nil {
		return d.Now()
	}
	return d.Clock
}

func (d *Duel) translated(r ports.Request) ports.Request {
	if d.Translate != nil {
		return d.Translate(r)
	}
	return r
}

// match compares the model's answer to a request with the server's.
func (d *Duel) match(k *call, a store.Answer, late string) {
	d.T.Helper()
	if differs := d.differs(k, a); differs != "" {
		d.Fail("%s", d.smallest(differs))
	}
	kind := d.Kind
	if kind == nil {
		kind = Kind
	}
	d.Count(kind(k.request, a)+late, 1)
	if d.Answered != nil {
		d.Answered(k.conn, k.request, a)
	}
}

func (d *Duel) differs(k *call, a store.Answer) string {
	same := d.Same
	if same == nil {
		same = Differ
	}
	select {
	case got := <-k.got:
		if differs := same(k.request, a, got); differs != "" {
			return fmt.Sprintf("%s: %s\nmodel  %s\nserver %s", k, differs, text(a.Value, a.Err), text(got.Value, got.Err))
		}
	case <-time.After(patience):
		return fmt.Sprintf("%s: the model answers %s, and the server waits", k, text(a.Value, a.Err))
	}
	return ""
}

// smallest removes requests from the batch as long as some answer differs, and returns the last
// difference.
func (d *Duel) smallest(differs string) string {
	if d.Reset == nil {
		return differs
	}
	for before := len(d.batch) + 1; len(d.batch) < before; {
		before = len(d.batch)
		for i := before - 1; i >= 0; i-- {
			fewer := slices.Delete(slices.Clone(d.batch), i, i+1)
			if again, played := d.replay(fewer); again != "" {
				d.batch, differs = fewer[:played], again
				i = min(i, played)
			}
		}
	}
	d.log = nil
	for _, k := range d.batch {
		d.log = append(d.log, k.String())
	}
	return differs
}

// replay plays requests to both until an answer differs, and returns how many it has played then.
func (d *Duel) replay(requests []*call) (differs string, played int) {
	d.Reset()
	for i, k := range requests {
		again := d.ask(k.conn, k.request)
		a, done := d.Model.Exec(d.now(), again.id, k.conn, k.request)
		if done {
			differs = d.differs(again, a)
		}
		if differs != "" {
			return differs, i + 1
		}
	}
	return "", 0
}

// Differ compares types, values and the texts of errors.
func Differ(_ ports.Request, want store.Answer, got Reply) string {
	if text(want.Value, want.Err) != text(got.Value, got.Err) {
		return "another answer"
	}
	return ""
}

func text(value any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%T %+v", value, value)
}

// Kind is the name of the request, with "refused" after it for an error.
func Kind(r ports.Request, a store.Answer) string {
	if a.Err != nil {
		return ports.Name(r) + " refused"
	}
	return ports.Name(r)
}

// Count counts answers of a kind, for Demand.
func (d *Duel) Count(kind string, times int) {
	if d.seen == nil {
		d.seen = map[string]int{}
	}
	d.seen[kind] += times
}

// Demand fails the test if it has seen too few answers of a kind: it must not compare errors only.
func (d *Duel) Demand(least int, kinds ...string) {
	d.T.Helper()
	d.T.Logf("%d requests: %v", d.Asked, d.seen)
	for _, kind := range kinds {
		if d.seen[kind] < least {
			d.T.Errorf("only %d times %q: the requests miss it", d.seen[kind], kind)
		}
	}
}
