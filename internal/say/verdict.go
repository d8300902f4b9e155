package say

// The behaviour of a lock in a run, in one sentence.
var (
	NotJudged = New1[Verbatim]("{lock} was not judged.")
	DidDamage = New4[Verbatim, Clauses, Optional, Phrase](
		"{lock} {damage}[; the fence refused {n} {n|write|writes}][: {impact}].")
	BrokeNothing = New2[Verbatim, Phrase]("{lock} broke nothing, but {unknown}.")
	Kept         = New3[Verbatim, Number, Optional](
		"{lock} kept every property over {n} {n|acquisition|acquisitions}[; the fence refused {writes} {writes|write|writes}].")
	IsUnknown = New2[Property, Phrase]("{property} is unknown[, since {reason}]")
)

// How a property was broken.
var (
	LetIn      = New2[Few, Span]("let {n} clients in at once for {time}")
	LetInTimes = New4[Flag, Few, Number, Span](
		"let[most? up to] {n} clients in at once, {times} times ({time} in total)")
	ReleasedForeign     = New1[Times]("released another client's lock {times}")
	AcceptedStaleWrites = New1[Number]("accepted {n} stale {n|write|writes}")
	LostUpdates         = New1[Number]("lost {n} {n|update|updates}")
	Broke               = New2[Property, Times]("broke {property} {times}")
)

// What a run did to the data, in a word or two, and where the lock broke.
var (
	ImpactDamaged = New0("data damaged")
)

// The letters that outcomes have: a word for each, and what it means.
var (
	WordStuck = New0("no progress")
)

// The marks beside the letters of a matrix: a word for each, and what it means.
var (
	WordWalked = New0("found by the exhaustive search")
)
