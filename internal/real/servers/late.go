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

// late is the error of a server that has not done something in time, with the time that it
// had and the last line of its log.
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

// lastWords quotes the last line of the server's log.
func (s *Server) lastWords() string {
	if last := s.LastLog(); last != "" {
		return "the last thing that it said was: " + last
	}
	return "it has said nothing"
}

// littleSpace is too little disk space for any server to start, in bytes.
const littleSpace = 64 << 10

// fullDisk returns an error when the disk of the server's files is full. It reads the output
// of the server and its helpers, and also asks the file system, since on a full disk no message
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

// blamesDisk matches the text of ENOSPC, or its number, which MariaDB writes.
var blamesDisk = regexp.MustCompile(`(?i)no space left on device|out of disk space|disk is full|(?:errcode:|errno:|with error) 28\b`)

// isFull reports whether a directory has hardly any space left.
func isFull(dir string) bool {
	var disk syscall.Statfs_t
	if syscall.Statfs(dir, &disk) != nil {
		return false
	}
	blocks := disk.Bavail
	if os.Geteuid() == 0 {
		blocks = disk.Bfree // includes the blocks reserved for root
	}
	return blocks*uint64(disk.Bsize) < littleSpace
}

// notMade is the error of a program that has not created a database, with its output.
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
