package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The sentences about re-entry.

// reenters is left to the outcome if that follows at once.
func reenters(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.own(i, e.Node, history.Reentered, history.ReenterFailed) >= 0 {
		return nothing
	}
	return say.AsksAgain.With(t.who(e.Node))
}

func reentered(t *narrator, i int32, e *history.Event) say.Phrase {
	var depth say.Optional
	if e.Value > 1 {
		depth = say.Optional(e.Value)
	}
	var late say.OptionalSpan
	if asked := t.asked(i, e); asked != nil && e.At.Sub(asked.At) >= together {
		late = say.OptionalSpan(e.At.Sub(asked.At))
	}
	return say.TakesOnceMore.With(t.who(e.Node), depth, late)
}

// asked returns the Reenters event of an outcome, or nil.
func (t *narrator) asked(i int32, outcome *history.Event) *history.Event {
	for _, e := range t.h.Before(i, timeline.Ever) {
		if e.Kind == history.Reenters && e.Node == outcome.Node {
			return e
		}
	}
	return nil
}

// reenterFailed says whether the client's own entry was in its way.
func reenterFailed(t *narrator, _ int32, e *history.Event) say.Phrase {
	if t.Held(e.Node) != nil {
		return say.IsInItsOwnWay.With(t.who(e.Node))
	}
	return say.NotOnceMore.With(t.who(e.Node), t.reason(e))
}

func left(t *narrator, _ int32, e *history.Event) say.Phrase {
	if t.h.Text(e.Text) != "" {
		return say.InnerReleaseFails.With(t.who(e.Node), t.reason(e))
	}
	return say.GivesBackOnce.With(t.who(e.Node))
}
