package say

// Answers to the question which lock to use.
var (
	UseLock = New5[Phrase, Phrase, Words, Words, Phrase](
		"Use {lock}[, and {how}]. None of the faults to expect with {have} {harms}, alone or in pairs, within the search.[ {price}]")
	NoLockKeeps = New5[Words, Words, Phrase, Phrase, Phrase](
		"No lock here on {have} {goal}. {lock} comes closest; it breaks {when}.[ {price}]")
	MayDo = New3[Phrase, Phrase, Phrase](
		"{lock} may be enough: the search found nothing that breaks it, but {verdict}.[ {price}]")
	NotAllSearched = New1[Phrase]("the search is incomplete ({verdict})")
	WhenThese      = New3[Words, Words, Optional](
		"when {one}[, or {two}][, and in {n} other {n|way|ways}]")
	WhenPairs    = New1[Number]("only under two faults together ({n} such {n|pair|pairs})")
	PriceIs      = New1[Remarks]("Its price: {price}.")
	MeasuredOn   = New1[Number]("measured on {n} {n|server|servers}")
	AlsoSurvives = New2[Phrase, Phrase]("{lock} survives, too.[ {price}]")
	FailsBy      = New3[Phrase, Phrase, Phrase]("{lock}. It breaks {when}.[ {price}]")
	RefusedLater = New1[Phrase]("{when}. The resource refuses the older one, so the data stay safe.")
	GetsStuck    = New1[Phrase]("no client gets it any more {when}.")
	NotExpected  = New1[Words]("Not expected with {have}, but it breaks after")
	MatrixAdds   = New1[Remarks](
		"{faults}. Its scripts may use more servers, or more faults at once, than the search does.")
	FaultOfMatrix = New3[Phrase, Verbatim, Part]("{fault} ({code})[: {script}]")
	SearchedWas   = New5[Grouped, Number, Number, Optional, Optional](
		"{n} schedules: every single fault in {worlds} usage profiles; every pair in {all} of these profiles[, a random sample of pairs in {some}][, and none in {none}].")
	NotSearchedWas = New1[Number](
		"more than {n} faults at once, leases other than 10 s, and your own code. Any of these may break the lock.")
	UncheckedBreaks = New3[Number, Number, Phrase](
		"the data can be damaged. Replayed without the check, {bad} of {n} stories with two holders damage it: {when}. Nothing else was measured.")
	UncheckedHolds = New1[Number](
		"replayed without the check, none of the {n} stories with two holders damages the data. Nothing else was measured.")
	UncheckedUnknown = New0("not measured.")
	LockOn           = New2[Phrase, Words]("{lock} on {have}")
	SurvivesInstead  = New1[Remarks]("These survive the faults to expect with them: {locks}.")
	TokensInstead    = New1[Remarks](
		"A resource that refuses older tokens still keeps its data safe: no searched schedule damages it with {locks}. No lock can keep two clients from working at once: a client paused past its lease does not know it.")
	NoneHere     = New1[Words]("Not searched: no lock for {have} is in this result.")
	QuestionWas  = New2[Words, Phrase]("{have}; if two work at once: {harm}")
	SoManyPairs  = New1[Number]("{n} {n|pair|pairs}")
	NumberFromTo = New1[Number]("Type a number from 1 to {n}, or Ctrl-C to leave.")
	HeadAndText  = New2[Phrase, Phrase]("{head}:[ {text}]")
)
