package real

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
	"lockstep/internal/scenario/scenariotest"
)

// An error of a store that is being set up says when the run was canceled, and why it ended.
func TestTheEndOfAContextIsTheCause(t *testing.T) {
	lost, late := errors.New("connection lost"), errors.New("the servers were not ready")
	open := t.Context()
	ended, cancel := context.WithCancelCause(open)
	cancel(late)
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{open, lost, "connection lost"},
		{ended, lost, "the servers were not ready: connection lost"},
		{ended, fmt.Errorf("redis-1: %w", late), "redis-1: the servers were not ready"},
	} {
		if got := because(tt.ctx, tt.err); got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// mortal is a server's process that a test ends.
type mortal struct {
	servers.Running
	done chan struct{}
}

func (m *mortal) Done() <-chan struct{} { return m.done }
func (m *mortal) Ended() string         { return "signal: killed" }
func (m *mortal) LastLog() string       { return "" }

// A server that a fault has killed may be running again before its exit status is read. Only its
// second death, by itself, is an error.
func TestADeathByAFaultIsExpectedAfterARestart(t *testing.T) {
	h := &harness{fatal: make(chan error, 2)}
	g := &group{h: h}
	first, second := &mortal{done: make(chan struct{})}, &mortal{done: make(chan struct{})}
	m := g.add("redis-1", "", first)
	h.mu.Lock() // so that the death is not seen before the restart
	m.dead = true
	close(first.done)
	m.Running = second
	g.returns(m)
	h.mu.Unlock()
	close(second.done)
	h.background.Wait()
	must.Equalf(t, len(h.fatal), 1, "of two deaths are errors")
}

// A worker reports the moments that begin a fault, and those that end one.
func TestWorkersReportWhatEndsAFault(t *testing.T) {
	p := scenariotest.Story(t, "set-nx-lua", "when: A enters, pause: A, until: B has the reply of SET",
		"when: A has the reply of GET, pause: B, until: B writes")
	h := &harness{plan: p, engine: faults.NewEngine(p.Faults, nil, nil)}
	for client, want := range map[string]string{ // order: each on its own
		"A": "[enters writes] [{has reply GET}]", "B": "[enters writes] [{has reply SET}]",
	} {
		moments, wire := h.wanted(client)
		got := ""
		for _, w := range wire {
			got += fmt.Sprintf("{has reply %s}", w.Command)
			must.Equalf(t, w.Kind, faults.HasReply, "%s: %+v", client, w)
		}
		names := ""
		for _, m := range moments {
			if m == faults.Enters || m == faults.Writes {
				names += " " + map[bool]string{true: "enters", false: "writes"}[m == faults.Enters]
			}
		}
		must.Equalf(t, fmt.Sprintf("[%s] [%s]", names[1:], got), want, "%s", client)
	}
}

func TestProcessesHaveALowPriorityUntilTheRunBegins(t *testing.T) {
	if _, err := os.Stat("/proc/self/autogroup"); err != nil {
		t.Skip("a kernel without autogroups: no process can step back")
	}
	var b setupPriority
	early, late := sleeper(t), sleeper(t)
	b.enter(early.Pid())
	if !isBack(t, early) {
		t.Error("a process that started before the run has not stepped back")
	}
	must.Do(t, b.open())
	b.enter(late.Pid())
	if isBack(t, early) || isBack(t, late) {
		t.Error("the run has begun, and a process still has a low priority")
	}
}

func sleeper(t *testing.T) *osproc.Process {
	t.Helper()
	p := must.Get(osproc.Start(exec.Command("sleep", "60")))(t)
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func isBack(t *testing.T, p *osproc.Process) bool {
	t.Helper()
	text := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", p.Pid())))(t)
	return strings.HasSuffix(strings.TrimSpace(string(text)), "nice 10")
}
