package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"lockstep/internal/campaign"
)

// player plays a range of a work and returns the line of its result. A *crash says that the player
// itself has ended; any other error is the result of the range, and would be so again.
type player interface {
	play(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error)
	close()
}

// crash is the end of a player in the middle of a range.
type crash struct{ why string }

func (c *crash) Error() string { return c.why }

// process is a player in its own process, which hostile input can end without its worker.
type process struct {
	command func() *exec.Cmd
	version string // that is required
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	said    *excerpt
}

// greeting, request and reply are exchanged between a worker and its player, as JSON.
type greeting struct{ Version string }

type request struct {
	Work       *campaign.Work
	Number, Of int
}

type reply struct {
	Line    []byte
	Refused string // the reason for the lack of a line
}

func (p *process) start() (err error) {
	cmd := p.command()
	p.said = &excerpt{}
	cmd.Stderr = p.said
	if p.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = json.NewDecoder(out)
	if err = cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	var g greeting
	if err = p.out.Decode(&g); err != nil {
		return p.ended(err)
	}
	if g.Version != p.version {
		p.close()
		return fmt.Errorf("the program is of version %s now, and this worker of version %s: start the worker again", g.Version, p.version)
	}
	return nil
}

// ended waits for the end of a process that does not answer, and returns the reason.
func (p *process) ended(err error) error {
	if end := p.cmd.Wait(); end != nil {
		err = end
	}
	p.cmd = nil
	return errors.New(strings.TrimSpace(err.Error() + ": " + p.said.String()))
}

func (p *process) play(ctx context.Context, w *campaign.Work, s campaign.Shard) ([]byte, error) {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return nil, &brokenError{fmt.Errorf("no range can be played here: %w", err)}
		}
	}
	running := p.cmd.Process
	stop := context.AfterFunc(ctx, func() { _ = running.Kill() })
	defer stop()
	var r reply
	err := json.NewEncoder(p.in).Encode(request{w, s.Number, s.Of})
	if err == nil {
		err = p.out.Decode(&r)
	}
	switch {
	case err != nil:
		err = p.ended(err)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &crash{err.Error()}
	case r.Refused != "":
		return nil, errors.New(r.Refused)
	}
	return r.Line, nil
}

func (p *process) close() {
	if p.cmd != nil {
		_ = p.in.Close() // which ends it, see ServePlayer
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// excerpt is both ends of a process's output: a panic starts with its reason, others end with it.
type excerpt struct {
	mu          sync.Mutex
	first, last []byte
}

func (x *excerpt) Write(data []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := min(mostReason/2-len(x.first), len(data))
	x.first = append(x.first, data[:n]...)
	if x.last = append(x.last, data[n:]...); len(x.last) > mostReason/4 {
		x.last = append([]byte("\n...\n"), x.last[len(x.last)-mostReason/4+5:]...)
	}
	return len(data), nil
}

func (x *excerpt) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ToValidUTF8(string(x.first)+string(x.last), "")
}

// ServePlayer sends its version, plays what a worker asks for until the worker is gone, and then
// calls gone, which ends the process even in the middle of a range.
func ServePlayer(version string, in io.Reader, out io.Writer, gone func(), play func(*campaign.Work, campaign.Shard) ([]byte, error)) {
	requests := make(chan request)
	go func() {
		d := json.NewDecoder(in)
		for {
			var r request
			if d.Decode(&r) != nil {
				gone()
				return
			}
			requests <- r
		}
	}()
	e := json.NewEncoder(out)
	if e.Encode(greeting{version}) != nil {
		gone()
		return
	}
	for r := range requests {
		var answer reply
		line, err := play(r.Work, campaign.Shard{Number: r.Number, Of: r.Of})
		if answer.Line = line; err != nil {
			answer = reply{Refused: err.Error()}
		}
		if e.Encode(answer) != nil {
			gone()
			return
		}
	}
}
