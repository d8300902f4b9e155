package say

// Results of a walk of the fault space.
var (
	AndLibraries = New1[Number](
		"After them {n} Go {n|library|libraries} running their own code, searched with one fault in the plain profile only. A library that no such fault breaks is unknown.")
	WalkedLocks = New4[Number, Grouped, Number, Number](
		"{n} locks and {walked} schedules of faults: every single fault for {singles} of the locks, every pair in plain and just-within for {pairs}.")
	SchedulesWalked  = New1[Grouped]("{n} {n|schedule|schedules} searched")
	SchedulesUnknown = New1[Grouped]("{n} with an unknown outcome")
	StoriesOf        = New2[Number, Grouped]("{locks} locks, {n} schedules searched: each lock with its shortest stories")
	BreaksBySeveral  = New1[Number]("{n} faults")
	TickOnThePage    = New1[Verbatim](
		"Tick the faults you expect on the page {path}, or name them here: --expect pause,fail-over")
	LocksSurvive = New4[Number, Number, Phrase, Number](
		"{n} of {all} locks survive: {none}, with every pair searched in plain and just-within. {found} more have none found, but only a sample of their pairs was searched.")
	DrawnMeans = New0(
		"Drawn: a random sample of schedules of any two kinds: the first fault is drawn uniformly from its kind, then the second. \"1 in N at most\" bounds the share of such draws that break the lock, with 95 % confidence.")
	NoCandidates = New2[Number, Names](
		"Not candidates: {n} {n|misprint|misprints} of the course (docs/course.md): {names}")
	PairsAllIn   = New1[Names]("all pairs in {profiles}")
	PairsDrawnIn = New2[Number, Number]("some drawn in {n} {n|profile|profiles} (1 in {most} at most)")
	PairsNotIn   = New1[Names]("none searched in {profiles}")

	BreaksBy       = New3[Verbatim, Phrase, Verbatim]("{lock}: {way} by {kinds}")
	CostServers    = New1[Number]("{n} {n|server|servers}")
	CostRoundTrips = New2[Number, Number]("{acquire} {acquire|round trip|round trips} to acquire, {release} to release")
	CostDeadHolder = New1[Planned]("a dead holder keeps it for {long}")
	NoneUpTo       = New1[Number]("none found (up to {k} {k|fault|faults})")

	WalkedOf = New4[Verbatim, Grouped, Number, Number](
		"{lock}   {n} {n|schedule|schedules} of up to {complete} of {faults} {faults|fault|faults}")
	UsedInNoneOfThese = New1[Verbatim]("{lock}   not searched: it is used in none of these profiles")
	InProfileSchedule = New2[Verbatim, Phrase]("in {profile}: {schedule}")
	WithoutAnEnd      = New3[Grouped, Grouped, Grouped](
		"{n} {n|schedule has|schedules have} no end: a client sends {requests} requests in a row without a rest, or more than {events} events happen")
)
