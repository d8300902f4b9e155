package explain

import (
	"slices"

	"lockstep/internal/say"
)

// leastFold is how often steps in a row have to say the same to be told as one.
const leastFold = 4

// longestRound is of how many steps a round may consist that repeats itself: a client asks, is
// given an entry, hears late of it, gives it back.
const longestRound = 6

// fold tells steps in a row that say the same once, with their number: a hundred clients that give
// up are no hundred sentences, and neither are the rounds of one that tries in vain. They change no
// belief, so what stands for the others says what is the case for all of them. What breaks a
// property, or decides that it does, keeps its own step.
//
// What stands for others can be part of a round itself, as where each try goes to five servers.
func fold(steps []Step) []Step { return foldOnce(foldOnce(steps)) }

func foldOnce(steps []Step) []Step {
	var out []Step
	for i := 0; i < len(steps); {
		size, times := rounds(steps[i:])
		if times < leastFold {
			out = append(out, steps[i])
			i++
			continue
		}
		out = append(out, steps[i:i+size]...)
		i += size * times
		last := &out[len(out)-1]
		if last.before.Empty() {
			last.before, last.folds = last.Sentence, times
		}
		if size == 1 {
			last.Sentence = say.SoDoOthers.With(last.Sentence, say.Number(times-1), say.Seconds(steps[i-1].At))
		} else {
			last.Sentence = say.SoItGoesOn.With(last.Sentence, say.Number(size), say.Number(times-1), say.Seconds(steps[i-1].At))
		}
	}
	return out
}

// rounds returns of how many steps the shortest round consists with which the steps begin, and how
// often it comes.
func rounds(steps []Step) (size, times int) {
	for size = 1; size <= longestRound && size <= len(steps); size++ {
		if !foldable(&steps[size-1]) {
			return 1, 1
		}
		times = 1
		for alike(steps, size, times) {
			times++
		}
		if times >= leastFold {
			return size, times
		}
	}
	return 1, 1
}

// alike reports whether the round after so many rounds says the same as the first.
func alike(steps []Step, size, times int) bool {
	if (times+1)*size > len(steps) {
		return false
	}
	for k := range size {
		if next := &steps[times*size+k]; !foldable(next) || !next.alone().Like(steps[k].alone()) || next.folds != steps[k].folds {
			return false
		}
	}
	return true
}

// foldable reports whether a step says something of a client that tries, or of a message.
func foldable(s *Step) bool {
	return !s.Violation && !s.Decides && slices.ContainsFunc([]say.Template{
		say.GivesUp, say.AttemptFails, say.GivesUpReply, say.HasItAllTheSame,
		say.ArrivesLate, say.IsExecutedLate, say.HearsLate, say.RequestIsLost, say.ReplyIsLost,
		say.Grants, say.GrantsEndless, say.HasNewEntry, say.RemovesOwn, say.SetsLease, say.WritesItAnew, say.RenewsWithoutLock,
		say.LeaseIsOver,
	}, s.alone().Is)
}

// alone is what a step says, without what it stands for.
func (s *Step) alone() say.Phrase {
	if s.before.Empty() {
		return s.Sentence
	}
	return s.before
}
