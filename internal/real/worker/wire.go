package worker

import (
	"cmp"
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
	"lockstep/internal/store"
)

// dialFunc opens a connection to the address of a link.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialDirectly connects to the address itself.
func (w *worker) dialDirectly(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: w.start.Timeout}
	return dialer.DialContext(ctx, network, addr)
}

// call is a request to a store that is under way.
type call struct {
	w     *worker
	up    proto.Up // server, task, command and script, which all its events share
	wants []faults.MomentKind
	part  faults.Part
	mark  string // by which the link recognises it; "" when no fault waits for it
}

// report is what the history says of a request.
type report struct {
	text  string
	op    history.Op
	redis bool
	words string // of a command of Redis, see proto.Up
}

// open reports that a request is sent next, and holds its sender back while a fault acts that
// has waited for this moment. up has the server, the task, the command and its script. mark is
// called, with the request's number, only when a link has to recognise the request.
func (w *worker) open(up proto.Up, r report, mark func(call int64) string) *call {
	up.Call = w.next()
	c := &call{w: w, up: up}
	if up.Task != ports.Watchdog {
		c.part = faults.Part(w.part.Load()).Of(up.Command, r.redis)
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
	up.Event, up.Text, up.Op, up.Words = history.Sent, r.text, &r.op, r.words
	w.record(up)
	return c
}

// beforeReply reports whether a moment comes before the client has its reply, so
// that the harness must know of the command before it is sent.
func beforeReply(m faults.MomentKind) bool { return m != faults.HasReply }

// numberMark is the mark of a request that carries its number: in the metadata of gRPC,
// for instance, or in a comment at the end of an SQL statement.
func numberMark(call int64) string { return "/* call" + strconv.FormatInt(call, 10) + " */" }

// answered reports an answer, and that a renewal has one.
func (c *call) answered(text string, says history.Answer) {
	m := c.up
	m.Event, m.Text, m.Answer = history.Replied, text, &says
	c.w.record(m)
	if slices.Contains(c.wants, faults.HasReply) {
		m := c.up
		m.Moment, m.Part = faults.HasReply, c.part
		c.w.reach(m, true)
	}
	if c.up.Task == ports.Watchdog {
		c.w.reach(proto.Up{Moment: faults.Renews}, c.w.awaited(faults.Renews))
	}
}

// failed reports that there will be no answer.
func (c *call) failed(err error) {
	m := c.up
	m.Event, m.Text, m.Broken = history.TimedOut, err.Error(), err == ports.ErrConnection // never wrapped
	c.w.record(m)
}

// request is one request to a store.
type request struct {
	server   int // index of its link
	what     ports.Request
	mark     string        // by which the link recognises it; "" for numberMark
	patience time.Duration // how long the store may keep it on purpose, besides the response timeout
	// send sends it and waits for the answer, or for the end of ctx. Its error is the
	// refusal of the store, ErrConnection or ErrTimeout.
	send func(ctx context.Context) (any, error)
}

// perform sends one request and returns at the latest after the response timeout
// or when ctx ends, without waiting for send.
func perform(ctx context.Context, w *worker, r request) (any, error) {
	defer w.turns.leave()()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	up := proto.Up{Server: r.server, Command: ports.Name(r.what), Task: taskOf(ctx)}
	c := w.open(up, report{text: ports.RequestText(r.what), op: r.what.Op()}, func(call int64) string {
		return cmp.Or(r.mark, numberMark(call))
	})
	limited, cancel := context.WithTimeout(ctx, w.start.Timeout+r.patience)
	defer cancel()
	type outcome struct {
		value any
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := r.send(livestore.WithMark(limited, c.mark))
		done <- outcome{value, err}
	}()
	var got outcome
	select {
	case got = <-done:
	case <-limited.Done():
		got.err = ports.ErrTimeout
	}
	if !unanswered(got.err) {
		c.answered(store.AnswerText(r.what, got.value, got.err), ports.AnswerTo(r.what, got.value, got.err))
		return got.value, got.err
	}
	// The client library may have made another error of it: a member of etcd is told the
	// deadline, too, and may say that it has passed before the timer here fires.
	if limited.Err() != nil || got.err == ports.ErrTimeout {
		got.err = ended(ctx)
	}
	c.failed(got.err)
	return got.value, got.err
}

// unanswered reports whether an error means that the store has not answered.
func unanswered(err error) bool {
	return err == ports.ErrConnection || err == ports.ErrTimeout // never wrapped
}

// untilAnswered repeats a request until a store has answered it, so that the first request of
// the run is not slower than the others.
func (w *worker) untilAnswered(ctx context.Context, who string, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	err := patiently(ctx, w.start.Timeout, func(patience time.Duration) error {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return ask(limited)
	})
	if err != nil {
		return fmt.Errorf("%s did not answer before the run: %w", who, err)
	}
	return nil
}

// patiently asks until there is an answer or ctx has ended. A link that loses messages also loses
// questions, and on a busy machine the answer may be late, so each time it waits twice as long, up
// to a second.
func patiently(ctx context.Context, timeout time.Duration, ask func(patience time.Duration) error) error {
	for patience := timeout; ; patience = min(2*patience, max(timeout, time.Second)) {
		if err := ask(patience); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond) // a server that refuses has not started yet
	}
}

// ended is the reason why a request had to end: the caller's context or the response
// timeout. The timer of the timeout is the earlier of two, and may fire a moment
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
