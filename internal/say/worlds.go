package say

// Comparisons of the simulator with real servers.
var (
	WorldsLead = New3[Phrase, Verbatim, Verbatim](
		"Each cell is the same plan with the same lock, played {times} in the simulator and on real servers ({backend}), with every duration multiplied by {scale}.")
	TimesBetween  = New2[Number, Number]("between {least} and {most} times")
	LetterMeans   = New2[Verbatim, Phrase]("{letter}: {means}.")
	Under         = New2[Verbatim, Verbatim]("{lock} under {fault}")
	CellInWorlds  = New5[Phrase, Verbatim, Verbatim, Number, Number]("{cell}: simulated {letter}, real {other}, {n} of {all} agree")
	CellNotPlayed = New2[Phrase, Phrase]("{cell}: not played, {why}")
	CellDiffers   = New3[Phrase, Phrase, Phrase]("{cell} {differs}: {script}")
	SeedsAgree    = New2[Number, Number]("{n} of {all} seeds agree")
	SeedsCameTo   = New4[Verbatim, Verbatim, Number, Verbatim](
		"simulated {letter}, real {other}: {n|seed|seeds} {seeds}")
	RealRunOfSeed = New2[Verbatim, Verbatim]("the real run with seed {seed}: {command}")
	WorldsSum     = New4[Number, Number, Number, Number](
		"{agree} {agree|cell agrees|cells agree}, {differ} differ, {untested} inconclusive, {left} not played")
	SumAndPage    = New3[Phrase, Number, Verbatim]("{sum} in {seconds} s   page {page}")
	NoneOnBackend = New1[Verbatim]("NOT PLAYED with --backend {backend}:")
	Oversleeps    = New0(
		"a client wakes as its timeout expires, with a reply waiting or a request about to be sent: which it sees first is a race")
	Cancels = New0(
		"a client gives up on a request that is executed later: etcd's client cancels it in the background, and whether the server sees the request or its cancellation first is a race")
	DecidedByJitter = New1[Span](
		"simultaneous events have no fixed order on real servers, and messages or clients are up to {by} late: that changes how the story ends")
	DecidedByElection = New1[Span](
		"on real servers an election, or a client's search for another server, takes up to {by} longer at any scale, and that changes how the story ends: use a larger --scale")
	StoriesOfLock = New5[Verbatim, Number, Number, Number, Number](
		"{lock}: {agree} {agree|story agrees|stories agree}, {differ} differ, {untested} inconclusive, {left} not played")
)
