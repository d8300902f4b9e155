package explain

import (
	"slices"

	"lockstep/internal/say"
)

// leastFold is how many steps or rounds in a row must say the same to be folded.
const leastFold = 4

// longestRound is how many steps a repeated round may have.
const longestRound = 6

// fold replaces steps in a row that say the same, or rounds of such steps, by one with their
// number: clients that give up, or a client that keeps trying without success. They change no
// belief. Violations, and steps that decide one, are not folded.
//
// It is done twice, since a folded step can be part of a round: each try may ask five servers.
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

// rounds returns the size of the shortest repeated round at the beginning of the steps, and how
// often it is repeated.
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

// alike reports whether the round with an index says the same as the first one.
func alike(steps []Step, size, round int) bool {
	if (round+1)*size > len(steps) {
		return false
	}
	for k := range size {
		if next := &steps[round*size+k]; !foldable(next) || !next.alone().Like(steps[k].alone()) || next.folds != steps[k].folds {
			return false
		}
	}
	return true
}

// foldable reports whether a step is about a client's attempt or about a message.
func foldable(s *Step) bool {
	return !s.Violation && !s.Decides && slices.ContainsFunc([]say.Template{
		say.GivesUp, say.AttemptFails, say.GivesUpReply, say.HasItAllTheSame,
		say.ArrivesLate, say.IsExecutedLate, say.HearsLate, say.RequestIsLost, say.ReplyIsLost,
		say.Grants, say.GrantsEndless, say.HasNewEntry, say.RemovesOwn, say.SetsLease, say.WritesItAnew, say.RenewsWithoutLock,
		say.LeaseIsOver,
	}, s.alone().Is)
}

// alone is the sentence of a step about itself, without those that it stands for.
func (s *Step) alone() say.Phrase {
	if s.before.Empty() {
		return s.Sentence
	}
	return s.before
}
