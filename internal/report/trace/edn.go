package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/timeline"
)

// EDN writes a history as Jepsen does, for its checkers and for Knossos' model of a mutex: one
// operation per line, :acquire and :release, each invoked by a process and completed as :ok, :fail
// (it did not happen) or :info (unknown). A process that crashed, or whose operation has an unknown
// result, ends, and its client continues as another process. Faults belong to :nemesis. The model
// has no critical sections and no re-entrancy, so both are left out.
//
// :time is true time in nanoseconds.
func EDN(out io.Writer, h *timeline.Timeline) error {
	w := ednWriter{h: h, out: bufio.NewWriter(out), clients: make([]ednClient, len(h.Header.Nodes)+1)}
	for i := range h.Header.Nodes {
		if role := h.Role(history.NodeID(i + 1)); role == history.RoleClient || role == history.RoleProbe {
			w.clients[i+1] = ednClient{process: w.processes, known: true}
			w.processes++
		}
	}
	for _, e := range h.All() {
		w.take(e)
	}
	return w.out.Flush() // returns the first error of any write
}

type ednWriter struct {
	h         *timeline.Timeline
	out       *bufio.Writer
	index     int
	processes int // number of processes so far
	clients   []ednClient
}

// ednClient is the state of a client in the model.
type ednClient struct {
	known   bool
	process int
	pending string // the operation that is not completed; "" for none
	holds   bool
}

func (w *ednWriter) take(e *history.Event) {
	if e.Kind == history.FaultBegan || e.Kind == history.FaultEnded {
		name := ":start"
		if e.Kind == history.FaultEnded {
			name = ":stop"
		}
		w.line(e.At, ":nemesis", ":info", name, jsonString(w.h.Text(e.Text), sanitize.MaxLine)) // EDN has all escapes of JSON
		return
	}
	if int(e.Node) >= len(w.clients) || !w.clients[e.Node].known {
		return
	}
	c := &w.clients[e.Node]
	switch e.Kind {
	case history.Waits:
		w.invoke(c, e.At, ":acquire")
	case history.Acquired:
		w.complete(c, e, ":acquire", ":ok")
		c.holds = true
	case history.GaveUp:
		w.complete(c, e, ":acquire", ":fail")
	case history.Releasing:
		w.invoke(c, e.At, ":release")
		c.holds = false
	case history.Released, history.LostLease:
		if c.holds { // released without a call
			w.invoke(c, e.At, ":release")
			c.holds = false
		}
		w.complete(c, e, ":release", ":ok")
	case history.NotHeld, history.ReleaseFailed:
		if c.pending == ":release" {
			w.retire(c, e)
		}
	case history.Crashed:
		w.retire(c, e)
	}
}

// retire ends a process whose pending operation has an unknown result; its client continues as
// another process.
func (w *ednWriter) retire(c *ednClient, e *history.Event) {
	if c.pending != "" {
		w.complete(c, e, c.pending, ":info")
	}
	*c = ednClient{known: true, process: w.processes}
	w.processes++
}

func (w *ednWriter) invoke(c *ednClient, at history.Instant, op string) {
	if c.pending != "" {
		return
	}
	c.pending = op
	w.line(at, strconv.Itoa(c.process), ":invoke", op, "nil")
}

func (w *ednWriter) complete(c *ednClient, e *history.Event, op, how string) {
	if c.pending != op {
		return
	}
	c.pending = ""
	value := "nil"
	if e.Token != 0 {
		value = strconv.FormatInt(e.Token, 10)
	}
	w.line(e.At, strconv.Itoa(c.process), how, op, value)
}

func (w *ednWriter) line(at history.Instant, process, how, op, value string) {
	fmt.Fprintf(w.out, "{:index %d, :time %d, :process %s, :type %s, :f %s, :value %s}\n", w.index, at.Duration().Nanoseconds(), process, how, op, value)
	w.index++
}
