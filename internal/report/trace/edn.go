package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/timeline"
)

// EDN writes a history as Jepsen does, for its checkers and for Knossos' model of a
// mutex: one operation per line, :acquire and :release, each invoked by a process and
// completed as :ok, :fail (it has not happened) or :info (unknown). A process that
// crashed, or whose operation has an unknown result, never comes back: its client goes on as
// another process. Faults belong to :nemesis.
// What a client does within its critical section, and a lock that is taken again by its
// holder, have no place in that model and are left out.
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
	return w.out.Flush() // the first error of all
}

type ednWriter struct {
	h         *timeline.Timeline
	out       *bufio.Writer
	index     int
	processes int // that there have been
	clients   []ednClient
}

// ednClient is a client as the model sees it.
type ednClient struct {
	known   bool
	process int
	pending string // the operation that is invoked and not completed; "" for none
	holds   bool
}

func (w *ednWriter) take(e *history.Event) {
	if e.Kind == history.FaultBegan || e.Kind == history.FaultEnded {
		name := ":start"
		if e.Kind == history.FaultEnded {
			name = ":stop"
		}
		w.line(e.At, ":nemesis", ":info", name, ednText(sanitize.Text(w.h.Text(e.Text), sanitize.MaxLine)))
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
		if c.holds { // the design releases it without a call
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

// retire ends a process: the result of its pending operation is unknown, so it can
// invoke no other one, and its client goes on as another process.
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

// ednText quotes a text. The escapes of JSON are among those of EDN.
func ednText(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		return `""` // not reached: a string can be written
	}
	return string(quoted)
}

func (w *ednWriter) line(at history.Instant, process, how, op, value string) {
	fmt.Fprintf(w.out, "{:index %d, :time %d, :process %s, :type %s, :f %s, :value %s}\n", w.index, at.Duration().Nanoseconds(), process, how, op, value)
	w.index++
}
