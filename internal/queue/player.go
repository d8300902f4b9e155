package queue

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"lockstep/internal/shard"
)

// player plays a range of a work and returns its part. An error that is a *crash says that the player
// itself has ended; any other is what the range has come to, and would come to again.
type player interface {
	play(ctx context.Context, w *shard.Work, s shard.Shard) ([]byte, error)
	close()
}

// crash is the end of a player in the middle of a range.
type crash struct{ why string }

func (c *crash) Error() string { return c.why }

// process is a player in a process of its own, which has no connection to anything but its worker: so what
// comes over the wire can end the process and not the worker.
type process struct {
	command func() *exec.Cmd
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	errors  *tail
}

// request and reply go between a worker and its player, as JSON.
type request struct {
	Work       *shard.Work
	Number, Of int
}

type reply struct {
	Part    []byte
	Refused string // why there is none
}

func (p *process) start() (err error) {
	cmd := p.command()
	p.errors = &tail{to: os.Stderr}
	cmd.Stderr = p.errors
	if p.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = json.NewDecoder(out)
	if err = cmd.Start(); err == nil {
		p.cmd = cmd
	}
	return err
}

func (p *process) play(ctx context.Context, w *shard.Work, s shard.Shard) ([]byte, error) {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return nil, &crash{"it does not start: " + err.Error()}
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
		ended := p.cmd.Wait()
		p.cmd = nil
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if ended == nil {
			ended = err
		}
		return nil, &crash{strings.TrimSpace(ended.Error() + ": " + p.errors.String())}
	case r.Refused != "":
		return nil, errors.New(r.Refused)
	}
	return r.Part, nil
}

func (p *process) close() {
	if p.cmd != nil {
		_ = p.in.Close() // which ends it, as ServePlayer has it
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// tail passes on what a process says and remembers the end of it.
type tail struct {
	to io.Writer
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b = append(t.b, data...); len(t.b) > mostReason {
		t.b = append([]byte{}, t.b[len(t.b)-mostReason:]...)
	}
	return t.to.Write(data)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// ServePlayer plays what a worker asks for until the worker is gone, and then calls gone, which ends the
// process: it may be in the middle of a range.
func ServePlayer(in io.Reader, out io.Writer, gone func(), play func(*shard.Work, shard.Shard) ([]byte, error)) {
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
	for r := range requests {
		var answer reply
		part, err := play(r.Work, shard.Shard{Number: r.Number, Of: r.Of})
		if answer.Part = part; err != nil {
			answer = reply{Refused: err.Error()}
		}
		if e.Encode(answer) != nil {
			gone()
			return
		}
	}
}
