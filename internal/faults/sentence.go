package faults

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// Sentence is the whole fault for readers: who does what, for how long, and when.
func (f *Fault) Sentence() say.Phrase {
	if f.Verb == (Verb{}) {
		return say.Verbatim(f.Text).Phrase()
	}
	t := &f.Trigger
	of := f.description()
	if f.Target == ThatClient && t.Moment != NoMoment {
		of.who.name = t.Subject
	}
	of.who.named = t.Moment != NoMoment && f.Target != "" && of.who.name == t.Subject
	if f.Verb.spec.OnWire && t.Moment.OnWire() && t.After == 0 {
		of.of = t
		return f.action(of)
	}
	action := f.action(of)
	until := say.Phrase{}
	if f.End.Until != nil {
		until = f.End.Until.moment(someone(f.End.Until.Subject))
	}
	var who say.Part = someone(t.Subject)
	if of.who.named && strings.HasPrefix(action.English(), of.who.In(say.English)+" ") {
		who = it(t.Subject)
	}
	switch {
	case t.Moment == NoMoment && t.Every > 0:
		return textEvery.With(action, say.Planned(t.Every), until)
	case t.Moment == NoMoment:
		return textAt.With(action, say.Planned(t.At), until)
	case t.After > 0:
		return textAfter.With(action, say.Planned(t.After), say.Flag(t.Nth == 0), t.moment(who), say.Flag(!of.who.named), until)
	case t.Nth == 0:
		return textEveryTime.With(action, t.moment(who), say.Flag(!of.who.named), until)
	}
	return textWhen.With(action, t.moment(who), say.Flag(!of.who.named), until)
}

// Action is the same without when.
func (f *Fault) Action() say.Phrase { return f.action(f.description()) }

// description puts the client of the moment in the place of "that client" on the sides of a cut.
func (f *Fault) description() Description {
	t := Description{Args: f.Args, who: actor{name: f.Target}}
	if f.Trigger.Moment == NoMoment || f.Trigger.Subject == AnyClient {
		return t
	}
	t.Sides = slices.Clone(t.Sides)
	for i, side := range t.Sides {
		if k := slices.Index(side, ThatClient); k >= 0 {
			t.Sides[i] = slices.Replace(slices.Clone(side), k, k+1, f.Trigger.Subject)
		}
	}
	return t
}

func (f *Fault) action(of Description) say.Phrase {
	return textAction.With(f.Verb.spec.Describe(of), lasting{f.End, f.Verb.Name() == "pause"})
}

// In Chinese the moment comes first. An action with the same subject leaves it out; otherwise (apart)
// a comma stands between them.
var (
	textAction    = say.New2[say.Phrase, lasting]("{action}{lasting}")
	textWhen      = say.New4[say.Phrase, say.Phrase, say.Flag, say.Phrase]("{action} when {moment}[apart?][ until {until}]")
	textEveryTime = say.New4[say.Phrase, say.Phrase, say.Flag, say.Phrase]("{action} every time {moment}[apart?][ until {until}]")
	textAfter     = say.New6[say.Phrase, say.Planned, say.Flag, say.Phrase, say.Flag, say.Phrase](
		"{action}, {time} after[each? each time] {moment}[apart?][ until {until}]")
	textEvery = say.New3[say.Phrase, say.Planned, say.Phrase]("{action} every {time}[ until {until}]")
	textAt    = say.New3[say.Phrase, say.Planned, say.Phrase]("{action} at {time}[ until {until}]")
)

// moment is the trigger's moment for readers, with its number if that is more than one.
func (t *Trigger) moment(who say.Part) say.Phrase {
	reached := moments[t.Moment].sentence(subject{who}, command(t.Command))
	if t.Round > 0 {
		reached = textInRound.With(reached, ordinal(t.Round))
	}
	if t.AfterFault > 0 {
		reached = textAfterFault.With(reached, say.Number(t.AfterFault))
	}
	if t.Nth > 1 {
		reached = textNth.With(reached, ordinal(t.Nth))
	}
	return reached
}

var (
	textInRound    = say.New2[say.Phrase, ordinal]("{moment} in its {n} round")
	textAfterFault = say.New2[say.Phrase, say.Number]("{moment} after fault {n}")
	textNth        = say.New2[say.Phrase, ordinal]("{moment} the {n} time")
)

// Description is what Spec.Describe makes a sentence of.
type Description struct {
	Args
	who actor
	of  *Trigger // of a verb on the wire: its command; nil when only the action is described
}

// actor is the node that a verb names. Chinese leaves it out if the moment has named it.
type actor struct {
	name  string
	named bool
}

func (a actor) In(l say.Language) string {
	if a.named && l == say.Chinese {
		return ""
	}
	return someone(a.name).In(l)
}

// whose is the possessive of an actor.
type whose struct{ actor }

func (w whose) In(l say.Language) string {
	name := w.actor.In(l)
	if name == "" { // Chinese leaves it out
		return ""
	}
	return name + say.Words("'s").In(l)
}

type subject struct{ say.Part }

// it is a subject that the action has named, which in Chinese comes later.
type it string

func (i it) In(l say.Language) string {
	if l == say.Chinese {
		return someone(i).In(l)
	}
	return "it"
}

// someone is a node, or one of the words for nodes.
type someone string

func (s someone) In(l say.Language) string {
	if words, ok := wordsForNodes[string(s)]; ok {
		return words.In(l)
	}
	return string(s)
}

var wordsForNodes = map[string]say.Words{
	AnyClient: AnyClient, TheHolder: TheHolder, NextHolder: NextHolder, ThatClient: ThatClient, ThePrimary: ThePrimary,
	TheStore: "the store", TheReplicas: "the replicas", Sentinels: "the sentinels", "probe": "the probe",
}

// side is one side of a cut: A, B and the store.
type side []string

func (s side) In(l say.Language) string {
	names := make(say.Names, len(s))
	for i, name := range s {
		names[i] = someone(name).In(l)
	}
	return names.In(l)
}

// sides are all sides but the first one.
type sides [][]string

func (s sides) In(l say.Language) string {
	parts := make([]string, len(s))
	for i := range s {
		parts[i] = side(s[i]).In(l)
	}
	return strings.Join(parts, say.Words(" from ").In(l))
}

// command is a command, a script or one of CommandWords.
type command string

func (c command) In(l say.Language) string {
	if words, ok := wordsForCommands[string(c)]; ok {
		return words.In(l)
	}
	return string(c)
}

var wordsForCommands = map[string]say.Words{
	AnyCommand: "a command", ItsAcquire: "its request to acquire", ItsRelease: "its request to release",
}

// message is one half of a command: the reply to A's 2nd SET.
type message struct {
	half string
	of   *Trigger // nil: of no command in particular
}

func (m message) In(l say.Language) string {
	reply := m.half == ReplyHalf.String()
	if m.of == nil {
		return map[bool]say.Words{false: "the request", true: "the reply"}[reply].In(l)
	}
	t := m.of
	name := command(t.Command).In(l)
	for _, article := range []string{"a ", "its "} {
		name = strings.TrimPrefix(name, article)
	}
	what := textCommand.With(whose{actor{name: t.Subject}}, nth(t.Nth), say.Verbatim(name))
	if t.Nth == 0 {
		what = textEachCommand.With(say.Verbatim(name), someone(t.Subject))
	}
	if t.Round > 0 {
		what = textCommandInRound.With(what, ordinal(t.Round))
	}
	if t.AfterFault > 0 {
		what = textCommandAfterFault.With(what, say.Number(t.AfterFault))
	}
	if reply {
		what = textReply.With(what)
	}
	return what.In(l)
}

var (
	textCommand           = say.New3[whose, nth, say.Verbatim]("{who}[ {n}] {command}")
	textEachCommand       = say.New2[say.Verbatim, someone]("every {command} of {who}")
	textCommandInRound    = say.New2[say.Phrase, ordinal]("{command} in its {n} round")
	textCommandAfterFault = say.New2[say.Phrase, say.Number]("{command} after fault {n}")
	textReply             = say.New1[say.Phrase]("the reply to {command}")
)

// nth is the number of an occurrence, left out for the first: 2nd.
type nth int

func (n nth) In(l say.Language) string {
	if n <= 1 {
		return ""
	}
	return ordinal(n).In(l)
}

// ordinal is the number of a round or an occurrence: 1st.
type ordinal int

func (o ordinal) In(l say.Language) string {
	if l == say.Chinese {
		return say.Number(o).In(l)
	}
	return Ordinal(int(o))
}

// lasting is how long an action lasts: for 9.4 s.
type lasting struct {
	end  End
	bare bool // in Chinese only the time
}

func (e lasting) In(l say.Language) string {
	switch long := say.Planned(e.end.For); {
	case e.end.Forever:
		return say.Words(" for good").In(l)
	case e.end.For == 0:
		return ""
	case e.bare && l == say.Chinese:
		return " " + long.In(l)
	default:
		return lastsFor.With(long).In(l)
	}
}

var lastsFor = say.New1[say.Planned](" for {time}")

// rate is how much a rate changes, without its sign: 5%.
type rate int64

func (r rate) In(say.Language) string { return strings.TrimLeft(Rate(int64(r)), "+-") }
