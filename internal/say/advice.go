package say

// Answers to the question which lock to use.
var (
	UseLock = New6[Phrase, Phrase, Number, Words, Words, Phrase](
		"Use {lock}[, and {how}]. Of the {n} kinds of faults to expect with {have}, none {harms}, alone or two at once, as far as was searched.[ {price}]")
	NoLockKeeps = New5[Words, Words, Phrase, Phrase, Phrase](
		"No lock here on {have} {goal}. {lock} comes closest; it breaks {when}.[ {price}]")
	MayDo = New3[Phrase, Phrase, Phrase](
		"{lock} may do: nothing that was found breaks it, but {verdict}.[ {price}]")
	NotAllSearched = New1[Phrase]("not everything was searched ({verdict})")
	LetItRefuse    = New0("let the resource refuse, in reads and writes, every token older than the newest it has seen")
	WritesOnlyNot  = New0("a resource that checks writes only: between a read and a write an older client may write.")
	WhenThese      = New3[Words, Words, Optional](
		"when {one}[, or {two}][, and in {n} other {n|way|ways}]")
	WhenPairs    = New1[Number]("only when two faults come together ({n} such {n|pair|pairs})")
	OnlyKinds    = New1[List]("{kinds}.")
	PriceIs      = New1[Remarks]("Its price: {price}.")
	MeasuredOn   = New1[Number]("measured on {n} {n|server|servers}")
	AlsoSurvives = New2[Phrase, Phrase]("{lock} survives, too.[ {price}]")
	FailsBy      = New3[Phrase, Phrase, Phrase]("{lock}. It breaks {when}.[ {price}]")
	RefusedLater = New1[Phrase]("{when}. The resource refuses the older one, so the data stay safe.")
	GetsStuck    = New1[Phrase]("no client gets it any more {when}.")
	NotExpected  = New1[Words]("Not expected with {have}, but it breaks after")
	MatrixAdds   = New1[Remarks](
		"{faults}. Its scripts may use more servers, or more faults at once, than the search does.")
	FaultOfMatrix = New3[Phrase, Verbatim, Both]("{fault} ({code})[: {script}]")
	SearchedWas   = New5[Grouped, Number, Number, Optional, Optional](
		"{n} schedules: every fault alone, in {worlds} ways of using the lock; every two at once in {all} of these ways[, a random draw of them in {some}][, and none in {none}].")
	NotSearchedWas = New1[Number](
		"more than {n} faults at once, leases other than 10 s, and your own code. Any of these may break the lock.")
	UncheckedBreaks = New3[Number, Number, Phrase](
		"the data can be damaged. Played again without a check, {bad} of {n} stories in which two hold it at once damage them: {when}. More was not measured.")
	UncheckedHolds = New1[Number](
		"played again without a check, none of the {n} stories in which two hold it at once damages the data. More was not measured.")
	UncheckedUnknown = New0("not measured.")
	OutsideAPIs      = New0(
		"A payment provider, as an example, compares no tokens. Give each call an idempotency key made from the order, not from the client or the attempt: a second call then does nothing. Where every call has one, two at once are only duplicate work.")
	LockOn          = New2[Phrase, Words]("{lock} on {have}")
	SurvivesInstead = New1[Remarks]("These survive what is to be expected with them: {locks}.")
	TokensInstead   = New1[Remarks](
		"A resource that refuses older tokens keeps its data safe all the same: nothing searched damages them with {locks}. No lock prevents that two work at once: a client that stands still for longer than the lease does not know it.")
	NoneHere     = New1[Words]("Not searched: no lock for {have} is in this result.")
	QuestionWas  = New2[Words, Phrase]("{have}; if two work at once: {harm}")
	SoManyPairs  = New1[Number]("{n} {n|pair|pairs}")
	NumberFromTo = New1[Number]("Type a number from 1 to {n}, or Ctrl-C to leave.")
	HeadAndText  = New2[Phrase, Phrase]("{head}:[ {text}]")
)
