package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"syscall"
	"time"
)

// late is the error of a server that has not done something when time is up, with all
// that is known: for how long it was waited for, and what it said last.
func (s *Server) late(ctx context.Context, failing string, since time.Time) error {
	took := time.Since(since).Round(time.Second / 10)
	why := context.Cause(ctx)
	switch {
	case errors.Is(why, context.DeadlineExceeded):
		why = fmt.Errorf("time was up after %v (%w)", took, why)
	case ctx.Err() != nil: // the caller has given up
		return fmt.Errorf("%s %s: %w", s.Name, failing, why)
	}
	if full := s.fullDisk(nil); full != nil {
		why = full
	}
	return fmt.Errorf("%s %s: %w; its process still runs, and %s: is the machine overloaded?", s.Name, failing, why, s.lastWords())
}

// lastWords tells what the server said last.
func (s *Server) lastWords() string {
	if last := s.LastLog(); last != "" {
		return "the last thing that it said was: " + last
	}
	return "it has said nothing"
}

// littleSpace is what no server starts with, in bytes.
const littleSpace = 64 << 10

// fullDisk returns an error when there is no room for the server's files. It reads what the
// server and its helpers have said, and asks the disk as well, since on a full one no message
// can be written. Nil for a server in a container, whose disk is the engine's.
func (s *Server) fullDisk(said []byte) error {
	child, ok := s.place.(*directory)
	if !ok {
		return nil
	}
	if !blamesDisk.Match(said) && !blamesDisk.Match(s.place.Log()) && !isFull(child.dir) {
		return nil
	}
	return fmt.Errorf("%w on the disk of %s: free some, or set TMPDIR to a directory on another disk", syscall.ENOSPC, child.dir)
}

// blamesDisk matches an output that blames a full disk: by the text of ENOSPC, or by its
// number, as MariaDB does.
var blamesDisk = regexp.MustCompile(`(?i)no space left on device|out of disk space|disk is full|(?:errcode:|errno:|with error) 28\b`)

// isFull reports whether next to nothing can be written in a directory.
func isFull(dir string) bool {
	var disk syscall.Statfs_t
	if syscall.Statfs(dir, &disk) != nil {
		return false
	}
	blocks := disk.Bavail
	if os.Geteuid() == 0 {
		blocks = disk.Bfree // what is kept for root counts
	}
	return blocks*uint64(disk.Bsize) < littleSpace
}

// notMade is the error of a database that its program has not made, with what that said.
func (s *Server) notMade(since time.Time, why error, said []byte, cure string) error {
	took := time.Since(since).Round(time.Second / 10)
	last := lastLine(said)
	if last == "" {
		last = "its program said nothing"
	}
	if full := s.fullDisk(said); full != nil {
		return fmt.Errorf("%s did not make a database in %v: %w (%w): %s", s.Name, took, full, why, last)
	}
	return fmt.Errorf("%s did not make a database in %v: %w: %s: %s", s.Name, took, why, last, cure)
}
