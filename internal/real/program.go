package real

import (
	"fmt"
	"os"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
)

// A lock that is a user's own program runs as one process for each client, a child of the client's
// worker, which speaks for it (package talk). A fault on a client acts on both, and on all descendants
// of the program.

// checkProgram returns an error if a lock that is a program cannot play the plan.
func checkProgram(p *plan.Plan, v *locks.Variant) error {
	if v.Program == nil {
		return nil
	}
	if len(p.SentinelNames(plan.StoreOf(v))) > 0 {
		return fmt.Errorf("%s is a program, which is told where the primary is and not where sentinels are: write failover: {by: operator}", v.ID)
	}
	for _, c := range p.Clocks {
		if slices.Contains(p.Clients, c.Node) {
			return fmt.Errorf("%s is a program, which reads the clock of its host: the clock of %s means nothing to it", v.ID, c.Node)
		}
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		switch {
		case !readAlong(v) && (f.Trigger.Moment.OnWire() || f.End.Until != nil && f.End.Until.Moment.OnWire()):
			return fmt.Errorf("fault %d (%s): only what programs send to Redis is read along, so none of the requests of %s can be waited for: wait for a moment such as \"A is in its critical section\"", f.Number, f.Text, v.ID)
		case changesClock(f) && slices.Contains(p.Clients, f.Target):
			return fmt.Errorf("fault %d (%s): %s is a program, which reads the clock of its host: no fault can change that", f.Number, f.Text, v.ID)
		}
	}
	if p.Workload.Nested > 0 {
		return fmt.Errorf("%s is a program, which is asked for one lock at a time: remove nested", v.ID)
	}
	return nil
}

// readAlong reports whether what the programs of a variant send is read on its way.
func readAlong(v *locks.Variant) bool {
	return v.Store == locks.StoreRedis || v.Store == locks.StoreRedisNodes
}

// carried is how many bytes a program has sent to its servers, where they are not parsed.
func (c *client) carried() (n int64) {
	if c.h.variant.Program == nil || readAlong(&c.h.variant) {
		return 0
	}
	for _, l := range c.links {
		n += l.Carried()
	}
	return n
}

// briefProgram tells a worker which program its lock is. A fault of the network may keep a
// program waiting for as long as it lasts; beyond that a program that says nothing is at fault.
func (h *harness) briefProgram(start *proto.Start) {
	if h.variant.Program == nil {
		return
	}
	start.Program, start.Store = h.variant.Program, string(h.variant.Store)
	start.Patience = slack + 2*h.plan.Lease
	for i := range h.plan.Faults {
		start.Patience += h.plan.Faults[i].End.For
	}
}

// failed is called when the worker cannot go on: it could not start, or the program of its lock
// does not keep to the protocol.
func (c *client) failed(text string) {
	if c.h.variant.Program != nil {
		c.h.fail(fmt.Errorf("%s: %s%s", c.name, text, c.programSaid()))
		return
	}
	c.h.fail(fmt.Errorf("the worker of %s could not start: %s", c.name, text))
}

// programSaid is the end of an error: what the program wrote to its standard error, if anything.
func (c *client) programSaid() string {
	raw, err := os.ReadFile(c.errors)
	if err != nil || len(raw) == 0 {
		return ""
	}
	const enough = 1000
	return fmt.Sprintf("; the end of its standard error: %q", raw[max(len(raw)-enough, 0):])
}

// handOnProgram hands on what the program of a client has written to its standard error.
func (c *client) handOnProgram() {
	if c.h.variant.Program == nil || c.h.o.Log == nil {
		return
	}
	if raw, err := os.ReadFile(c.errors); err == nil && len(raw) > 0 {
		name := c.name
		if c.life > 0 {
			name = fmt.Sprintf("%s-%d", name, c.life+1)
		}
		c.h.o.Log(name, raw)
	}
}

// freeze stops the client, with its program.
func (c *client) freeze() error {
	if c.h.variant.Program != nil {
		return osproc.FreezeFamily(c.process.Pid())
	}
	return c.process.Freeze()
}

// thaw lets the client go on, with its program.
func (c *client) thaw() error {
	if c.h.variant.Program != nil {
		return osproc.ThawFamily(c.process.Pid())
	}
	return c.process.Thaw()
}

// killPrograms kills what the programs of a run have left outside of their families.
func (h *harness) killPrograms() error {
	if h.variant.Program == nil {
		return nil
	}
	return h.scratch.KillAll()
}
