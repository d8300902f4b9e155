package real

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
	"lockstep/internal/rng"
	"lockstep/internal/workload"
)

// client is the harness's end of one worker.
type client struct {
	h       *harness
	name    string
	life    int // number of earlier starts
	node    history.NodeID
	links   []*link.Link    // one to each server
	knows   int             // index of the server it believes to be the primary; guarded by h.mu
	process servers.Process // with the program of its lock, if it is one; nil before it is started
	conn    *proto.Conn
	errors  string // the file with the worker's standard error

	ready chan struct{} // closed when the worker waits for its start
	over  chan struct{} // closed when it has finished or died
	read  chan struct{} // closed when all its output has been read

	end sync.Once // closes over

	mu           sync.Mutex
	extendedWork workload.ExtendedWork
	tampered     map[int64]int // by number of the command: the fault that drops its request or reply

	status
	hostLost bool // it died with its machine; guarded by h.mu
}

// newClient starts a worker, for the first time if life is 0. Even with an error it returns
// the client, which must be closed.
func (h *harness) newClient(name string, load plan.Workload, life int) (*client, error) {
	c := &client{
		h: h, name: name, life: life, node: h.nodes[name], tampered: map[int64]int{},
		ready: make(chan struct{}), over: make(chan struct{}), read: make(chan struct{}),
	}
	for _, m := range h.group.members {
		l, err := link.Open(link.Options{
			Name: name + " to " + m.name, Upstream: m.addr, Seed: h.seed ^ rng.ID(name, m.name),
			Latency:  h.plan.Network.Latency,
			Raw:      h.header.Nodes[m.node-1].Role == history.RoleSentinel,
			Protocol: h.store.protocol(), LossPPM: h.plan.Network.LossPPM, Lost: c.lostOn(m.node), Reached: c.reachedOn(m),
		})
		if err != nil {
			return c, err
		}
		c.links = append(c.links, l)
	}
	if err := c.start(); err != nil {
		return c, err
	}
	var endpoints []string
	for i, l := range c.links {
		endpoints = append(endpoints, h.store.endpoint(h.group.members[i], l.Addr()))
	}
	start := proto.Start{
		Name: name, Life: life, Lock: h.variant.ID, Seed: h.seed, Lease: h.plan.Lease,
		Timeout: h.plan.Network.Timeout, Replicas: h.store.replicas(), Endpoints: endpoints,
		Workload: load, Clock: h.clocks.of(name),
		First: max(0, slices.Index(h.plan.Clients, name)) % len(endpoints), // the probe begins where the first client does
	}
	h.briefProgram(&start)
	h.store.brief(&start)
	if name != plan.ProbeName { // faults are over when the probe starts
		start.Moments, start.Wire = h.wanted(name)
	}
	c.send(start)
	return c, nil
}

// wanted lists the moments of a client that some fault waits for.
func (h *harness) wanted(name string) (moments []faults.MomentKind, wire []proto.Want) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range faults.MomentPhrases() {
		if !m.Kind.OnWire() && h.engine.WantsKind(m.Kind) {
			moments = append(moments, m.Kind)
		}
	}
	for i := range h.plan.Faults {
		f := &h.plan.Faults[i]
		triggers := []*faults.Trigger{&f.Trigger}
		if f.End.Until != nil {
			triggers = append(triggers, f.End.Until)
		}
		for _, t := range triggers {
			// A script's moments carry its name, a command's its own; the engine
			// compares both, and so does the worker.
			if t.Moment.OnWire() && h.engine.Wants(t.Moment, name, t.Command, t.Command) {
				wire = append(wire, proto.Want{Kind: t.Moment, Command: t.Command})
			}
		}
	}
	return moments, wire
}

// start starts the worker process and the goroutine that reads its messages.
func (c *client) start() error {
	c.errors = filepath.Join(c.h.scratch.Path(), fmt.Sprintf("%s-%d.stderr", c.name, c.life))
	if strings.ContainsRune(c.name, os.PathSeparator) {
		return fmt.Errorf("client %q: a name must not hold %q", c.name, os.PathSeparator)
	}
	stderr, err := os.Create(c.errors)
	if err != nil {
		return fmt.Errorf("no file for the messages of %s: %w: free some space, or set TMPDIR to a directory that can be written", c.name, err)
	}
	defer stderr.Close()
	conn, theirs, err := proto.Pair()
	if err != nil {
		return fmt.Errorf("no socket to %s: %w: raise the limit of open files (ulimit -n)", c.name, err)
	}
	defer theirs.Close()
	cmd := exec.Command(c.h.o.Worker)
	cmd.Env = append(os.Environ(), proto.EnvWorker+"=1", osproc.EnvRun+"="+c.h.scratch.Path())
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.ExtraFiles = []*os.File{theirs} // becomes proto.Descriptor
	if c.h.variant.Program != nil {     // even if stopped, it kills the program's descendants before it ends
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGCONT}
	}
	c.conn = conn
	process, err := osproc.Start(cmd)
	if err != nil {
		close(c.read)
		return err
	}
	if c.process = process; c.h.variant.Program != nil {
		c.process = osproc.Family{Process: process}
	}
	c.h.setupPriority.enter(c.process.Pid())
	go c.listen()
	return nil
}

// listen handles the worker's messages until its socket closes.
func (c *client) listen() {
	defer close(c.read)
	var err error
	for err == nil {
		var m proto.Up
		if err = c.conn.Receive(&m); err == nil {
			if err = m.Check(len(c.links)); err == nil {
				err = c.handle(m)
			}
		}
	}
	if errors.Is(err, proto.ErrMessage) {
		c.h.fail(fmt.Errorf("the worker of %s said what no worker says: %w", c.name, err))
	}
	c.gone()
}

// gone is called when the worker's socket is closed.
func (c *client) gone() {
	defer c.end.Do(func() { close(c.over) })
	if process, now := c.crashed(); now {
		_ = process.Kill() // it has closed its socket, so it is exiting anyway
		c.h.fail(fmt.Errorf("the worker of %s ended by itself (%s): %s", c.name, process.Ended(), c.lastWords()))
	}
}

// dies is called before the lock's own program crashes: its death is expected.
func (c *client) dies() {
	if _, now := c.crashed(); now {
		c.h.saw(c.node, history.Crashed)
	}
}

// crashed records that the client has died, unless a fault has killed it or the run is over. It
// returns the process that has died, since a restart replaces it.
func (c *client) crashed() (process servers.Process, now bool) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if c.dead || c.h.stopped {
		return process, false
	}
	c.dead = true
	c.h.record(history.Event{Kind: history.Crashed, Node: c.node}, "")
	return c.process, true
}

// lastWords returns the beginning of what the worker wrote to its standard
// error: for a panic, that is the reason.
func (c *client) lastWords() string {
	text := strings.TrimSpace(string(c.stderr()))
	if text == "" {
		return "it said nothing"
	}
	const enough = 2000
	if len(text) > enough {
		text = text[:enough] + " ..."
	}
	return text
}

// stderr returns what the worker and its program wrote to their standard error; it is empty
// if the file cannot be read.
func (c *client) stderr() []byte {
	raw, _ := os.ReadFile(c.errors)
	return raw
}

// send sends a message to the worker. It fails only for a dead worker, and listen
// detects that.
func (c *client) send(message any) { _ = c.conn.Send(message) }

// begin tells the worker to start at a true time.
func (c *client) begin(at time.Duration) {
	c.send(proto.Down{Go: &proto.Go{Zero: time.Duration(c.h.zero.Load()), Begin: at, Epoch: c.h.epoch}})
}

// handle handles one message of the worker, which has been checked. The error wraps
// proto.ErrMessage.
func (c *client) handle(m proto.Up) error {
	answer := proto.Down{ID: m.ID}
	switch m.Kind {
	case proto.Ready:
		select {
		case <-c.ready:
			return fmt.Errorf("%w: it is ready for the second time", proto.ErrMessage)
		default:
			close(c.ready)
		}
	case proto.Failed:
		c.failed(m.Text)
	case proto.Dies:
		c.dies()
	case proto.Done:
		c.end.Do(func() { close(c.over) })
	case proto.Event:
		e := entry{
			Event: history.Event{
				At: history.Instant(m.At), Clock: m.Clock, Node: c.node, Kind: m.Event,
				Token: m.Token, Value: m.Value,
			},
			changes: c.changes(), text: m.Text, call: m.Call, task: m.Task, words: m.Words, broken: m.Broken, server: c.h.group.members[m.Server].node,
		}
		if m.Op != nil {
			e.op = *m.Op
		}
		if m.Answer != nil {
			e.answer = *m.Answer
		}
		c.h.journal.add(e)
		c.mu.Lock()
		c.extendedWork.Observe(m.Event)
		c.mu.Unlock()
		c.h.saw(c.node, m.Event)
	case proto.Moment:
		c.h.observe(c.moment(m.Moment, &m))
	case proto.CallUp:
		c.announced(&m)
	case proto.Read:
		answer.Value, answer.Error = c.h.resource.doRead(c, m.Token)
	case proto.Write:
		answer.Error = c.h.resource.doWrite(c, m.Token)
	case proto.Extra:
		answer.Extra = c.takeExtra()
	}
	if m.ID != 0 {
		c.send(answer)
	}
	return nil
}

func (c *client) moment(kind faults.MomentKind, m *proto.Up) faults.Moment {
	out := faults.Moment{Kind: kind, Subject: c.name, Script: m.Script, Part: m.Part}
	if kind.OnWire() {
		out.Call = faults.Call{Client: c.name, ID: m.Call, Command: m.Command}
	}
	return out
}

// announced is called when the worker is about to send a command that faults
// wait for; the worker sends it after announced returns.
func (c *client) announced(m *proto.Up) {
	onLink := slices.DeleteFunc(slices.Clone(m.Wants), func(k faults.MomentKind) bool {
		return k != faults.Sends && k != faults.HasExecuted
	})
	about := c.moment(faults.AboutToSend, m)
	c.links[m.Server].Watch(link.Command{Call: about.Call, Script: m.Script, Part: m.Part, Mark: string(m.Mark)}, onLink...)
	if slices.Contains(m.Wants, faults.AboutToSend) {
		c.h.observe(about)
	}
}

// reachedOn returns the callback of the link to a server for a command that reaches a moment. A
// server that dies at that moment loses the reply, which is still in its buffers.
func (c *client) reachedOn(m *member) func(faults.MomentKind, link.Command) bool {
	return func(kind faults.MomentKind, cmd link.Command) bool {
		c.h.observe(faults.Moment{Kind: kind, Subject: c.name, Call: cmd.Call, Script: cmd.Script, Part: cmd.Part})
		c.h.mu.Lock()
		defer c.h.mu.Unlock()
		return kind != faults.HasExecuted || !m.dead
	}
}

// lostOn returns the callback of the link to a server for a lost request or reply.
func (c *client) lostOn(server history.NodeID) func(faults.Call, faults.Half) {
	return func(call faults.Call, half faults.Half) {
		if c.h.now() <= 0 {
			return // a message of the set-up
		}
		c.mu.Lock()
		fault := c.tampered[call.ID]
		c.mu.Unlock()
		if fault > 0 {
			c.h.acted(fault)
		}
		e := entry{
			Event: history.Event{
				At: c.h.now(), Kind: history.RequestDropped, Node: c.node, Peer: server, Value: int64(fault),
			},
			call: call.ID,
		}
		if half == faults.ReplyHalf {
			e.Kind, e.Node, e.Peer = history.ReplyDropped, server, c.node
		}
		c.h.journal.add(e)
	}
}

func (c *client) takeExtra() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, by := c.extendedWork.Take()
	for _, fault := range by {
		c.h.acted(fault)
	}
	return d
}

// freeze, thaw and kill implement victim.

func (c *client) freeze() error { return c.process.Freeze() }
func (c *client) thaw() error   { return c.process.Thaw() }

func (c *client) kill() error {
	if c.process == nil {
		return nil
	}
	return c.process.Kill()
}

// close closes the socket and the links of a worker that has been killed.
func (c *client) close() error {
	var errs []error
	if c.conn != nil {
		select {
		case <-c.read:
		case <-time.After(slack):
			errs = append(errs, fmt.Errorf("what %s said could not be read to its end within %v", c.name, slack))
		}
		errs = append(errs, c.conn.Close())
	}
	for _, l := range c.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
