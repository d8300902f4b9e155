package explain

import (
	"slices"

	"lockstep/internal/say"
)

// leastFold is how many equal steps in a row are told as one.
const leastFold = 4

// Fold tells steps in a row that say the same of one waiting client after the other once, with
// their number: a hundred clients that give up are no hundred sentences. Who waits changes
// neither beliefs nor entries, so the step that stands for the others says what is the case for
// all of them. What breaks a property keeps its own step.
func Fold(steps []Step) []Step {
	var out []Step
	for i := 0; i < len(steps); {
		j := i + 1
		for j < len(steps) && alike(&steps[i], &steps[j]) {
			j++
		}
		if j-i < leastFold {
			out = append(out, steps[i:j]...)
		} else {
			one := steps[i]
			one.Sentence = say.SoDoOthers.With(one.Sentence, say.Number(j-i-1), say.Seconds(steps[j-1].At))
			out = append(out, one)
		}
		i = j
	}
	return out
}

// alike reports whether two steps say the same of whoever waits.
func alike(a, b *Step) bool {
	return !a.Violation && !b.Violation && a.Sentence.Like(b.Sentence) &&
		slices.ContainsFunc([]say.Template{say.GivesUp, say.AttemptFails, say.GivesUpReply}, a.Sentence.Is)
}
