package checker

import (
	"time"

	"lockstep/internal/history"
)

// Judgement is a history with everything that the checkers have to say about it.
type Judgement struct {
	History  *history.History
	Findings []Finding   // one per property, in the order of All
	Letter   Letter      // the worst outcome, as one letter
	Faults   []FiredFault
	Overlap  time.Duration // how long two or more clients believed to hold the lock
	Acquired int           // successful acquisitions
	Waited   bool          // whether any client ever had to wait for another: without it nothing was tested
}

// FiredFault says whether a planned fault happened.
type FiredFault struct {
	history.Fault
	Times int // 0: it never fired
}

// Letter is an outcome: S safe, V mutual exclusion violated, F a release removed
// another owner's entry, VF both, D stuck, L a bounded loss of liveness only,
// "?" when the run tested nothing.
type Letter string

// The letters.
const (
	LetterSafe    Letter = "S"
	LetterV       Letter = "V"
	LetterF       Letter = "F"
	LetterVF      Letter = "VF"
	LetterStuck   Letter = "D"
	LetterDelay   Letter = "L"
	LetterUnknown Letter = "?"
)
