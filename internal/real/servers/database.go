package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
)

// databaseStartTime bounds the start of a database, which first has to be made;
// it takes about a second on a machine at rest.
const databaseStartTime = 60 * time.Second

// startDatabase gives a server a directory and a port, lets launch start its
// process and waits until it answers. After an error nothing is left.
func startDatabase(ctx context.Context, s *Server, scratch *osproc.Scratch,
	launch func(ctx context.Context, port int) error, answers func(context.Context) error,
) error {
	if scratch == nil {
		own, err := osproc.NewScratch()
		if err != nil {
			return err
		}
		scratch, s.own = own, own
	}
	ctx, cancel := context.WithTimeout(ctx, databaseStartTime)
	defer cancel()
	var err error
	for range startAttempts {
		if err = s.startOn(ctx, scratch, launch, answers); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

func (s *Server) startOn(ctx context.Context, scratch *osproc.Scratch,
	launch func(ctx context.Context, port int) error, answers func(context.Context) error,
) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	if s.Dir, err = scratch.Fresh(s.Name); err != nil {
		return err
	}
	if err := launch(ctx, port); err != nil {
		return err
	}
	if err := s.waitAnswer(ctx, answers); err != nil {
		return errors.Join(err, s.process.Kill(), os.RemoveAll(s.Dir))
	}
	return nil
}

// launch starts the process, with a log in the server's directory.
func (s *Server) launch(cmd *exec.Cmd, port int) error {
	log, err := os.Create(filepath.Join(s.Dir, "log"))
	if err != nil {
		return fmt.Errorf("no log for %s: %w: free some space, or set TMPDIR to a directory that can be written", s.Name, err)
	}
	defer log.Close() // the child has its own
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, log, log
	s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s.process, err = osproc.Start(cmd)
	return err
}

func (s *Server) waitAnswer(ctx context.Context, answers func(context.Context) error) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-s.process.Done():
			return s.databaseFailed()
		case <-ctx.Done():
			return fmt.Errorf("%s did not answer on %s: %w: is the machine overloaded?", s.Name, s.Addr, context.Cause(ctx))
		case <-time.After(pause):
		}
		if err := answers(ctx); err == nil || errors.Is(err, errPortTaken) {
			return err
		}
	}
}

func (s *Server) databaseFailed() error {
	raw, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err == nil && strings.Contains(string(raw), "Address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("%s ended at its start (%s): %s: free memory and disk space", s.Name, s.process.Ended(), lastLine(raw))
}

// lastLine returns the last line of an output with something in it.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
