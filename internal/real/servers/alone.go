package servers

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// slowStartTime bounds the start of a server that takes about a second on a machine
// at rest: a database, which first has to be made, or Java. What is waited for is that it
// answers or ends; a machine that has much else to do may take minutes, and only a
// server that hangs takes longer.
const slowStartTime = 5 * time.Minute

// Running is a server that was started.
type Running interface {
	Freeze() error
	Thaw() error
	Kill() error
	Stop() error // kills it and removes its directory; its log stays
	Done() <-chan struct{}
	Ended() string                                // how
	SetClock(step time.Duration, ppm int64) error // see Server.SetClock
	LastLog() string                              // the last line
	Log() []byte                                  // bounded
}

// Alone says how a server is started that needs no others to serve clients.
type Alone struct {
	// Recipe says how its process is started. It has an address, a place for its files and a mark
	// (Server.Mark), which it has to show to those who ask it.
	Recipe func(port int) Recipe
	// Answers returns nil when it serves clients, and ErrPortTaken when it is another one who does.
	Answers func(ctx context.Context) error
	// Clock asks it what its clock shows; nil for the clock of this machine. Otherwise it is started under
	// libfaketime, for SetClock, and has to be a child process.
	Clock func(ctx context.Context) (time.Time, error)
	// Quit is the signal by which Stop asks it to end, a moment before it is killed; 0: it is not asked.
	Quit syscall.Signal
}

// quitTime is that moment.
const quitTime = 2 * time.Second

// New makes a server that is to be started by StartAlone. It is a child with a directory of its own where
// the launcher is nil.
func New(name string, product images.Product, l Launcher) *Server {
	return &Server{Name: name, product: product, launcher: launcherOr(l, nil)}
}

// StartAlone gives a server a place and a port, starts its process and waits until it answers. After an error
// nothing is left.
func StartAlone(ctx context.Context, s *Server, a Alone) error {
	if s.alone = &a; a.Clock != nil {
		if _, child := s.launcher.(children); !child {
			return errors.New("the clock of " + s.Name + " can only be set when it runs as a child process")
		}
		s.clock = &clock{}
	}
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var err error
	for range startAttempts {
		if err = s.startOn(ctx); !errors.Is(err, ErrPortTaken) {
			break
		}
	}
	if err != nil {
		return errors.Join(err, s.forgetClock(), s.Stop())
	}
	return nil
}

func (s *Server) startOn(ctx context.Context) error {
	port, err := s.settle(ctx)
	if err != nil {
		return err
	}
	s.mark = newMark(s.Name)
	recipe := s.alone.Recipe(port)
	if s.clock != nil {
		recipe.Child = s.underClock(recipe.Child)
	}
	if err := s.launch(ctx, recipe); err != nil {
		return err
	}
	if err := s.waitAnswer(ctx); err != nil {
		return errors.Join(err, s.process.Kill())
	}
	return nil
}

func (s *Server) waitAnswer(ctx context.Context) error {
	return s.await(ctx, wait{
		first: 5 * time.Millisecond, longest: 50 * time.Millisecond,
		failing: "did not answer on " + s.Addr,
		ended:   func() error { return s.failedAtStart("free memory and disk space") },
	}, func() (bool, error) {
		err := s.tryAnswer(ctx)
		if errors.Is(err, ErrPortTaken) {
			return false, err
		}
		return err == nil, nil
	})
}

func (s *Server) tryAnswer(ctx context.Context) error {
	ctx, cancel := s.whileAlive(ctx)
	defer cancel()
	err := s.alone.Answers(ctx)
	if err == nil && s.clock != nil {
		err = errors.Join(s.forgetClock(), s.calibrate(ctx, s.alone.Clock))
	}
	return err
}

// forgetClock removes what libfaketime has put into shared memory at the server's start.
func (s *Server) forgetClock() error {
	if s.clock == nil || s.process == nil {
		return nil
	}
	return removeShared(s.Pid())
}

// quit asks the process to end, if it has been told how, and gives it a moment.
func (s *Server) quit() {
	if s.alone == nil || s.alone.Quit == 0 || s.process == nil || s.ended() {
		return
	}
	_ = s.Thaw()                       // it may have ended by now
	_ = s.process.Signal(s.alone.Quit) // the same
	select {
	case <-s.Done():
	case <-time.After(quitTime):
	}
}

// Listens is Addr, for those who know the server as a Running.
func (s *Server) Listens() string { return s.Addr }

// Mark is what others recognise the server by that answers on its address: each server has another one.
func (s *Server) Mark() string { return s.mark }

// Made runs a program that makes the files of a server before its first start. cure is what to do when it fails.
func (s *Server) Made(ctx context.Context, cmd *exec.Cmd, cure string) error {
	began := time.Now()
	out, err := osproc.Output(ctx, cmd)
	if err != nil {
		return s.notMade(began, err, out, cure)
	}
	return nil
}

// Soon asks until the answer is yes: what a server has been told it does a little later. failing says what it
// has not done when time is up: "did not become a primary".
func (s *Server) Soon(ctx context.Context, failing string, ask func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var why error
	err := s.await(ctx, wait{
		first: 2 * time.Millisecond, longest: 10 * time.Millisecond, failing: failing,
		ended: func() error { return errors.New(s.Name + " ended (" + s.Ended() + "): " + s.LastLog()) },
	}, func() (yes bool, _ error) {
		yes, why = ask(ctx)
		return yes, nil
	})
	return errors.Join(err, why)
}
