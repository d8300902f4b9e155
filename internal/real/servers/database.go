package servers

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// slowStartTime bounds the start of a server that takes about a second on a machine
// at rest: a database, which first has to be made, or Java. What is waited for is that it
// answers or ends; a machine that has much else to do may take minutes, and only a
// server that hangs takes longer.
const slowStartTime = 5 * time.Minute

// database is what MariaDB and PostgreSQL do differently.
type database interface {
	recipe(port int) Recipe
	answers(context.Context) error // with errPortTaken when it is somebody else who answers
}

func newDatabase(name string, product images.Product, l Launcher, scratch *osproc.Scratch) *Server {
	return &Server{Name: name, product: product, launcher: launcherOr(l, scratch)}
}

// startDatabase gives a server a place and a port, starts its process and waits
// until it answers. After an error nothing is left.
func startDatabase(ctx context.Context, s *Server, db database) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var err error
	for range startAttempts {
		if err = s.startOn(ctx, db); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

func (s *Server) startOn(ctx context.Context, db database) error {
	port, err := s.settle(ctx)
	if err != nil {
		return err
	}
	s.mark = newMark(s.Name)
	if err := s.launch(ctx, db.recipe(port)); err != nil {
		return err
	}
	if err := s.waitAnswer(ctx, db.answers); err != nil {
		return errors.Join(err, s.process.Kill())
	}
	return nil
}

func (s *Server) waitAnswer(ctx context.Context, answers func(context.Context) error) error {
	return s.await(ctx, wait{
		first: 5 * time.Millisecond, longest: 50 * time.Millisecond,
		failing: "did not answer on " + s.Addr,
		ended:   func() error { return s.failedAtStart("free memory and disk space") },
	}, func() (bool, error) {
		err := s.tryAnswer(ctx, answers)
		if errors.Is(err, errPortTaken) {
			return false, err
		}
		return err == nil, nil
	})
}

func (s *Server) tryAnswer(ctx context.Context, answers func(context.Context) error) error {
	ctx, cancel := s.whileAlive(ctx)
	defer cancel()
	return answers(ctx)
}
