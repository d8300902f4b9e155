package say

// The index of a run store.
var (
	NewestRuns   = New2[Number, Number]("The newest {n} of {all} runs, newest first")
	AllRuns      = New1[Number]("{n} {n|run|runs}, newest first")
	CannotBeRead = New1[Verbatim]("cannot be read: {why}")
)
