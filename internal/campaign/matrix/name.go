package matrix

import "lockstep/internal/say"

// Names of scripts with a command. Stored measurements identify a script by its English name.
var (
	diesExecuted      = say.New1[say.Verbatim]("A dies when the store has executed {command}")
	diesAnswered      = say.New1[say.Verbatim]("A dies when it has the reply of {command}")
	diesReleasing     = say.New1[say.Verbatim]("A dies in its release, when it has the reply of {command}")
	freezesAnswered   = say.New1[say.Verbatim]("A freezes when it has the reply of {command}")
	freezesReleasing  = say.New1[say.Verbatim]("A freezes before it sends {command} in its release")
	wakesBesideB      = say.New1[say.Verbatim]("A freezes before it sends {command} in its release, and wakes while B works")
	cutReleasing      = say.New1[say.Verbatim]("A is cut off when it sends {command} in its release, which arrives while B works")
	primaryDies       = say.New1[say.Verbatim]("the primary dies when it has executed {command} of A")
	primaryStands     = say.New1[say.Verbatim]("the primary stands still when A sends {command} in its release")
	replyLate         = say.New1[say.Verbatim]("the reply of {command} takes 12 s")
	replyLost         = say.New1[say.Verbatim]("the reply of {command} is lost")
	repliesLost       = say.New1[say.Number]("the replies of the first {n} commands are lost")
	replyMissed       = say.New1[say.Verbatim]("the reply of {command} is lost, and A gives up")
	releaseUnanswered = say.New1[say.Verbatim]("the reply of {command} in the release is lost")
	releaseLate       = say.New1[say.Verbatim]("{command} of A's release arrives 12 s later")
	releaseMeetsA     = say.New1[say.Verbatim]("{command} of A's release arrives when A has come again")
	releaseHitsA      = say.New1[say.Verbatim]("{command} of A's release arrives when A holds again")
	releaseRepeated   = say.New1[say.Verbatim]("{command} of A's release arrives after A has repeated it")

	numberOf = say.New3[say.Phrase, say.Number, say.Number]("{what}, number {i} of {n}")
)

// of names one of several steps.
func of(what say.Phrase, i, n int) say.Phrase {
	if n == 1 {
		return what
	}
	return numberOf.With(what, say.Number(i+1), say.Number(n))
}

// lateDelName is what lateDel adds to the name of a script.
var lateDelName = say.Text(", and the first DEL of the others is late")
