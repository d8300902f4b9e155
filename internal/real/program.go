package real

import (
	"fmt"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
)

// A lock that is a user's own program runs as one process for each client: a child of the client's
// worker, which drives it by package talk. A fault on a client acts on both, and on all descendants
// of the program.

// checkProgram returns an error if a lock that is a program cannot play the plan.
func checkProgram(p *plan.Plan, v *locks.Variant) error {
	if v.Program == nil {
		return nil
	}
	if len(p.SentinelNames(plan.StoreOf(v))) > 0 {
		return fmt.Errorf("%s is a program, which is told where the primary is and not where sentinels are: write failover: {by: operator}", v.ID)
	}
	own := ownCode{what: "program"}
	if !readAlong(v) {
		own.unread = fmt.Sprintf("only what programs send to Redis is read along, so none of the requests of %s can be waited for: wait for a moment such as \"A is in its critical section\"", v.ID)
	}
	if err := own.check(p, v); err != nil {
		return err
	}
	if p.Workload.Nested > 0 {
		return fmt.Errorf("%s is a program, which is asked for one lock at a time: remove nested", v.ID)
	}
	return nil
}

// readAlong reports whether the links parse the commands of a variant's programs.
func readAlong(v *locks.Variant) bool {
	return v.Store == locks.StoreRedis || v.Store == locks.StoreRedisNodes
}

// changes returns how many requests that may change an entry a program has sent, where they are not
// read along: program_entries.go asks whether a step sent one.
func (c *client) changes() (n int64) {
	if c.h.variant.Program == nil || readAlong(&c.h.variant) {
		return 0
	}
	for _, l := range c.links {
		n += l.Changes()
	}
	return n
}

// briefProgram tells a worker about the program of its lock. The program may be silent for as long
// as the faults last, and a little longer.
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

// failed is called when the worker cannot continue: it could not start, or the program of its lock
// broke the protocol.
func (c *client) failed(text string) {
	if c.h.variant.Program != nil {
		c.h.fail(fmt.Errorf("%s: %s%s", c.name, text, c.programSaid()))
		return
	}
	c.h.fail(fmt.Errorf("the worker of %s could not start: %s", c.name, text))
}

// programSaid returns the end of an error: the end of the program's standard error, if any.
func (c *client) programSaid() string {
	raw := c.stderr()
	if len(raw) == 0 {
		return ""
	}
	const enough = 1000
	return fmt.Sprintf("; the end of its standard error: %q", raw[max(len(raw)-enough, 0):])
}

// handOnProgram passes on the standard error of a client's program as a log.
func (c *client) handOnProgram() {
	if c.h.variant.Program == nil || c.h.o.Log == nil {
		return
	}
	if raw := c.stderr(); len(raw) > 0 {
		name := c.name
		if c.life > 0 {
			name = fmt.Sprintf("%s-%d", name, c.life+1)
		}
		c.h.o.Log(name, raw)
	}
}

// killPrograms kills processes of the run's programs that have left their families.
func (h *harness) killPrograms() error {
	if h.variant.Program == nil {
		return nil
	}
	return h.scratch.KillAll()
}
