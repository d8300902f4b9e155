package containers

import (
	"context"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
)

// process is a container that was started once.
type process struct {
	engine  *Engine
	name    string // of the server
	id      string
	pid     int
	started string        // osproc.StartTime, since PIDs are reused; "" when the process is not visible
	done    chan struct{} // closed when it has ended
	ended   string        // set before
}

var _ servers.Process = (*process)(nil)

// wait waits for the end of the container.
func (p *process) wait() {
	defer close(p.done)
	result := p.engine.client.ContainerWait(p.engine.ctx, p.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case end := <-result.Result:
		p.ended = endOf(end.StatusCode)
	case err := <-result.Error:
		p.ended = "the engine does not tell: " + err.Error()
	}
}

// endOf describes an exit code as the operating system does. For a process that a signal has
// ended, engines return 128 plus the number of the signal.
func endOf(code int64) string {
	if code > 128 && code < 160 {
		return "signal: " + syscall.Signal(code-128).String()
	}
	return "exit status " + strconv.FormatInt(code, 10)
}

func (p *process) Pid() int              { return p.pid }
func (p *process) Done() <-chan struct{} { return p.done }

func (p *process) Ended() string {
	select {
	case <-p.done:
		return p.ended
	default:
		return "it is running"
	}
}

func (p *process) Freeze() error {
	return p.ask("be paused", func(ctx context.Context, c *client.Client) error {
		_, err := c.ContainerPause(ctx, p.id, client.ContainerPauseOptions{})
		return err
	})
}

func (p *process) Thaw() error {
	return p.ask("go on", func(ctx context.Context, c *client.Client) error {
		_, err := c.ContainerUnpause(ctx, p.id, client.ContainerUnpauseOptions{})
		return err
	})
}

func (p *process) Signal(s syscall.Signal) error {
	return p.ask("get "+unix.SignalName(s), func(ctx context.Context, c *client.Client) error {
		_, err := c.ContainerKill(ctx, p.id, client.ContainerKillOptions{Signal: unix.SignalName(s)})
		return err
	})
}

func (p *process) ask(what string, do func(context.Context, *client.Client) error) error {
	ctx, cancel := context.WithTimeout(p.engine.ctx, answerTime)
	defer cancel()
	if err := do(ctx, p.engine.client.Client); err != nil {
		return fmt.Errorf("the container of %s cannot %s: %w", p.name, what, err)
	}
	return nil
}

// killTime bounds the death of a process that has got SIGKILL and is not paused.
const killTime = 50 * time.Millisecond

// Kill implements servers.Process. Killing a dead container is not an error.
//
// The engine starts a program for it and cleans up before it answers, which takes a tenth of a
// second or more. A visible process of the same user is therefore killed by this process, and
// Kill waits for its death only.
func (p *process) Kill() error {
	if p.visible() && syscall.Kill(p.pid, syscall.SIGKILL) == nil {
		if gone, _ := p.awaitDeath(nil, killTime); gone {
			return nil
		}
	}
	asked := make(chan error, 1)
	go func() { asked <- p.Signal(syscall.SIGKILL) }()
	gone, err := p.awaitDeath(asked, answerTime)
	if !gone && err == nil {
		err = fmt.Errorf("the container of %s got SIGKILL and was still there after %v: it hangs in the kernel", p.name, answerTime)
	}
	return err
}

// visible reports whether the process lives and is visible to this one.
func (p *process) visible() bool { return p.started != "" && osproc.StartTime(p.pid) == p.started }

// awaitDeath waits until the process is gone, or asked delivers an error of the engine. asked may
// be nil.
func (p *process) awaitDeath(asked <-chan error, atMost time.Duration) (gone bool, err error) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	late := time.After(atMost)
	for {
		select {
		case <-p.done:
			return true, nil
		case err := <-asked:
			if err != nil {
				return true, p.endedAnyhow(err)
			}
			asked = nil
		case <-look.C:
			if p.started != "" && !p.visible() {
				return true, nil
			}
		case <-late:
			return false, nil
		}
	}
}

// endedAnyhow returns nil if a container that cannot be killed has just ended by itself.
func (p *process) endedAnyhow(err error) error {
	select {
	case <-p.done:
		return nil
	case <-time.After(time.Second):
		return err
	}
}
