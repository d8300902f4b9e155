// Package logpage draws the verdicts on the log of a lock in production, and a picture of each
// violation.
package logpage

import (
	"embed"
	"fmt"
	"html/template"
	"slices"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/logcheck"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("logpage", files)

// Log is a judged log, and how it was judged.
type Log struct {
	Language say.Language
	Name     string // of the file
	Again    string // the command line that judges it again
	Rules    logcheck.Rules
	Result   *logcheck.Result
}

// Limits of the page, which says what it leaves out.
const (
	maxViolations = 60
	maxLocks      = 50
)

// logView is the view of the template; all texts are clean.
type logView struct {
	Head        page.Head
	Title, Meta string
	Lead, Again string
	Properties  []propertyView
	Notes       []string
	Violations  []violationView
	More        string // the number of violations not drawn; "" for none
	Locks       [][]string
	MoreLocks   string
	Rules       [][2]string
}

type propertyView struct{ Name, Class, Sign, Verdict, Count string }

type violationView struct {
	ID, Class, Head, Says string
	Together              string // for how long; "" of a write
	Strip                 template.HTML
	Table                 figure.Table
	Quotes                []logcheck.Quoted
}

// classes are the style of each verdict, and its sign for readers who do not see colours.
var classes = map[logcheck.Verdict][2]string{
	logcheck.Certain: {"broken", "✗"}, logcheck.Possible: {"unknown", "?"}, logcheck.Unknown: {"unknown", "?"}, logcheck.None: {"kept", "✓"},
}

// HTML draws the log as one self-contained file.
func HTML(l *Log) ([]byte, error) {
	r := l.Result
	v := logView{
		Head: design.Head(sanitize.Text(l.Name, sanitize.MaxLine), strip.CSS), Title: sanitize.Text(l.Name, sanitize.MaxLine), Again: sanitize.Text(l.Again, sanitize.MaxLine),
		Lead: l.say(r.Words()),
		Properties: []propertyView{
			l.property("two holders", r.Overlap(), r.Overlaps), l.property("stale writes", r.StaleWrite(), r.StaleWrites),
		},
		Rules: [][2]string{
			{l.text("clock error, either way"), l.rule(l.Rules.ClockError, l.Rules.Assumed.ClockError)},
			{l.text("released lines, after the release by up to"), l.rule(l.Rules.ReleasedAfter, l.Rules.Assumed.ReleasedAfter)},
			{l.text("lease"), l.lease()},
		},
	}
	first, last := "", ""
	if r.Events > 0 {
		first, last = l.Result.Unit.At(r.First), l.Result.Unit.At(r.Last)
	}
	v.Meta = l.say(say.LogLines.With(say.Grouped(r.Lines), say.Verbatim(r.FormatName()), say.Grouped(r.Locks), say.Verbatim(first), say.Verbatim(last)))
	if r.Writes == 0 {
		v.Properties[1].Class, v.Properties[1].Sign, v.Properties[1].Verdict = "unknown", "", l.say(say.LogNoWrites.With())
	}
	v.Notes = each.Map(slices.Concat(r.Doubts, r.Remarks), l.say)
	for i, one := range r.Violations[:min(len(r.Violations), maxViolations)] {
		v.Violations = append(v.Violations, l.violation(i+1, one))
	}
	if more := len(r.Violations) - maxViolations; more > 0 {
		v.More = l.say(say.LogMore.With(say.Number(more)))
	}
	v.Locks = each.Map(r.Findings[:min(len(r.Findings), maxLocks)], l.lock)
	if len(r.Findings) > maxLocks {
		v.MoreLocks = l.say(say.LogMoreLocks.With(say.Number(r.Locks - maxLocks)))
	}
	return design.Fill(l.Language, v)
}

func (l *Log) say(p say.Phrase) string { return sanitize.Text(p.In(l.Language), sanitize.MaxProse) }

func (l *Log) text(english string) string { return say.Text(english).In(l.Language) }

func (l *Log) lease() string {
	if l.Rules.Lease == 0 {
		return l.text("not stated")
	}
	return say.Planned(l.Rules.Lease).In(l.Language)
}

// rule is a time, and whether it was assumed.
func (l *Log) rule(d time.Duration, assumed bool) string {
	if assumed {
		return l.say(say.LogNotGiven.With(say.Planned(d)))
	}
	return say.Planned(d).In(l.Language)
}

func (l *Log) property(name string, v logcheck.Verdict, n logcheck.Count) propertyView {
	look := classes[v]
	return propertyView{l.text(name), look[0], look[1], l.text(string(v)), l.count(n)}
}

func (l *Log) count(n logcheck.Count) string {
	return l.say(say.LogCounts.With(say.Number(n.Certain), say.Number(n.Possible), say.Flag(n.AtLeast)))
}

func (l *Log) lock(f logcheck.Finding) []string {
	contended := "-"
	if f.Contended {
		contended = l.text("yes")
	}
	return []string{
		sanitize.Text(f.Lock, sanitize.MaxName), l.text(string(f.Verdict())), fmt.Sprint(f.Acquired), contended,
		l.count(f.Overlaps), l.count(f.StaleWrites),
	}
}

func (l *Log) violation(number int, v *logcheck.Violation) violationView {
	verdict := logcheck.Possible
	if v.Certain {
		verdict = logcheck.Certain
	}
	at, _, _ := v.Shown()
	view := violationView{
		ID: fmt.Sprintf("v%d", number), Class: classes[verdict][0], Says: l.say(v.Words()),
		Head:     fmt.Sprintf("%s %d · %s · %s · %s", classes[verdict][1], number, l.text(string(verdict)), sanitize.Text(v.Lock, sanitize.MaxName), l.Result.Unit.At(at)),
		Strip:    template.HTML(l.picture(v)), // our own HTML, with all texts escaped
		Table:    figure.Table{Head: say.Texts(l.Language, "client", "acquired", "line", "last heard of", "line", "held at most until")},
		Together: l.say(v.TogetherWords()),
	}
	view.Quotes = each.Map(v.Quotes, func(q logcheck.Quoted) logcheck.Quoted {
		return logcheck.Quoted{Place: sanitize.Text(q.Place, sanitize.MaxLine), Text: sanitize.Text(q.Text, sanitize.MaxLine)}
	})
	for _, h := range v.Holds {
		until := l.text("not known")
		if end := h.Possible(); end < l.Result.Last || h.Ending == logcheck.ByLine {
			until = l.Result.Unit.At(end)
		}
		view.Table.Rows = append(view.Table.Rows, []string{
			sanitize.Text(h.Client, sanitize.MaxName), l.Result.Unit.At(h.At), v.Place(h.Line), l.Result.Unit.At(h.Heard), v.Place(h.HeardLine), until,
		})
	}
	return view
}
