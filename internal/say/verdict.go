package say

// The behaviour of a lock in a run, in one sentence.
var (
	NothingToJudge = New0("There is no history to judge.")
	NotJudged      = New1[Verbatim]("{lock} was not judged.")
	DidDamage      = New4[Verbatim, Clauses, Optional, Phrase](
		"{lock} {damage}[; the fence refused {n} {n|write|writes}][: {impact}].")
	BrokeNothing = New2[Verbatim, Phrase]("{lock} broke nothing, but {unknown}.")
	Kept         = New3[Verbatim, Number, Optional](
		"{lock} kept every property over {n} {n|acquisition|acquisitions}[; the fence refused {writes} {writes|write|writes}].")
	IsUnknown = New2[Property, Phrase]("{property} is unknown[, since {reason}]")
)

// How a property was broken.
var (
	LetIn      = New2[Few, Span]("let {n} clients in at once for {time}")
	LetInTimes = New3[Few, Number, Span](
		"let {n} clients in at once, {times} times ({time} in total)")
	ReleasedForeign     = New1[Times]("released another client's lock {times}")
	AcceptedStaleWrites = New1[Number]("accepted {n} stale {n|write|writes}")
	LostUpdates         = New1[Number]("lost {n} {n|update|updates}")
	LeftStuck           = New0("left the lock stuck")
	Broke               = New2[Property, Times]("broke {property} {times}")
)

// What a run did to the data, in a word or two, and where the lock broke.
var (
	ImpactKept    = New0("kept")
	ImpactSafe    = New0("data safe")
	ImpactDamaged = New0("data damaged")
	ImpactOf      = New2[Phrase, List]("{impact}: {locks}")
	ImpactUnknown = New0("whether the data are safe is unknown")
)

// The letters that outcomes have: a word for each, and what it means.
var (
	WordSafe     = New0("safe")
	MeansSafe    = New0("safe: no two holders, and the others get the lock after a normal wait")
	WordDelayed  = New0("delayed")
	MeansDelayed = New0("safe, but a client waits for a lease or an election, or gets an error")
	WordStuck    = New0("no progress")
	MeansStuck   = New0("no progress: no client gets the lock for ten leases after the fault ends")
	WordFreed    = New0("foreign entry freed")
	MeansFreed   = New0("a release removes the entry of another client")
	WordTwo      = New0("two holders")
	MeansTwo     = New0("two clients hold the lock at once")
	WordBoth     = New0("both")
	MeansBoth    = New0("both: two holders, and a foreign entry freed")
	WordUnknown  = New0("unknown")
	MeansUnknown = New0("unknown: no fault fired, no clients competed, or a run did not finish")
	WordNoStep   = New0("not applicable")
	MeansNoStep  = New0("the lock has no step that the fault could hit")
)

// The marks beside the letters of a matrix: a word for each, and what it means.
var (
	WordDamaged  = New0("resource damaged")
	MeansDamaged = New0(
		"the resource was damaged, behind a fence where the lock hands out tokens: an update was lost, or a stale write came after a newer holder had read")
	WordWalked  = New0("found by the exhaustive search")
	MeansWalked = New0(
		"the exhaustive search of the fault space found the letter; no script or variation was as bad")
)
