package kernel

import (
	"context"
	"slices"
	"time"
)

// Ctx is a context in virtual time. Ports accept no other: a foreign context could not wake a
// parked task.
type Ctx struct {
	k        *Kernel
	proc     *Proc
	parent   *Ctx // nil for a background
	err      error
	timer    Timer
	done     chan struct{} // made on demand
	children []*Ctx
	waits    *Task              // the first task that waits, usually the only one
	waitMore []*Task            // the others
	cancelFn context.CancelFunc // c.cancel, made once
}

var _ context.Context = (*Ctx)(nil)

// own returns the kernel's view of a context and panics on a foreign one.
func (k *Kernel) own(ctx context.Context) *Ctx {
	c, ok := ctx.(*Ctx)
	if !ok || c.k != k {
		panic("kernel: a port was given a context that is not from this client's Env: use Env.Background, WithTimeout or WithCancel")
	}
	return c
}

func (c *Ctx) canEnd() bool { return c.parent != nil }

// WithTimeout derives a context that ends after d of the process's own clock.
func (k *Kernel) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := k.derive(ctx)
	if c.err == nil {
		c.timer = k.After(c.proc.Clock.TrueFor(max(d, 0)), c, 0)
	}
	return c, c.cancelFn
}

// WithCancel derives a context that ends when cancel is called.
func (k *Kernel) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	c := k.derive(ctx)
	return c, c.cancelFn
}

func (k *Kernel) derive(ctx context.Context) *Ctx {
	k.Enter()
	parent := k.own(ctx)
	c := k.newCtx()
	c.proc, c.parent, c.err = parent.proc, parent, parent.err
	if parent.canEnd() && parent.err == nil {
		parent.children = append(parent.children, c)
	}
	return c
}

func (k *Kernel) newCtx() *Ctx {
	c := k.ctxs.Next()
	if c.k == nil {
		c.k, c.cancelFn = k, c.cancel
	}
	c.timer, c.done = Timer{}, nil
	c.children, c.waits, c.waitMore = c.children[:0], nil, c.waitMore[:0]
	return c
}

// Fire is the deadline of the context.
func (c *Ctx) Fire(uint64) { c.end(context.DeadlineExceeded) }

// cancel is the CancelFunc. Unlike the ports it may run while a task is being
// unwound, since it is usually deferred.
func (c *Ctx) cancel() { c.end(context.Canceled) }

func (c *Ctx) end(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	c.k.Cancel(c.timer)
	if c.done != nil {
		close(c.done)
	}
	if c.parent.canEnd() {
		c.parent.removeChild(c)
	}
	for c.waits != nil { // waking removes it
		Waker{c.waits, c.waits.gen}.wake(wokenByContext)
	}
	for len(c.children) > 0 {
		c.children[0].end(err)
	}
}

func (c *Ctx) removeChild(child *Ctx) {
	if i := slices.Index(c.children, child); i >= 0 {
		c.children = slices.Delete(c.children, i, i+1)
	}
}

// addWaiter registers a task to be woken when the context ends.
func (c *Ctx) addWaiter(t *Task) {
	t.ctx = c
	if c.waits == nil {
		c.waits = t
	} else {
		c.waitMore = append(c.waitMore, t)
	}
}

func (c *Ctx) removeWaiter(t *Task) {
	t.ctx = nil
	if len(c.waitMore) == 0 {
		c.waits = nil
	} else {
		c.removeOneOf(t)
	}
}

// removeOneOf removes one of several waiting tasks. The others keep their order.
func (c *Ctx) removeOneOf(t *Task) {
	i := 0
	if c.waits == t {
		c.waits = c.waitMore[0]
	} else {
		i = slices.Index(c.waitMore, t)
	}
	c.waitMore = slices.Delete(c.waitMore, i, i+1)
}

// Deadline returns none: it would be in true time, which no client knows.
func (c *Ctx) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done returns a channel that is closed when the context ends. It is for libraries that pass
// contexts on: receiving from it in the simulator would block the kernel.
func (c *Ctx) Done() <-chan struct{} {
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err returns why the context ended, nil while it lasts.
func (c *Ctx) Err() error { return c.err }

// Value returns nil: contexts of the kernel carry no values.
func (c *Ctx) Value(any) any { return nil }
