// Package worker is one client of the live world: a process of its own that
// plays the workload with a real lock over a real connection.
//
// A client is a process so that a pause can be SIGSTOP and a crash SIGKILL. A pause stops all
// goroutines, the watchdog's too, while the sockets stay open, and after a crash not even a
// deferred function runs.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/workload"
)

// Main plays the worker and ends the process if the environment says that this process is one;
// otherwise it returns at once. A program that starts workers calls it first in main, and a test
// in TestMain.
func Main() {
	if os.Getenv(proto.EnvWorker) != "1" {
		return
	}
	conn := proto.Inherited()
	w := &worker{conn: conn, waiting: map[int64]chan proto.Down{}}
	if err := w.play(); err != nil {
		_ = conn.Send(proto.Up{Kind: proto.Failed, Text: err.Error()}) // if that fails, the harness is gone
		w.quit(1)
	}
	w.quit(0)
}

// quit ends the process, after all that the program of its lock has started: orphans that have
// cleared their environment could not be found afterwards.
func (w *worker) quit(code int) {
	if w.start.Program != nil {
		_ = osproc.KillDescendants() // the harness, or its reaper, finds those that are left
	}
	os.Exit(code)
}

// harness is the connection to the harness, a *proto.Conn.
type harness interface {
	Send(message any) error
	Receive(message any) error
}

type worker struct {
	conn   harness
	start  proto.Start
	clock  clock
	turns  turns
	redis  []*lines      // one for each server
	lead   atomic.Int64  // index of the server that this client takes for the primary
	began  atomic.Bool   // faults may wait for requests from now on: earlier ones prepare a program
	played atomic.Bool   // all rounds are over, so a program of the lock may end
	taps   taps          // connections of a library to the primary
	part   atomic.Uint32 // faults.Part of the lock that the client is in

	mu      sync.Mutex
	last    int64 // number of the last question or command
	waiting map[int64]chan proto.Down
}

// play plays all rounds and then does not return: the process of a client that has finished
// lives on, and a watchdog that its lock forgot goes on renewing.
func (w *worker) play() error {
	if err := w.conn.Receive(&w.start); err != nil {
		return fmt.Errorf("no start message: %w", err)
	}
	if err := w.start.Check(); err != nil {
		return err
	}
	variant, ok := locks.Lookup(w.start.Lock)
	if w.start.Program != nil {
		variant, ok = locks.Variant{ID: w.start.Lock, Program: w.start.Program, Store: locks.Store(w.start.Store)}, true
	}
	if !ok {
		return fmt.Errorf("unknown lock %q: the worker is of another build than the harness", w.start.Lock)
	}
	w.clock.wrong.Store(&w.start.Clock)
	asked := make(chan error, 1)
	began := make(chan proto.Go, 1)
	go func() { asked <- w.listen(began) }()

	w.last = int64(w.start.Life) << 32
	env := newEnv(w, w.purpose("luck of "))
	deps := locks.Deps{
		Env: env, Name: locks.Key, Owner: w.start.Name,
		Lease: w.start.Lease, Retry: w.start.Workload.Retry, Wait: w.start.Workload.Wait, Once: w.start.Workload.TriesOnce(),
		Renew:   w.start.Workload.Renew,
		Timeout: w.start.Timeout, Replicas: w.start.Replicas,
	}
	newLock, err := w.lockOf(&variant, &deps)
	if err != nil {
		return err
	}
	if err := w.conn.Send(proto.Up{Kind: proto.Ready}); err != nil {
		return err
	}
	var begin proto.Go
	select {
	case begin = <-began:
	case err := <-asked:
		return err
	}
	go func() { // a worker that cannot read the harness's messages must stop
		fmt.Fprintln(os.Stderr, <-asked)
		w.quit(1)
	}()
	w.began.Store(true)
	w.clock.zero, w.clock.epoch = begin.Zero, begin.Epoch
	time.Sleep(begin.Zero + begin.Begin - osproc.Now())
	client := &workload.Client{
		Env: env, Resource: resource{w}, Control: control{w}, Plan: w.start.Workload, Timeout: w.start.Timeout,
		Rand: newRand(w.start.Seed, w.purpose("habits of ")),
		Lock: newLock(deps),
	}
	w.turns.take()
	client.Play()
	w.turns.give()
	w.played.Store(true)
	if err := w.conn.Send(proto.Up{Kind: proto.Done}); err != nil {
		return err
	}
	select {}
}

// lockOf opens the first connections of a lock and returns its constructor.
func (w *worker) lockOf(v *locks.Variant, d *locks.Deps) (func(locks.Deps) locks.Lock, error) {
	var lock locks.Lock
	var err error
	switch {
	case v.Program != nil:
		lock, err = w.newProgram(v, *d)
	case v.Library != "":
		lock, err = w.newLibrary(v, *d)
	default:
		return v.New, w.connect(d, v.Store)
	}
	return func(locks.Deps) locks.Lock { return lock }, err
}

// purpose names a random stream. Each life has its own streams, so that a restarted process
// does not draw its old tokens again.
func (w *worker) purpose(what string) string {
	what += w.start.Name
	if w.start.Life > 0 {
		what = fmt.Sprintf("%s, life %d", what, w.start.Life+1)
	}
	return what
}

// connect gives the lock the ports of its store, with their first connections.
func (w *worker) connect(d *locks.Deps, store locks.Store) error {
	if driver := livestore.Of(store); driver != nil {
		return w.connectStore(d, driver)
	}
	switch store {
	case locks.StoreRedis:
		return w.connectRedis(d)
	case locks.StoreRedisNodes:
		return w.connectNodes(d)
	}
	return fmt.Errorf("no client of the store %q: the worker is of another build than the harness", store)
}

// warm lets a port open its first connections before true time begins. A client that restarts
// during the run does not wait for the servers.
func (w *worker) warm(connect func(context.Context) error) error {
	if w.start.Life > 0 {
		return nil
	}
	return connect(context.Background())
}

// primary is the index of the server that this client takes for the primary.
func (w *worker) primary() int { return int(w.lead.Load()) }

// listen delivers answers to the tasks that wait for them, until the harness closes the socket.
func (w *worker) listen(began chan<- proto.Go) error {
	for {
		var answer proto.Down
		if err := w.conn.Receive(&answer); err != nil {
			if errors.Is(err, io.EOF) {
				w.quit(0) // the run is over, and no answer will come
			}
			return err
		}
		if err := answer.Check(len(w.start.Endpoints)); err != nil {
			return err
		}
		if answer.Go != nil {
			select {
			case began <- *answer.Go:
				continue
			default:
				return fmt.Errorf("%w: the worker is told to begin for the second time", proto.ErrMessage)
			}
		}
		if answer.Clock != nil {
			w.clock.wrong.Store(answer.Clock)
			continue
		}
		if answer.Lead != nil {
			w.lead.Store(int64(*answer.Lead))
			w.taps.follow(*answer.Lead)
			continue
		}
		w.mu.Lock()
		waits := w.waiting[answer.ID]
		delete(w.waiting, answer.ID)
		w.mu.Unlock()
		if waits != nil {
			waits <- answer
		}
	}
}

// next returns a new number for a question or a command.
func (w *worker) next() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	return w.last
}

// send sends a message that needs no answer. The process ends when the harness has gone.
func (w *worker) send(m proto.Up) {
	if err := w.conn.Send(m); err != nil {
		w.quit(0)
	}
}

// ask sends a message and waits for its answer.
func (w *worker) ask(m proto.Up) proto.Down {
	m.ID = w.next()
	answer := make(chan proto.Down, 1)
	w.mu.Lock()
	w.waiting[m.ID] = answer
	w.mu.Unlock()
	w.send(m)
	return <-answer
}

// record reports an event of this client. It sets the kind and the clocks of m.
func (w *worker) record(m proto.Up) {
	at := w.clock.now()
	m.Kind, m.At, m.Clock = proto.Event, at, int64(w.clock.wall(at))
	w.send(m)
}

// reach reports a moment, and waits for the answer when a fault may act.
func (w *worker) reach(m proto.Up, wait bool) {
	m.Kind = proto.Moment
	if wait {
		w.ask(m)
		return
	}
	w.send(m)
}

// awaited reports whether a fault waits for a moment of the workload.
func (w *worker) awaited(kind faults.MomentKind) bool { return slices.Contains(w.start.Moments, kind) }

// control is workload.Control.
type control struct{ w *worker }

func (c control) Record(kind history.Kind, token, value int64, text string) {
	c.w.part.Store(uint32(workload.PartAfter(faults.Part(c.w.part.Load()), kind)))
	c.w.record(proto.Up{Event: kind, Token: token, Value: value, Text: text})
}

// Reach implements workload.Control. It keeps the turn, since a moment takes no time in the
// simulator: otherwise a client that a fault has paused at a moment would always learn first
// what it missed meanwhile.
func (c control) Reach(kind faults.MomentKind) {
	c.w.reach(proto.Up{Moment: kind}, c.w.awaited(kind))
}

// ExtraWork implements workload.Control. It keeps the turn, too: a client whose work is over
// must not learn meanwhile that its lock is lost.
func (c control) ExtraWork() time.Duration {
	return c.w.ask(proto.Up{Kind: proto.Extra}).Extra
}

// resource is ports.Resource. The harness has the real one, and no fault affects the
// connection to it.
type resource struct{ w *worker }

func (r resource) Read(ctx context.Context, token int64) (int64, error) {
	return r.ask(ctx, proto.Up{Kind: proto.Read, Token: token})
}

func (r resource) Write(ctx context.Context, token, basedOn int64) error {
	_, err := r.ask(ctx, proto.Up{Kind: proto.Write, Token: token, Value: basedOn})
	return err
}

func (r resource) ask(ctx context.Context, m proto.Up) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	defer r.w.turns.leave()()
	answer := r.w.ask(m)
	switch answer.Error {
	case "":
		return answer.Value, nil
	case proto.FencedError:
		return 0, ports.ErrFenced
	default:
		return 0, errors.New(answer.Error)
	}
}
