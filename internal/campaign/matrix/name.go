package matrix

import (
	"fmt"
	"strings"

	"lockstep/internal/say"
)

// Names of scripts, and what is added to them. Stored measurements have the English, see Named.
var (
	diesExecuted      = name("A dies when the store has executed {command}")
	diesAnswered      = name("A dies when it has the reply of {command}")
	diesReleasing     = name("A dies in its release, when it has the reply of {command}")
	freezesAnswered   = name("A freezes when it has the reply of {command}")
	freezesReleasing  = name("A freezes before it sends {command} in its release")
	wakesBesideB      = name("A freezes before it sends {command} in its release, and wakes while B works")
	cutReleasing      = name("A is cut off when it sends {command} in its release, which arrives while B works")
	primaryDies       = name("the primary dies when it has executed {command} of A")
	primaryStands     = name("the primary stands still when A sends {command} in its release")
	replyLate         = name("the reply of {command} takes 12 s")
	replyLost         = name("the reply of {command} is lost")
	repliesLost       = name("the replies of the first {n} commands are lost")
	replyMissed       = name("the reply of {command} is lost, and A gives up")
	releaseUnanswered = name("the reply of {command} in the release is lost")
	releaseLate       = name("{command} of A's release arrives 12 s later")
	releaseMeetsA     = name("{command} of A's release arrives when A has come again")
	releaseHitsA      = name("{command} of A's release arrives when A holds again")
	releaseRepeated   = name("{command} of A's release arrives after A has repeated it")

	lateDelName  = addition(", and the first DEL of the others is late")
	inSection    = addition(" in its critical section")
	inStep       = addition(", and the others try in step")
	afterRenewal = addition(" after a renewal")
	takenTwice   = addition(", with the lock taken twice")
	allComeTwice = addition(", and all come twice")

	numberOf = say.New3[say.Phrase, say.Number, say.Number]("{what}, number {i} of {n}")
)

var (
	names     []say.Of1[say.Verbatim]
	additions []say.Phrase
)

func name(english string) say.Of1[say.Verbatim] {
	names = append(names, say.New1[say.Verbatim](english))
	return names[len(names)-1]
}

func addition(english string) say.Phrase {
	additions = append(additions, say.Text(english))
	return additions[len(additions)-1]
}

// Named is the name of a script, or of a story, by its English.
func Named(english string) say.Phrase {
	whole := say.Text(english)
	if whole.In(say.Chinese) != english {
		return whole
	}
	for _, a := range additions {
		if begin, ok := strings.CutSuffix(english, a.English()); ok {
			return Named(begin).And(a)
		}
	}
	var i, n say.Number
	if at := strings.LastIndex(english, ", number "); at >= 0 {
		if _, err := fmt.Sscanf(english[at:], ", number %d of %d", &i, &n); err == nil {
			return numberOf.With(Named(english[:at]), i, n)
		}
	}
	for _, one := range names {
		if p, ok := say.Match(one, english); ok {
			return p
		}
	}
	return whole
}

// of names one of several steps.
func of(what say.Phrase, i, n int) say.Phrase {
	if n == 1 {
		return what
	}
	return numberOf.With(what, say.Number(i+1), say.Number(n))
}
