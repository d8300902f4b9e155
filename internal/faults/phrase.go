package faults

import (
	"strings"
	"time"

	"lockstep/internal/say"
)

// phrase says the whole fault: what is done, when, and for how long. In English it is what a
// scenario would say.
func (f *Fault) phrase(deed say.Phrase) say.Phrase {
	if f.End.Until == nil {
		return f.Trigger.whole(deed, say.Phrase{})
	}
	return f.Trigger.whole(deed, f.End.Until.moment())
}

// deed says what the fault does and for how long, without when.
func (f *Fault) deed() say.Phrase {
	return saidDeed.With(f.Spec().Say(f.Args), say.Flag(f.End.Forever), span(f.End.For))
}

var (
	saidDeed  = say.New3[say.Phrase, say.Flag, span]("{deed}[forever? forever][ for {time}]", "{deed}[forever?，不再恢复][，持续 {time}]")
	saidWhen  = say.New3[say.Phrase, say.Phrase, say.Phrase]("{deed} when {moment}[ until {until}]", "{moment}时，{deed}[，直到{until}]")
	saidAfter = say.New4[say.Phrase, span, say.Phrase, say.Phrase]("{deed} {time} after {moment}[ until {until}]", "{moment}之后 {time}，{deed}[，直到{until}]")
	saidEvery = say.New3[say.Phrase, span, say.Phrase]("{deed} every {time}[ until {until}]", "每隔 {time}，{deed}[，直到{until}]")
	saidAt    = say.New3[say.Phrase, instant, say.Phrase]("{deed} at {time}[ until {until}]", "在 {time}，{deed}[，直到{until}]")
)

func (t *Trigger) whole(deed, until say.Phrase) say.Phrase {
	switch {
	case t.Moment == NoMoment && t.Every > 0:
		return saidEvery.With(deed, span(t.Every), until)
	case t.Moment == NoMoment:
		return saidAt.With(deed, instant(t.At), until)
	case t.After > 0:
		return saidAfter.With(deed, span(t.After), t.moment(), until)
	}
	return saidWhen.With(deed, t.moment(), until)
}

// moment is the trigger's moment: "A sends GET the 2nd time".
func (t *Trigger) moment() say.Phrase {
	reached := momentSaid[t.Moment].With(someone(t.Subject), command(t.Command))
	if t.Round > 0 {
		reached = saidInRound.With(reached, nth(t.Round))
	}
	if t.Behind > 0 {
		reached = saidBehind.With(reached, say.Number(t.Behind))
	}
	switch t.Nth {
	case 0:
		return saidEveryTime.With(reached)
	case 1:
		return reached
	}
	return saidNth.With(reached, nth(t.Nth))
}

var (
	saidInRound   = say.New2[say.Phrase, nth]("{moment} in its {n} round", "第 {n} 轮里{moment}")
	saidBehind    = say.New2[say.Phrase, say.Number]("{moment} after fault {n}", "故障 {n} 之后{moment}")
	saidEveryTime = say.New1[say.Phrase]("{moment} every time", "每次{moment}")
	saidNth       = say.New2[say.Phrase, nth]("{moment} the {n} time", "第 {n} 次{moment}")
)

// momentSaid are the moments, each with its subject and, those of the wire, a command.
var momentSaid = func() (out [momentCount]interface {
	With(someone, command) say.Phrase
}) {
	for kind, chinese := range momentChinese {
		english := "{who} " + strings.Replace(momentTexts[kind], "%s", "{command}", 1)
		if MomentKind(kind).OnWire() {
			out[kind] = say.New2[someone, command](english, chinese)
		} else if MomentKind(kind) != NoMoment {
			out[kind] = plainMoment{say.New1[someone](english, chinese)}
		}
	}
	return out
}()

// plainMoment is a moment that no command belongs to.
type plainMoment struct{ say.Of1[someone] }

func (p plainMoment) With(who someone, _ command) say.Phrase { return p.Of1.With(who) }

// someone is a node, or one of the words for nodes.
type someone string

// In names the node.
func (s someone) In(l say.Language) string {
	if chinese, ok := wordsForNodes[string(s)]; ok && l == say.Chinese {
		return chinese
	}
	return string(s)
}

var wordsForNodes = map[string]string{
	AnyClient: "任一客户端", TheHolder: "持有者", NextHolder: "下一个持有者", ThatClient: "那个客户端", ThePrimary: "主节点",
	TheStore: "存储", TheReplicas: "副本", Sentinels: "哨兵", "probe": "探针",
}

// side is one side of a cut: A, B and store.
type side []string

// In joins its nodes.
func (s side) In(l say.Language) string {
	names := make(say.Names, len(s))
	for i, name := range s {
		names[i] = someone(name).In(l)
	}
	return names.In(l)
}

// sides are all sides but the first one.
type sides [][]string

// In joins them.
func (s sides) In(l say.Language) string {
	between := " from "
	if l == say.Chinese {
		between = "与"
	}
	parts := make([]string, len(s))
	for i := range s {
		parts[i] = side(s[i]).In(l)
	}
	return strings.Join(parts, between)
}

// command is a command, a script or one of CommandWords.
type command string

// In names the command.
func (c command) In(l say.Language) string {
	if chinese, ok := wordsForCommands[string(c)]; ok && l == say.Chinese {
		return chinese
	}
	return string(c)
}

var wordsForCommands = map[string]string{AnyCommand: "命令", ItsAcquire: "加锁命令", ItsRelease: "解锁命令"}

// nth is the number of an occurrence: 2nd.
type nth int

// In writes the number.
func (n nth) In(l say.Language) string {
	if l == say.Chinese {
		return say.Number(n).In(l)
	}
	return Ordinal(int(n))
}

// span is a duration as a scenario writes it, said when it is not zero.
type span time.Duration

// In writes the duration.
func (s span) In(l say.Language) string {
	if s == 0 {
		return ""
	}
	return instant(s).In(l)
}

// instant is a time of a run as a scenario writes it: 15s.
type instant time.Duration

// In writes the instant.
func (i instant) In(l say.Language) string {
	text := Duration(time.Duration(i))
	if l != say.Chinese {
		return text
	}
	for _, unit := range [][2]string{{"ns", " 纳秒"}, {"us", " 微秒"}, {"ms", " 毫秒"}, {"s", " 秒"}, {"m", " 分钟"}, {"h", " 小时"}} {
		if number, ok := strings.CutSuffix(text, unit[0]); ok {
			return number + unit[1]
		}
	}
	return text
}

// offset is a duration with its sign: +3s.
type offset time.Duration

// In writes the offset.
func (o offset) In(l say.Language) string {
	text := instant(o).In(l)
	if o >= 0 {
		return "+" + text
	}
	return text
}

// optionalSpan is the value of a parameter that may be left out.
type optionalSpan struct{ length *time.Duration }

// In writes the duration.
func (o optionalSpan) In(l say.Language) string {
	if o.length == nil {
		return ""
	}
	return instant(*o.length).In(l)
}

// said is what the arguments say of a duration.
func said(a Args, name string) optionalSpan {
	if d, ok := a.Durations[name]; ok {
		return optionalSpan{&d}
	}
	return optionalSpan{}
}

// halfSaid is one half of a command: request or reply.
type halfSaid string

// In names the half.
func (h halfSaid) In(l say.Language) string {
	if l != say.Chinese {
		return string(h)
	}
	return map[string]string{Request.String(): "请求", ReplyHalf.String(): "回复"}[string(h)]
}

// rate is a change of a rate: +5%.
type rate int64

// In writes the rate.
func (r rate) In(say.Language) string { return Rate(int64(r)) }
