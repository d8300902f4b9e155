// Package talk is the protocol of a lock that is a user's program, in any language: one JSON
// object per line on the program's standard input and output. docs/own-lock-programs.md
// describes it for authors of such programs.
//
// The program is not trusted. Its answers have a time limit, its output is bounded, and the first
// unexpected line ends the talk with an error that quotes it.
package talk

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"lockstep/internal/real/osproc"
)

// Options say which program to start, and how.
type Options struct {
	Command []string // the program with its arguments, as execve takes them
	Env     []string // its environment
	Stderr  io.Writer
	// Patience is how long an answer may take in addition to the time that the question allows.
	// The time in which this process is stopped does not count: the program is stopped, too.
	Patience time.Duration
}

// Program is a started program. Its methods may be called by several goroutines.
type Program struct {
	o       Options
	process *osproc.Process
	in      *os.File
	answers chan answer
	lost    chan struct{} // gets a value when the program says that its lock is lost
	said    chan struct{} // closed when its standard error has ended

	asking sync.Mutex // one question at a time
	last   int64      // number of the last question; guarded by asking

	mu   sync.Mutex
	open int64 // number of the question without an answer; 0: none

	broke chan struct{} // closed when err is set
	once  sync.Once
	err   error
}

// The errors of the talk. Every error of a Program wraps one of them.
var (
	ErrStart    = errors.New("could not be started")
	ErrSilent   = errors.New("did not answer in time")
	ErrGarbage  = errors.New("wrote a line that is not a message")
	ErrTooLong  = errors.New("wrote a line that is too long")
	ErrUnasked  = errors.New("wrote a line that answers no question")
	ErrWrongID  = errors.New("answered with the number of another question")
	ErrAnswer   = errors.New("gave an answer that does not fit the question")
	ErrExited   = errors.New("ended by itself")
	ErrHangedUp = errors.New("closed its standard output")
	ErrDeaf     = errors.New("closed its standard input")
)

const (
	maxLine   = 64 << 10 // longer than any message, in bytes
	maxDetail = 200      // quoted part of a line, in bytes
	maxEvents = 10_000   // of one program
)

// Start starts a program, which dies with this process. The harness finds its descendants by
// osproc.EnvRun.
func Start(o Options) (*Program, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env = o.Env
	var pipes []*os.File
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			pipes = append(pipes, r, w)
		}
		return r, w, err
	}
	theirIn, in, err1 := pipe()
	out, theirOut, err2 := pipe()
	stderr, theirErr, err3 := pipe()
	p := &Program{
		o: o, in: in, answers: make(chan answer, 1), lost: make(chan struct{}, 1),
		said: make(chan struct{}), broke: make(chan struct{}),
	}
	err := errors.Join(err1, err2, err3)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, theirErr
		p.process, err = osproc.Start(cmd)
	}
	if err != nil {
		for _, f := range pipes {
			_ = f.Close()
		}
		return nil, fmt.Errorf("%w: %w: name a file that can be executed, or its interpreter before it", ErrStart, cmp.Or(errors.Unwrap(err), err))
	}
	for _, f := range []*os.File{theirIn, theirOut, theirErr} {
		_ = f.Close() // the program has its own descriptor
	}
	go func() { // otherwise the program would block when it writes errors
		defer close(p.said)
		_, _ = io.Copy(o.Stderr, stderr)
		_ = stderr.Close()
	}()
	go p.listen(out)
	return p, nil
}

// Broke is closed when the talk has ended with an error, see Err.
func (p *Program) Broke() <-chan struct{} { return p.broke }

// Err is why the talk has ended; nil while it goes on.
func (p *Program) Err() error {
	select {
	case <-p.broke:
		return p.err
	default:
		return nil
	}
}

func (p *Program) fail(err error) error {
	p.once.Do(func() {
		p.err = err
		close(p.broke)
	})
	return p.err
}

// question is a question to a program. Fields other than ID and Op belong to some questions only.
type question struct {
	ID      int64    `json:"id"`
	Op      string   `json:"op"`
	Client  string   `json:"client,omitempty"`
	Servers []string `json:"servers,omitempty"`
	LeaseMS int64    `json:"lease_ms,omitempty"`
	Name    string   `json:"name,omitempty"`
	WaitMS  int64    `json:"wait_ms,omitempty"`
}

// ask asks a question and returns its answer, in which OK is set. within is the time that the
// question allows.
func (p *Program) ask(q question, within time.Duration) (answer, error) {
	p.asking.Lock()
	defer p.asking.Unlock()
	p.last++
	q.ID = p.last
	line, err := json.Marshal(q)
	if err != nil {
		return answer{}, err
	}
	p.mu.Lock()
	p.open = q.ID
	p.mu.Unlock()
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		select { // prefer the end of the program as the reason
		case <-p.process.Done():
			<-p.broke
			return answer{}, p.err
		case <-p.broke:
			return answer{}, p.err
		case <-awake(time.Second, p.broke):
			return answer{}, p.fail(fmt.Errorf("%w: %q could not be asked", ErrDeaf, q.Op))
		}
	}
	limit, answered := within+p.o.Patience, make(chan struct{})
	defer close(answered)
	select {
	case a := <-p.answers:
		if err := a.answers(q.Op); err != nil {
			return answer{}, p.fail(err)
		}
		return a, nil
	case <-p.broke:
		return answer{}, p.err
	case <-awake(limit, answered):
		return answer{}, p.fail(fmt.Errorf("%w: %q had %v; let it flush each line, answer with ok false in time, and give its requests time limits of their own", ErrSilent, q.Op, limit.Round(time.Millisecond)))
	}
}

// tick is the resolution of awake.
const tick = 50 * time.Millisecond

// awake is closed when this process has run for d. A pause by a fault counts as at most a tick. It
// is not closed after enough is.
func awake(d time.Duration, enough <-chan struct{}) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for ; d > 0; d -= tick {
			select {
			case <-ticker.C:
			case <-enough:
				return
			}
		}
		close(over)
	}()
	return over
}

// listen reads the program's output until the talk ends.
func (p *Program) listen(out *os.File) {
	defer out.Close()
	in, events := bufio.NewReaderSize(out, maxLine), 0
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			_ = p.fail(fmt.Errorf("%w: line %d has more than %d bytes, which begin with %s: an answer is one short line of JSON", ErrTooLong, number, maxLine, shown(line)))
		case err != nil:
			p.ended(line)
		default:
			var a answer
			if a, err = parse(number, line); err == nil && a.Event != "" {
				if events++; events > maxEvents {
					err = fmt.Errorf("%w: the lock was lost %d times", ErrUnasked, events)
				}
			}
			if err == nil {
				err = p.take(a, line)
			}
			if err == nil {
				continue
			}
			_ = p.fail(err)
		}
		return
	}
}

// ended finds out why the output of a program has ended.
func (p *Program) ended(rest []byte) {
	select {
	case <-p.process.Done():
		text := ""
		if len(rest) > 0 {
			text = ", in the middle of " + shown(rest)
		}
		select { // the last words are part of the error; a child may keep the pipe open
		case <-p.said:
		case <-awake(time.Second, p.said):
		}
		_ = p.fail(fmt.Errorf("%w (%s)%s: it has to wait for the next line until its standard input ends", ErrExited, p.process.Ended(), text))
	case <-awake(time.Second, p.broke):
		_ = p.fail(fmt.Errorf("%w and goes on running: its answers cannot be heard", ErrHangedUp))
	}
}

// take delivers an answer to the waiting caller.
func (p *Program) take(a answer, line []byte) error {
	if a.Event != "" {
		select {
		case p.lost <- struct{}{}:
		default: // the last one has not been received yet
		}
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.open == 0:
		return fmt.Errorf("%w: %s", ErrUnasked, shown(line))
	case *a.ID != p.open:
		return fmt.Errorf("%w: question %d, answer %d: %s", ErrWrongID, p.open, *a.ID, shown(line))
	}
	p.open = 0
	p.answers <- a
	return nil
}

// shown quotes a line of a program, shortened.
func shown(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) > maxDetail {
		return fmt.Sprintf("%q...", line[:maxDetail])
	}
	return fmt.Sprintf("%q", line)
}

// until is the time until the deadline of ctx; an hour without one.
func until(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return time.Hour
	}
	return max(time.Until(end), 0)
}
