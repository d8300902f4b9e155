package say

// Comparisons of the simulator with real servers.
var (
	WorldsLead = New3[Phrase, Verbatim, Verbatim](
		"Each cell is the same plan with the same lock, played {times} in the simulator and on real servers ({backend}), with every duration multiplied by {scale}.")
	TimesInAll    = New1[Times]("{times}")
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
		"{agree} {agree|cell agrees|cells agree}, {differ} differ, {untested} put nothing to the test, {left} not played")
	SumAndPage     = New3[Phrase, Number, Verbatim]("{sum} in {seconds} s   page {page}")
	NoneOnBackend  = New1[Verbatim]("NOT PLAYED with --backend {backend}:")
	NotAtThisScale = New0(
		"at this scale not even the simulator shows what the story tells: take a larger --scale")
	Oversleeps = New0(
		"a client wakes when its patience is over, and its reply is there or it was about to send: which of them it sees first is a race")
	Cancels = New0(
		"a client has given up on a request that is executed later: etcd's client cancels it behind its back, and which of the two the server sees first is a race")
	DecidedByJitter = New1[Span](
		"what comes at one instant has no order on real servers, and messages or clients are late by up to {by}: that changes how the story ends")
	DecidedByDraws = New0(
		"the lock draws how long it waits, real clients draw otherwise, and that changes how the story ends")
	DecidedByGossip = New0(
		"that a node has failed, the others of a Redis Cluster tell each other within half a node timeout, and when they do changes how the story ends")
	DecidedByElection = New1[Span](
		"an election of real servers, or a client that looks for another one, takes up to {by} longer, however fast the story is told, and that changes how it ends: take a larger --scale")
	StoriesOfLock = New5[Verbatim, Number, Number, Number, Number](
		"{lock}: {agree} {agree|story agrees|stories agree}, {differ} differ, {untested} put nothing to the test, {left} not played")
	SignsOfWorlds = New0(
		"V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played")
	SignsOfSeeds = New0(
		"V/S 18/20 of 20 seeds, 18 have the same letter in both worlds")
)
