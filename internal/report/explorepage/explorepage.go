// Package explorepage draws the page on which a reader ticks faults and sees which locks survive
// them.
package explorepage

import (
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

//go:embed *.html *.css *.js
var files embed.FS

var design = page.NewDesign("explorepage", files)

// view is the view of the template.
type view struct {
	*results.Explored // the designs
	Head              page.Head
	Locks, Misprints  []lock // the latter are no candidates, so not in the table
	facts             *advice.Facts
	libraries         []*results.Library
	language          say.Language
}

// HTML draws a walk of the fault space as one self-contained file: the faults that break each lock,
// its costs, and, with a script, the locks that survive what the reader ticks. A lock may have no
// costs. Libraries were walked with one fault in the plain profile, so one that survives these is
// unknown.
func HTML(f *advice.Facts, libraries []*results.Library, l say.Language) ([]byte, error) {
	designs, misprints := f.Explored.DesignsAndMisprints()
	v := &view{Explored: designs, facts: f, libraries: libraries, language: l}
	v.Head = design.Head(say.Text("Which lock should I use?").In(l))
	for i := range designs.Locks {
		x := &designs.Locks[i]
		one := lock{ExploredLock: x, language: l}
		if c, ok := f.Costs[x.Lock]; ok {
			one.Costs = append([]say.Phrase{say.CostServers.With(say.Number(c.Servers))}, c.Says()...)
		}
		v.Locks = append(v.Locks, one)
	}
	for i := range misprints.Locks {
		one := lock{ExploredLock: &misprints.Locks[i], language: l}
		v.Misprints = append(v.Misprints, one)
	}
	for _, library := range libraries {
		x := &results.ExploredLock{Lock: library.Lock}
		if library.Walk != nil {
			x = &library.Walk.Locks[0]
		}
		v.Locks = append(v.Locks, lock{ExploredLock: x, library: library, language: l})
	}
	return design.Fill(l, v)
}

// Lead says what was searched, and Folded heads the stories of the locks.
func (v *view) Lead() string {
	lead := say.WalkedLocks.With(say.Number(len(v.Explored.Locks)), say.Grouped(v.Walked()), say.Number(v.Complete(1)), say.Number(v.Settled())).In(v.language)
	if n := len(v.libraries); n > 0 {
		lead += " " + say.AndLibraries.With(say.Number(n)).In(v.language)
	}
	return lead
}

func (v *view) Folded() say.Phrase {
	n := v.Walked()
	for _, one := range v.libraries {
		if one.Walk != nil {
			n += one.Walk.Walked()
		}
	}
	return say.StoriesOf.With(say.Number(len(v.Locks)), say.Grouped(n))
}

// Drawn explains pairs that were drawn at random.
func (v *view) Drawn() say.Phrase { return say.DrawnMeans.With() }

// Says are the texts of the script.
func (v *view) Says() map[string]any {
	return page.Says(v.language, map[string]string{
		results.Complete: "survives", "broken": "breaks", "unknown": "unknown", results.Sampled: "none found", results.NotSearched: "not searched",
		"answer": "{n} of {of} locks survive what you ticked; for {found} more nothing was found that breaks them.",
	})
}

// Asks are the questions.
func (v *view) Asks() []advice.Ask { return advice.Asks() }

// Presets tick the faults to expect for each choice of the first question.
func (v *view) Presets() (all []advice.Question) {
	for _, c := range advice.Haves() {
		q := advice.Question{Have: c.ID, IfTwo: advice.Duplicate, Tokens: advice.No}
		if len(q.Stores()) > 0 {
			all = append(all, q)
		}
	}
	return all
}

// answer is an answer to all questions.
type answer struct{ advice.Answer }

// row has the answers for one choice of "What do you have?".
type row struct {
	Have    say.Words
	Answers []answer
}

// Table answers all questions.
func (v *view) Table() (rows []row) {
	for _, q := range advice.Questions() {
		a := answer{advice.To(q, v.facts)}
		if n := len(rows); n == 0 || rows[n-1].Have != a.HaveName() {
			rows = append(rows, row{Have: a.HaveName()})
		}
		last := &rows[len(rows)-1]
		last.Answers = append(last.Answers, a)
	}
	return rows
}

// Class is the style of an answer.
func (a *answer) Class() string {
	switch {
	case a.Survives():
		return "kept"
	case a.Nearest == "" && a.Best != nil && a.Best.Verdict == results.Broken:
		return "broken"
	}
	return "unknown"
}

// Lock is the name of the lock of an answer, or says that there is none.
func (a *answer) Lock() say.Part {
	switch {
	case a.Nearest != "":
		return say.Text("not in this program")
	case a.Best == nil:
		return say.Text("not searched")
	}
	return locks.Name(a.Best.Lock)
}

// ID is the lock of an answer; "" for none.
func (a *answer) ID() string {
	if a.Nearest != "" || a.Best == nil {
		return ""
	}
	return a.Best.Lock
}

// Near is the closest question that has an answer; nil if this one has.
func (a *answer) Near() *advice.Question {
	if a.Nearest == "" {
		return nil
	}
	return &advice.Question{Have: a.Nearest, IfTwo: a.IfTwo, Tokens: a.Tokens}
}

// Story is a story that breaks the lock of an answer; "" for none.
func (a *answer) Story() string {
	if a.ID() == "" {
		return ""
	}
	return sanitize.Text(a.Best.Story, sanitize.MaxLine)
}

// Play plays a story.
func (v *view) Play(story string) string { return play(story) }
func (s *set) Play() string              { return play(s.Name) }

func play(story string) string {
	if story == "" {
		return ""
	}
	return "simulate run " + shell.Word(story)
}

// Harms are the columns of the table of answers.
func (v *view) Harms() []say.Words { return advice.Harms() }

// Under passes names of columns to the style, for narrow screens with one cell per line.
func (v *view) Under() template.CSS { return under(advice.Harms(), v.language) }

func (v *view) UnderSets() template.CSS {
	return under(each.Map(checker.Ways(), checker.Way.Means), v.language)
}

func under[P say.Part](columns []P, l say.Language) template.CSS {
	var b strings.Builder
	for i, name := range columns {
		fmt.Fprintf(&b, "--u%d:%q;", i, name.In(l))
	}
	return template.CSS(b.String()) // our own texts
}

// Targets are what kinds of faults hit, and Kinds those that hit it.
func (v *view) Targets() []faultkind.Target { return faultkind.Targets() }
func (v *view) Kinds(of faultkind.Target) []faultkind.Kind {
	return slices.DeleteFunc(faultkind.All(), func(k faultkind.Kind) bool { return k.Hits != of })
}

// Ways are the ways of breaking.
func (v *view) Ways() []checker.Way { return checker.Ways() }
func (x *lock) Ways() []checker.Way { return checker.Ways() }

// Stores are those of the locks, as in the ticks.
func (v *view) Stores() (all []string) {
	for i := range v.Locks {
		if kept := v.Locks[i].Kept(); kept != "" {
			all = append(all, kept)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// lock is what it takes to break a lock.
type lock struct {
	*results.ExploredLock
	library  *results.Library // nil for a lock of this program
	Costs    []say.Phrase
	language say.Language
}

// Name is the common name of a lock, and Kept its store, as in the ticks.
func (x *lock) Name() say.Words { return locks.Name(x.Lock) }

func (x *lock) Kept() string {
	v, _ := locks.Lookup(x.Lock)
	return string(v.Store)
}

// Store is the store of a lock, or what a library is.
func (x *lock) Store() string {
	if x.library != nil {
		return x.library.Library + " " + x.library.Version
	}
	return x.Kept()
}

// Idea is the idea of a known lock.
func (x *lock) Idea() string {
	if v, ok := locks.Lookup(x.Lock); ok {
		return v.Doc(x.language).Idea
	}
	return ""
}

// Searched is the number of schedules, and Unknown says why it is unknown whether the lock
// survives; empty if every schedule was judged.
func (x *lock) Searched() say.Phrase { return say.SchedulesWalked.With(say.Grouped(x.Walked)) }

func (x *lock) Unknown() say.Phrase {
	n := x.Cut + int64(len(x.Doubts))
	switch {
	case x.library != nil && x.Complete > 0:
		return say.Text("searched with one fault in the plain profile only")
	case n > 0:
		return say.SchedulesUnknown.With(say.Grouped(n))
	case x.Complete == 0:
		return say.Text("not searched")
	}
	return say.Phrase{}
}

// Class is the style of a certainty.
func (x *lock) Class(how string) string { return strings.ReplaceAll(how, " ", "-") }

// Tone is the style of a way of breaking without a set.
func (x *lock) Tone() string {
	if x.Cut > 0 || len(x.Doubts) > 0 {
		return results.Sampled // as open as what was drawn
	}
	return x.Class(x.Survives())
}

// set is a set of faults that breaks a lock.
type set struct {
	results.CutSet
	ID string
}

// Sets are the sets for a way of breaking.
func (x *lock) Sets(way checker.Way) (all []set) {
	for n, s := range x.By(way) {
		all = append(all, set{s, fmt.Sprintf("%s-%s-%d", sanitize.FileName(x.Lock), way, n+1)})
	}
	return all
}

// Alone are the sets of one kind, or of none; Pairs are the others.
func (x *lock) Alone(way checker.Way) []set {
	return slices.DeleteFunc(x.Sets(way), func(s set) bool { return len(s.Kinds) > 1 })
}

func (x *lock) Pairs(way checker.Way) []set {
	return slices.DeleteFunc(x.Sets(way), func(s set) bool { return len(s.Kinds) <= 1 })
}

// Together is the number of pairs.
func (x *lock) Together(pairs []set) say.Phrase { return say.SoManyPairs.With(say.Number(len(pairs))) }

// Hung are the sets, apart from others, by which all clients wait while work hangs.
func (x *lock) Hung(way checker.Way) []set {
	if way != checker.NoProgress {
		return nil
	}
	return x.Sets(checker.Hung)
}

// None says why there is no set for a way of breaking; empty if there is one.
func (x *lock) None(way checker.Way) say.Phrase {
	if len(x.By(way)) > 0 {
		return say.Phrase{}
	}
	return x.WithoutSet(way)
}

// Words are the kinds of a set.
func (s *set) Words() say.Part {
	if len(s.Kinds) == 0 {
		return say.Text("no fault at all")
	}
	return say.Verbatim(strings.Join(s.Kinds, " + "))
}
