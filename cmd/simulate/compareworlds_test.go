package main

import (
	"bytes"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/run"
	"lockstep/internal/worlds"
)

func someComparison() *worlds.Comparison {
	return &worlds.Comparison{
		Backend: "process", Times: 2, Locks: []locks.Variant{{ID: "set-nx-lua"}, {ID: "setnx"}},
		Columns: []matrix.Column{{Code: "GP"}, {Code: "SJ"}},
		Cells: []worlds.Cell{
			{Lock: "set-nx-lua", Fault: "GP", Agreement: worlds.Differs, Simulated: "V", Real: []checker.Letter{"V", "S"}, Script: "A freezes"},
			{Lock: "set-nx-lua", Fault: "SJ", Agreement: worlds.NotPlayed, Why: "no \x1b[31mclock"},
			{Lock: "setnx", Fault: "GP", Agreement: worlds.Agrees, Simulated: "L", Real: []checker.Letter{"S", "L"}},
			{Lock: "setnx", Fault: "SJ", Agreement: worlds.Untested, Simulated: "L", Real: []checker.Letter{"?", "?"}, Script: "it jumps", Why: "cut short"},
		},
	}
}

func TestComparisonOnTheTerminal(t *testing.T) {
	var out bytes.Buffer
	f := &worldsFlags{cellFlags: cellFlags{globals: &globals{}}}
	f.print(&out, someComparison())
	want := `            GP     SJ
set-nx-lua  V/S    -
setnx       L      L/?

  V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played

set-nx-lua under GP differs: simulated V, real V 1×, S 1×: A freezes

setnx under SJ untested: simulated L, real ? 2×: it jumps
  cut short

NOT PLAYED with --backend process:
     1  no \x1b[31mclock
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestComparisonStatus(t *testing.T) {
	c := someComparison()
	if got := worldsStatus(c); got != run.Missed {
		t.Errorf("a cell differs: status %v", got)
	}
	c.Cells[0].Agreement = worlds.Agrees
	if got := worldsStatus(c); got != run.Inconclusive {
		t.Errorf("a cell tested nothing: status %v", got)
	}
	c.Cells[3].Agreement = worlds.NotPlayed
	if got := worldsStatus(c); got != run.Met {
		t.Errorf("all that was played agrees: status %v", got)
	}
	for i := range c.Cells {
		c.Cells[i].Agreement = worlds.NotPlayed
	}
	if got := worldsStatus(c); got != run.Inconclusive {
		t.Errorf("nothing was played: status %v", got)
	}
}
