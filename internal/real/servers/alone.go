package servers

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// slowStartTime bounds the start of a server: ten milliseconds of Redis, and about a second of a
// database, which first has to be created, or of Java. A busy machine may take minutes; only a
// server that hangs takes longer. One that dies is noticed at once.
const slowStartTime = 5 * time.Minute

// Running is a started server.
type Running interface {
	Process
	Stop() error                                  // kills it and removes its directory; its log stays
	SetClock(step time.Duration, ppm int64) error // see Server.SetClock
	LastLog() string                              // last line of the log
	Log() []byte                                  // its beginning and end
}

// Alone says how to start a server that needs no others to serve clients.
type Alone struct {
	// Recipe says how to start its process. The server has an address, a place for its files and a
	// mark (Server.Mark), by which Answers recognises it.
	Recipe func(port int) Recipe
	// Answers returns nil when the server serves clients, and ErrPortTaken when another one does.
	Answers func(ctx context.Context) error
	// Clock asks the server for its time; nil for the clock of this machine. Otherwise it is
	// started under libfaketime, for SetClock. Threads: many of its threads read the clock; it has
	// to be a child process.
	Clock   func(ctx context.Context) (time.Time, error)
	Threads bool
	// Quit is the signal by which Stop asks the server to end, quitTime before it is killed; 0:
	// none.
	Quit syscall.Signal
	// prepare, if set, is called when a new process answers.
	prepare func(ctx context.Context) error
}

const quitTime = 2 * time.Second

// New makes a server for StartAlone. Without a launcher it is a child with a directory of its own.
func New(name string, product images.Product, l Launcher) *Server {
	return &Server{Name: name, product: product, launcher: cmp.Or[Launcher](l, children{})}
}

// StartAlone gives a server a place and a port, starts its process and waits until it answers.
// After an error nothing is left.
func StartAlone(ctx context.Context, s *Server, a Alone) error {
	if s.alone = &a; a.Clock != nil {
		if _, child := s.launcher.(children); a.Threads && !child {
			return errors.New("the clock of " + s.Name + " can only be set when it runs as a child process")
		}
		s.clock = &clock{}
	}
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	if err := onFreePort(ctx, s.startAlone); err != nil {
		return errors.Join(err, s.forgetClock(), s.Stop())
	}
	return nil
}

// startAlone tries one port. Each try gets a fresh place: a replica of Redis leaves a dump of its
// primary there even when saving is off, and a later start would load its keys.
func (s *Server) startAlone(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.mark = newMark(s.Name)
	if r, ok := s.place.(Resident); ok && r.Runs() {
		if err := s.checkReusable(ctx); err != nil {
			s.place = nil // Stop does not touch it
			return err
		}
	}
	return s.spawn(ctx)
}

// spawn starts the process in the server's place and on its port.
func (s *Server) spawn(ctx context.Context) error {
	if err := s.launch(ctx, s.alone.Recipe(Port(s.Addr))); err != nil {
		return err
	}
	if err := s.getReady(ctx); err != nil {
		return errors.Join(err, s.Kill())
	}
	return nil
}

// getReady waits until a new process answers, and prepares it.
func (s *Server) getReady(ctx context.Context) error {
	err := errors.Join(s.waitAnswer(ctx), s.forgetClock())
	if err == nil && s.clock != nil {
		err = s.calibrate(ctx, s.alone.Clock)
	}
	if err == nil && s.alone.prepare != nil {
		err = s.OrDied(s.alone.prepare(ctx))
	}
	return err
}

func (s *Server) waitAnswer(ctx context.Context) error {
	ended := func() error { return s.failedAtStart("free memory and disk space") }
	return s.await(ctx, "did not answer on "+s.Addr, ended, func() (bool, error) {
		ctx, cancel := s.whileAlive(ctx)
		defer cancel()
		err := s.alone.Answers(ctx)
		if errors.Is(err, ErrPortTaken) {
			return false, err
		}
		return err == nil, nil
	})
}

// forgetClock removes the shared memory of libfaketime, which it made at the server's start.
func (s *Server) forgetClock() error {
	if s.Process == nil {
		return nil
	}
	return removeShared(s.Pid())
}

// quit sends the process its quit signal, if it has one, and waits a moment for its end.
func (s *Server) quit() {
	if s.alone == nil || s.alone.Quit == 0 || s.Process == nil || s.ended() {
		return
	}
	_ = s.Thaw() // it may have ended by now
	_ = s.Signal(s.alone.Quit)
	select {
	case <-s.Done():
	case <-time.After(quitTime):
	}
}

// Listens returns Addr, for interfaces.
func (s *Server) Listens() string { return s.Addr }

// Mark is unique to the server, which shows it to clients that ask: another server may have its
// port.
func (s *Server) Mark() string { return s.mark }

// Made runs a program that creates the files of a server before its first start. cure is what to do
// when it fails.
func (s *Server) Made(ctx context.Context, cmd *exec.Cmd, cure string) error {
	began := time.Now()
	out, err := osproc.Output(ctx, cmd)
	if err != nil {
		return s.notMade(began, err, out, cure)
	}
	return nil
}
