package worker

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/proto"
)

// dialFunc opens a connection to the address of a link.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialDirectly takes the address as it is.
func (w *worker) dialDirectly(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: w.start.Timeout}
	return dialer.DialContext(ctx, network, addr)
}

// call is a request to a store that is under way.
type call struct {
	w     *worker
	up    proto.Up
	op    history.Op
	told  proto.Up // the latest event: here, so that an event needs no memory of its own
	wants []faults.MomentKind
	part  faults.Part
	mark  string // what the link recognises it by; "" when no fault waits for it
}

// begin reports that a request is sent next, to the server with that index, and holds
// its sender back while a fault acts that has waited for this. The link recognises it
// by mark, or when that is empty by its number, which then has to go with it.
func (w *worker) begin(server int, task string, what ports.Request, mark string) *call {
	return w.open(proto.Up{Server: server, Command: what.Name(), Task: task}, asking{text: ports.RequestText(what), op: what.Op()}, func(call int64) string {
		if mark == "" {
			return numberMark(call)
		}
		return mark
	})
}

// asking is a request as it is told.
type asking struct {
	text  string
	op    history.Op
	redis bool
	words string // of a command of Redis, see proto.Up
}

// open is begin for any request, of Redis or not. up tells the server, the task, the command
// and its script; mark is asked, with the request's number, only when a link has to know it.
func (w *worker) open(up proto.Up, a asking, mark func(call int64) string) *call {
	up.Call = w.next()
	c := &call{w: w, up: up, op: a.op}
	if up.Task != ports.Watchdog {
		c.part = faults.Part(w.part.Load()).Of(up.Command, a.redis)
	}
	for _, want := range w.start.Wire {
		if w.began.Load() && want.Covers(up.Command, up.Script, c.part) {
			c.wants = append(c.wants, want.Kind)
		}
	}
	if slices.ContainsFunc(c.wants, beforeReply) {
		c.mark = mark(up.Call)
		announce := c.up
		announce.Kind, announce.Wants, announce.Part, announce.Mark = proto.CallUp, c.wants, c.part, []byte(c.mark)
		w.ask(announce)
	}
	c.tell(proto.Up{Event: history.Sent, Text: a.text, Op: &c.op, Words: a.words})
	return c
}

// beforeReply reports whether a moment comes before the client has its reply, so
// that the harness must know of the command before it is sent.
func beforeReply(m faults.MomentKind) bool { return m != faults.HasReply }

// numberMark is the mark of a request that carries its number with it: in the metadata
// of gRPC, say, or behind a statement of SQL, where it is a comment.
func numberMark(call int64) string { return "/* call" + strconv.FormatInt(call, 10) + " */" }

// tell reports an event of the request.
func (c *call) tell(what proto.Up) {
	c.told = c.up
	c.told.Event, c.told.Text, c.told.Op, c.told.Answer, c.told.Words, c.told.Broken = what.Event, what.Text, what.Op, what.Answer, what.Words, what.Broken
	c.w.record(&c.told)
}

// answered reports an answer, and that a renewal has one.
func (c *call) answered(text string, says history.Answer) {
	c.tell(proto.Up{Event: history.Replied, Text: text, Answer: &says})
	if slices.Contains(c.wants, faults.HasReply) {
		m := c.up
		m.Moment, m.Part = faults.HasReply, c.part
		c.w.reach(m, true)
	}
	if c.up.Task == ports.Watchdog {
		c.w.reach(proto.Up{Moment: faults.Renews}, c.w.wantsMoment(faults.Renews))
	}
}

// failed reports that there will be no answer.
func (c *call) failed(err error) {
	c.tell(proto.Up{Event: history.TimedOut, Text: err.Error(), Broken: err == ports.ErrConnection}) // never wrapped
}

// request is one request to a store.
type request[T any] struct {
	server   int           // that it goes to, as an index of the links
	what     ports.Request // as in reports
	mark     string        // what the link recognises it by; "": the number that markOf gives
	patience time.Duration // how long the store may keep it on purpose, besides the response timeout
	// send sends it and waits for the answer, or for the end of ctx. Its error is
	// what the store says, ErrConnection or ErrTimeout.
	send   func(ctx context.Context) (T, error)
	answer func(T) string // the answer as in reports, when the store has not refused
}

// outcome is what became of a request.
type outcome[T any] struct {
	value T
	err   error
}

// perform sends one request and returns at the latest after the response timeout
// or when ctx ends; the request is then left to itself.
func perform[T any](ctx context.Context, w *worker, r request[T]) (T, error) {
	defer w.turns.leave()()
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	c := w.begin(r.server, taskOf(ctx), r.what, r.mark)
	limited, cancel := context.WithTimeout(ctx, w.start.Timeout+r.patience)
	defer cancel()
	done := make(chan outcome[T], 1)
	go func() {
		value, err := r.send(livestore.WithMark(limited, c.mark))
		done <- outcome[T]{value, err}
	}()
	var got outcome[T]
	select {
	case got = <-done:
	case <-limited.Done():
		got.err = ports.ErrTimeout
	}
	switch {
	case got.err == nil:
		c.answered(r.answer(got.value), ports.AnswerTo(r.what, got.value, nil))
	case unanswered(got.err):
		// Whatever the library has made of it. A member of etcd is told the deadline, too, and may say that
		// it has passed before the timer here fires.
		if limited.Err() != nil || got.err == ports.ErrTimeout {
			got.err = ended(ctx)
		}
		c.failed(got.err)
	default:
		c.answered(errorText(got.err), ports.AnswerTo(r.what, nil, got.err))
	}
	return got.value, got.err
}

// unanswered reports whether an error means that the store has not answered.
func unanswered(err error) bool {
	switch err { // never wrapped
	case ports.ErrConnection, ports.ErrTimeout:
		return true
	}
	return false
}

// untilAnswered asks until a store has answered once, so that the first request
// of the run is not slower than the others.
func untilAnswered(ctx context.Context, who string, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var err error
	for ctx.Err() == nil {
		if err = ask(ctx); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("%s did not answer before the run: %w", who, err)
}

// ended says why a request had to end: for the caller's sake, or for want of an
// answer. The timer of the timeout is the earlier of two, and may fire a moment
// before that of the caller's deadline.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= 0 {
		return context.DeadlineExceeded
	}
	return ports.ErrTimeout
}
