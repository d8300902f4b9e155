package terminal

import (
	"testing"

	"lockstep/internal/report/reporttest"
)

func TestSweepTerminalGolden(t *testing.T) {
	reporttest.Golden(t, "sweep.txt", []byte(Sweep(reporttest.Sweep())))
}

// Names come from files that others write.
func TestSweepTerminalIsSafeFromNames(t *testing.T) {
	s := reporttest.Sweep()
	const evil = "\x1b[31m"
	s.Plan.Name, s.Property = evil, evil
	s.Maps[0].Lock, s.Maps[0].Property, s.Maps[0].X.Name, s.Maps[0].Y.Name = evil, evil, evil, evil
	reporttest.Lacks(t, Sweep(s), "\x1b")
}
