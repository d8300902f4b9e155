package containers

import (
	"context"
	"fmt"
	"strconv"
	"sync"
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
	started string // by which the process is told from a later one with its number; "" when it cannot be seen
	done    chan struct{}

	mu    sync.Mutex
	ended string
}

var _ servers.Process = (*process)(nil)

// wait waits for the end of the container.
func (p *process) wait() {
	defer close(p.done)
	result := p.engine.client.ContainerWait(p.engine.ctx, p.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	how := ""
	select {
	case end := <-result.Result:
		how = endOf(end.StatusCode)
	case err := <-result.Error:
		how = "the engine does not tell: " + err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = how
}

// endOf says an exit code as the operating system would: engines give 128 and the
// number of the signal for a process that a signal has ended.
func endOf(code int64) string {
	if code > 128 && code < 160 {
		return "signal: " + syscall.Signal(code-128).String()
	}
	return "exit status " + strconv.FormatInt(code, 10)
}

// Pid implements servers.Process.
func (p *process) Pid() int { return p.pid }

// Done implements servers.Process.
func (p *process) Done() <-chan struct{} { return p.done }

// Ended implements servers.Process.
func (p *process) Ended() string {
	select {
	case <-p.done:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.ended
	default:
		return "it is running"
	}
}

// Freeze implements servers.Process.
func (p *process) Freeze() error {
	return p.ask("be paused", func(ctx context.Context, c *client.Client) error {
		_, err := c.ContainerPause(ctx, p.id, client.ContainerPauseOptions{})
		return err
	})
}

// Thaw implements servers.Process.
func (p *process) Thaw() error {
	return p.ask("go on", func(ctx context.Context, c *client.Client) error {
		_, err := c.ContainerUnpause(ctx, p.id, client.ContainerUnpauseOptions{})
		return err
	})
}

// Signal implements servers.Process.
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

// killTime is how long a process may take to die that has got SIGKILL and is not paused.
const killTime = 50 * time.Millisecond

// Kill implements servers.Process. Killing a dead container is not an error.
//
// The engine starts a program for it and puts everything away before it answers; that
// takes a tenth of a second, and more on a busy machine. A process of the same user can
// be killed at once, and what is waited for is the death itself, where it can be seen.
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

// visible reports whether the process lives and this one sees it.
func (p *process) visible() bool { return p.started != "" && osproc.StartTime(p.pid) == p.started }

// awaitDeath waits until the process is gone. The engine's answer, when there is one to
// come, may be that it cannot.
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

// endedAnyhow is nil when a container that cannot be killed has just ended by itself.
func (p *process) endedAnyhow(err error) error {
	select {
	case <-p.done:
		return nil
	case <-time.After(time.Second):
		return err
	}
}
