package explain

import (
	"cmp"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

func (t *narrator) name(id history.NodeID) string { return t.h.Name(id) }

func (t *narrator) names(ids []history.NodeID) say.Names {
	out := make(say.Names, len(ids))
	for i, id := range ids {
		out[i] = t.name(id)
	}
	return out
}

// who is a node in a sentence.
func (t *narrator) who(id history.NodeID) say.Node {
	switch t.h.Role(id) {
	case history.RoleStore:
		return say.Store(t.name(id), t.Stores == 1)
	case history.RoleResource:
		return say.Resource()
	case history.RoleProbe:
		return say.Probe()
	case "":
		return say.Node{}
	}
	return say.Client(t.name(id))
}

// fault is what a fault does, without when: by the header, or by the event in a log from elsewhere.
func (t *narrator) fault(e *history.Event) say.Part {
	f := t.h.Fault(e.Value)
	if known, ok := faults.Of(f.Values); ok {
		if known.Target != "" && e.Node != 0 { // it may be a word, such as "that client"
			known.Target = t.name(e.Node)
		}
		// Of one client it tells which message; "any client's SET" would seem to be each.
		if of := known.Trigger; known.Spec().OnWire && t.h.Node(of.Subject) != 0 {
			known.Trigger = faults.Trigger{Moment: of.Moment, Subject: of.Subject, Command: of.Command, Nth: 1}
			return action{known.Sentence()}
		}
		return action{known.Action()}
	}
	return say.Verbatim(strings.TrimSuffix(short(cmp.Or(t.h.Text(e.Text), f.Text), 90), "."))
}

// action is what a fault does, cut to a sentence's length.
type action struct{ say.Phrase }

func (d action) In(l say.Language) string { return short(d.Phrase.In(l), 90) }

// short cuts a text to n runes and an ellipsis.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "..."
}

// command returns the command that caused an event: SET, or the name of a script. It may be
// unknown.
func (t *narrator) command(index int32) say.Command {
	if _, sent := t.h.Request(index); sent != nil {
		return commandNamed(t.h.Op(sent.Text))
	}
	return say.Command{}
}

// commandNamed is the command of a request.
func commandNamed(op *history.Op) say.Command {
	return say.Command{Name: short(op.Name, 30), Script: op.Script}
}
