//go:build queue

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/queue"
)

// queued reports whether this program includes the queue.
const queued = true

// playerVariable is set in the environment of the players that a worker starts.
const playerVariable = "LOCKSTEP_PLAYER"

// playerMain plays ranges for a worker and does not return, in a process that a worker has started.
func playerMain() {
	if os.Getenv(playerVariable) == "" {
		return
	}
	watchMemory()
	out := os.Stdout
	os.Stdout = os.Stderr // stdout is for parts only
	version, err := exactVersion()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitEnvironment)
	}
	queue.ServePlayer(version, os.Stdin, out, func() { os.Exit(exitMet) }, playRange)
	os.Exit(exitMet)
}

// newPlayer is this program as a player. It uses one core, since a worker starts a player for each.
// It gets no credentials.
func newPlayer() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.Command(self)
	secret := func(variable string) bool { return strings.HasPrefix(variable, "NATS_") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), secret), playerVariable+"=1", "GOMAXPROCS=1")
	apart(cmd) // Ctrl-C is for the worker, which ends its players
	return cmd
}

func (f *workFlags) work(ctx context.Context, address string) error {
	if f.jobs < 1 {
		return fmt.Errorf("--jobs %d: at least 1", f.jobs)
	}
	version, err := exactVersion()
	if err != nil {
		return err
	}
	q, err := connect(ctx, address, "lockstep worker")
	if err != nil {
		return err
	}
	defer q.Close()
	queueMessage(fmt.Sprintf("version %s plays up to %d ranges at once; Ctrl-C ends it", version, f.jobs))
	err = queue.NewWorker(q, version, f.jobs, newPlayer).Work(ctx)
	if ctx.Err() != nil {
		return errStopped
	}
	return environment(err)
}

func connect(ctx context.Context, address, name string) (*queue.Queue, error) {
	if err := queue.CheckAddress(address); err != nil {
		return nil, err
	}
	q, err := queue.Connect(ctx, address, name, queueMessage)
	if err != nil && ctx.Err() == nil {
		err = environment(err)
	}
	return q, err
}

// clearLine clears the line of a terminal.
const clearLine = "\r\x1b[K"

// queueMessage prints a message about the queue, in place of a progress line.
func queueMessage(text string) {
	if term.IsTerminal(int(os.Stderr.Fd())) {
		fmt.Fprint(os.Stderr, clearLine)
	}
	fmt.Fprintln(os.Stderr, terminalLines(text))
}

const embedded = "embedded"

func (f *shardFlags) parseQueue() error {
	at, ours := strings.CutPrefix(f.on, embedded)
	switch {
	case f.text != "" || f.part != "":
		return errors.New("--shard and --part are for machines that know nothing of each other: leave them out, or --on")
	case f.of < 1 || f.of > campaign.Most:
		return fmt.Errorf("--ranges %d: divide the work into 1 to %d ranges", f.of, campaign.Most)
	case ours && (at == "" || at[0] == ':'):
		return nil
	}
	return queue.CheckAddress(f.on)
}

// handed is the work that a queue has done, with the connections to close.
type handed struct {
	q      *queue.Queue
	server *queue.Embedded
	work   *campaign.Work
	done   bool // its result has arrived
}

// handOut has the workers of a queue do the work, and merges their parts.
func (f *shardFlags) handOut(ctx context.Context, g *globals, w *campaign.Work) (err error) {
	f.handed = &handed{work: w}
	if at, ours := strings.CutPrefix(f.on, embedded); ours {
		if f.handed.server, err = queue.Embed(filepath.Join(g.out, "queue"), strings.TrimPrefix(at, ":")); err != nil {
			return environment(err)
		}
		queueMessage("workers join with one of these:")
		for _, address := range f.handed.server.Addresses() {
			queueMessage("  simulate dev work " + address)
		}
		f.handed.q, err = queue.Connect(ctx, f.handed.server.Address(), "lockstep coordinator", queueMessage, f.handed.server.Inside())
	} else {
		f.handed.q, err = connect(ctx, f.on, "lockstep coordinator")
	}
	if err != nil {
		return err
	}
	show := &queueProgress{what: w.Command, quiet: g.quiet, began: time.Now()}
	show.tty = term.IsTerminal(int(os.Stderr.Fd()))
	part, aside, err := f.handed.q.Do(ctx, queue.Job{Work: w, Of: f.of, Seen: f.seen, Progress: show.update})
	if show.tty {
		fmt.Fprint(os.Stderr, clearLine)
	}
	var diverged *queue.Diverged
	switch {
	case errors.As(err, &diverged):
		return keepBoth(g, w, diverged)
	case errors.Is(err, campaign.ErrDiverged):
		return bug(err)
	case err != nil:
		return environment(err)
	case len(aside) > 0:
		queueMessage(setAside(aside, w.Command, f.of))
		return silent(exitInconclusive)
	}
	f.handed.done, f.merged = true, part
	return nil
}

// setAside lists the ranges that could not be played.
func setAside(aside []queue.SetAside, command string, of int) string {
	const most = 10
	lines := []string{fmt.Sprintf("simulate: %d of %d ranges were set aside, and without them there is no result. What else was played is kept: the same command tries them again, "+
		"and simulate %s --shard %s plays the first of them alone", len(aside), of, command, aside[0].Shard)}
	for i, a := range aside {
		if i == most {
			lines = append(lines, "  and others")
			break
		}
		lines = append(lines, fmt.Sprintf("  range %s: %s", a.Shard, strings.ReplaceAll(a.Why, "\n", "\n    ")))
	}
	return strings.Join(lines, "\n")
}

// keepBoth stores both results of a range, to help find the bug.
func keepBoth(g *globals, w *campaign.Work, d *queue.Diverged) error {
	both := campaign.NewResults(w, d.Shard.Of)
	err := error(d)
	for i, line := range d.Lines {
		line.File = filepath.Join(g.out, "queue", fmt.Sprintf("range-%d-of-%d-%c.json", d.Shard.Number, d.Shard.Of, 'a'+i))
		one := campaign.NewResults(w, d.Shard.Of)
		if err := errors.Join(one.Put(line), writeWhole(line.File, one.Store())); err != nil {
			return bug(errors.Join(d, err))
		}
		err = both.Put(line) // the second error names both files
	}
	return bug(err)
}

// end deletes a work whose result was shown, and closes its connections.
func (h *handed) end(err error) error {
	if h == nil {
		return err
	}
	if h.q != nil {
		if _, ok := ended(err); h.done && ok {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			_ = h.q.Forget(ctx, h.work) // otherwise the same command will find it again
			cancel()
		}
		h.q.Close()
	}
	if h.server != nil {
		h.server.Close()
	}
	return err
}

// queueProgress is a line on stderr. On a terminal it is rewritten in place; elsewhere a new line
// is printed from time to time.
type queueProgress struct {
	what           string
	quiet, tty     bool // tty: stderr is a terminal
	began, printed time.Time
	alone          bool // it has said that there are no workers
}

func (p *queueProgress) update(x queue.Progress) {
	now := time.Now()
	if x.Workers == 0 && x.Done < x.Of && !p.alone && now.Sub(p.began) > 3*time.Second {
		p.alone = true
		queueMessage("no worker of this version is there: start some with simulate dev work")
	}
	every, end := 30*time.Second, x.Done >= x.Of
	if p.tty {
		every = 200 * time.Millisecond
	}
	if p.quiet || now.Sub(p.printed) < every && !end {
		return
	}
	first := p.printed.IsZero()
	p.printed = now
	switch line := queueLine(p.what, x, now.Sub(p.began)); {
	case p.tty:
		fmt.Fprint(os.Stderr, clearLine+line)
	case !first || end:
		fmt.Fprintln(os.Stderr, line)
	}
}

func queueLine(what string, x queue.Progress, passed time.Duration) string {
	line := fmt.Sprintf("%s: %d of %d ranges", what, x.Done, x.Of)
	if x.Before > 0 {
		line += fmt.Sprintf(" (%d were done before)", x.Before)
	}
	if x.Aside > 0 {
		line += fmt.Sprintf(" (%d set aside)", x.Aside)
	}
	line += fmt.Sprintf(", %.1f per second; workers: %d, players: %d", float64(x.Done-x.Before)/max(passed.Seconds(), 0.001), x.Workers, x.Slots)
	if x.Strangers > 0 {
		line += fmt.Sprintf(" (of another version, which take nothing: %d)", x.Strangers)
	}
	if n := x.Done - x.Before; n > 0 && x.Done < x.Of {
		line += "; ends in " + (passed * time.Duration(x.Of-x.Done) / time.Duration(n)).Round(time.Second).String()
	}
	return line
}
