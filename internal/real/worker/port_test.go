package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store"
	_ "lockstep/internal/store/live"
)

// asked is a request.
type asked struct{ patience time.Duration }

func (asked) AppendText(buf []byte) []byte { return append(buf, "ASKED"...) }
func (asked) Op() history.Op               { return history.Op{Name: "ASKED"} }
func (a asked) Patience() time.Duration    { return a.patience }

// executor gives the answers of its test.
type executor struct {
	mu      sync.Mutex
	servers []int // that were asked, in this order
	answer  func(ctx context.Context) (any, error)
	in      livestore.Incoming // of the last connection
}

func (e *executor) Do(ctx context.Context, server int, _ ports.Request) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.servers = append(e.servers, server)
	return e.answer(ctx)
}

func (*executor) Close() error { return nil }

// opener is an executor with connections that a caller keeps.
type opener struct {
	*executor
	closed int
}

func (o *opener) Open(_ context.Context, server int, in livestore.Incoming) (livestore.Line, error) {
	o.in = in
	return &openLine{o, server}, nil
}

type openLine struct {
	*opener
	server int
}

func (l *openLine) Do(ctx context.Context, r ports.Request) (any, error) {
	return l.executor.Do(ctx, l.server, r)
}
func (l *openLine) Close() { l.closed++ }

func portOn(t *testing.T, timeout time.Duration, e livestore.Executor) (*storePort, *reported) {
	w, reports := alone(t, timeout)
	w.start.First = 1
	p := must.Get(newStorePort(w, &livestore.Driver{Store: "etcd", Connect: func(livestore.Client) (livestore.Executor, error) { return e, nil }}, []string{"a", "b", "c"}, w.dialDirectly))(t)
	return p, reports
}

// dumb is the answer of a server that never answers.
func dumb(ctx context.Context) (any, error) {
	<-ctx.Done()
	return nil, ports.ErrConnection
}

// After a request without an answer a port asks the next server. A refusal is an answer.
func TestAPortPassesOverAServerThatDoesNotAnswer(t *testing.T) {
	refusal := errors.New("no such thing")
	e := &executor{}
	p, reports := portOn(t, 50*time.Millisecond, e)
	for _, tt := range []struct {
		answer func(context.Context) (any, error)
		want   error
	}{
		{func(context.Context) (any, error) { return true, nil }, nil},
		{func(context.Context) (any, error) { return nil, refusal }, refusal},
		{func(context.Context) (any, error) { return nil, ports.ErrConnection }, ports.ErrConnection},
		{dumb, ports.ErrTimeout},
		{func(context.Context) (any, error) { return "done", nil }, nil},
	} {
		e.answer = tt.answer
		if _, err := p.Send(t.Context(), asked{}); err != tt.want {
			t.Errorf("%v, want %v", err, tt.want)
		}
	}
	must.Slicesf(t, e.servers, []int{1, 1, 1, 2, 0}, "asked")
	want := []string{
		"ASKED", "-> true", "ASKED", "-> no such thing", "ASKED", "-- connection lost",
		"ASKED", "-- no reply within the response timeout", "ASKED", "-> done",
	}
	must.Slicesf(t, reports.lines(), want, "reported")
}

// A request that a server may keep waiting has this time in addition to the response timeout.
func TestAPortHasThePatienceOfItsRequest(t *testing.T) {
	const timeout = 50 * time.Millisecond
	p, _ := portOn(t, timeout, &executor{answer: dumb})
	for _, patience := range []time.Duration{0, 200 * time.Millisecond} {
		began := time.Now()
		_, err := p.Send(t.Context(), asked{patience})
		wantError(t, "silence", err, ports.ErrTimeout, time.Since(began), timeout+patience, timeout+patience+patience/2+time.Second)
	}
	limited, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if _, err := p.Send(limited, asked{time.Minute}); err != context.DeadlineExceeded {
		t.Errorf("given up: %v", err)
	}
}

// Before a run begins, a question that gets no answer is asked again soon.
func TestALostQuestionIsAskedAgain(t *testing.T) {
	w, _ := alone(t, 20*time.Millisecond)
	asked, began := 0, time.Now()
	err := w.untilAnswered(t.Context(), "a server", func(ctx context.Context) error {
		if asked++; asked > 3 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if took := time.Since(began); err != nil || asked != 4 || took > 10*time.Second {
		t.Errorf("%v after %d questions and %v", err, asked, took)
	}
}

// Messages of a server are kept until a task reads them. After a connection breaks, the client asks
// the next server.
func TestAConnectionOfAPort(t *testing.T) {
	e := &opener{executor: &executor{answer: func(context.Context) (any, error) { return nil, nil }}}
	p, _ := portOn(t, time.Second, e)
	c := must.Get(p.Dial(t.Context()))(t)
	must.Get(c.Send(t.Context(), asked{}))(t)
	e.in.Push("first")
	e.in.Push("second")
	e.in.Broke()
	for _, want := range []string{"first", "second"} {
		must.Equal[any](t, must.Get(c.Next(t.Context()))(t), want)
	}
	_, next := c.Next(t.Context())
	_, sent := c.Send(t.Context(), asked{})
	if next != ports.ErrConnection || sent != ports.ErrConnection {
		t.Errorf("of a broken connection: %v, %v", next, sent)
	}
	c.Close()
	c.Close()
	if _, err := p.Send(t.Context(), asked{}); err != nil || e.closed != 1 || !slices.Equal(e.servers, []int{1, 2}) {
		t.Errorf("%v; closed %d times, asked %v", err, e.closed, e.servers)
	}
}

// For each lock of each store other than Redis: one client has the lock, another one waits and gets
// it.
func TestLocksContendOnRealServers(t *testing.T) {
	for _, d := range append(livestore.All(store.Quorum), livestore.All(store.Replicated)...) {
		t.Run(string(d.Store), func(t *testing.T) {
			s := startStore(t, d.Store)
			w, _ := alone(t, 5*time.Second)
			s.setUp(t, w)
			contendFor(t, d.Store, 3*time.Second, func(w *worker, d *locks.Deps) { d.Port = s.port(t, w, w.dialDirectly) })
		})
	}
}
