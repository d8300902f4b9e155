package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lockstep/internal/history"
	"lockstep/internal/run"
	"lockstep/internal/rundir"
	"lockstep/internal/shell"
)

// openRun reads a run directory.
func openRun(ctx context.Context, arg string) (*rundir.Run, error) {
	s, err := rundir.Open(ctx, arg)
	return s, ofDisk(err)
}

// readHistories reads one file of histories.
func readHistories(ctx context.Context, name string, r io.Reader) ([]*history.History, error) {
	all, err := rundir.ReadHistories(ctx, name, r)
	return all, ofDisk(err)
}

// ofDisk tells what the disk says from what is wrong with a file.
func ofDisk(err error) error {
	var disk *rundir.DiskError
	if errors.As(err, &disk) {
		return unreadable(disk.Err)
	}
	return err
}

// notRead is the error for a file that was not read: the disk says why, or we do.
func notRead(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return unreadable(err)
	}
	return err
}

// again is the command line that plays the run again. Somebody will copy it into
// a shell, so nothing of the files gets into it unquoted.
func again(s *rundir.Run, r *run.Result) string {
	if own := s.Env.Own; own != nil {
		return terminalText(own.Again)
	}
	f := &runFlags{locks: s.Env.Locks, backend: shell.Word(r.Backend), scale: shell.Word(s.Env.Scale)}
	return f.replay(s.Plan, f.oneLock(s.Plan), r.Seed)
}

// tellUnplayed says on stderr which locks an interrupted run did not come to.
func tellUnplayed(s *rundir.Run) {
	if left := s.Unplayed(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "simulate:", terminalText(fmt.Sprintf("%s was interrupted before it came to %s", s.Dir, rundir.LockList(left))))
	}
}

// statusExit is the end of a command that has judged runs.
func statusExit(worst run.Status) error {
	switch worst {
	case run.Missed:
		return &silentExit{code: exitMissed}
	case run.Inconclusive:
		return &silentExit{code: exitInconclusive}
	case run.Failed:
		return &silentExit{code: exitBug}
	default:
		return nil
	}
}
