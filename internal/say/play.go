package say

// The sentences of the playground that have arguments.
var (
	RemoveFault = New1[Number]("remove fault {n}")
	CommandAt   = New4[Verbatim, Verbatim, Number, Seconds]("{who} sends {command} (no. {n}) at {at}")
	StartHere   = New2[Number, Number]("New to this? Start here: {n} lessons, {minutes} minutes")
	LessonIs    = New3[Number, Number, Phrase]("Lesson {n} of {of}: {title}")
)
