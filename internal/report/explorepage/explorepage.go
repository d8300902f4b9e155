// Package explorepage draws the page on which a reader ticks faults and sees which locks survive them.
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
	"lockstep/internal/locks"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

//go:embed explorepage.css
var exploreCSS string

//go:embed explorepage.html
var exploreFiles embed.FS

//go:embed explorepage.js
var exploreJS string

var exploreScript = page.NewScript("explorepage", exploreJS)

var exploreTemplate = page.Template(exploreFiles, "explorepage.html")

// named is a kind of fault or a usage profile, with one sentence about it.
type named struct{ Name, Summary string }

// exploreView is the view of the template; all texts are clean.
type exploreView struct {
	Head      page.Head
	Lead      string
	Folded    string // heading of the stories of the locks
	Asks      []askView
	Harms     []string     // the columns of the table of answers
	Under     template.CSS // the same, for narrow screens
	UnderSets template.CSS // the ways of breaking, for narrow screens
	Answers   []answerView
	Table     []answerRow
	Presets   []presetView
	Groups    []kindGroupView
	Ways      []string
	Stores    []string
	Locks     []exploredView
	Misprints []exploredView // no candidates, so not in the table
	Profiles  []named
	Classes   []string
	Drawn     string            // explains pairs that were drawn at random
	Says      map[string]string // the texts of the script
}

type kindGroupView struct {
	Name  string
	Kinds []named
}

type exploredView struct {
	Lock, Name, Store, Walked, Idea string
	Kept                            string // the store, as in the ticks
	Unknown                         string // "" if every schedule was judged
	Survives                        string // certainty that it survives, as in the measurements
	Class                           string // the style of Survives
	Rests                           []restView
	Costs                           []string
	Ways                            []exploredWay
}

// restView is the basis for a lock to survive: worlds by how they were searched.
type restView struct{ Class, Says string }

type exploredWay struct {
	Head, None string // None: the text without a set; "" with one
	Sets       []cutSetView
	Together   string       // the number of sets of several kinds
	Hung       []cutSetView // separate from Sets: all clients wait while work hangs
}

// Alone are the sets of one kind, or of none; Pairs are the others.
func (w exploredWay) Alone() []cutSetView { return w.of(false) }
func (w exploredWay) Pairs() []cutSetView { return w.of(true) }

func (w exploredWay) of(several bool) (out []cutSetView) {
	for _, s := range w.Sets {
		if strings.Contains(s.Kinds, " ") == several {
			out = append(out, s)
		}
	}
	return out
}

type cutSetView struct {
	ID, Kinds, Words, Text, Profile, Command string
}

// HTML draws a walk of the fault space as one self-contained file: the faults that break each lock, its
// costs, and, with a script, the locks that survive what the reader ticks. A lock may have no costs.
// Libraries were walked with one fault in the plain profile, so one that survives these is unknown.
func HTML(f *advice.Facts, libraries []*results.Library, l say.Language) ([]byte, error) {
	x := f.Explored
	in := func(p say.Phrase) string { return p.In(l) }
	word := func(english string) string { return in(say.Text(english)) }
	designs, misprints := x.Apart()
	v := exploreView{
		Asks: asks(l), Presets: presets(l),
		Drawn: in(say.DrawnMeans.With()),
		Head:  page.NewHead(word("Which lock should I use?"), exploreCSS).Scripted(exploreScript),
		Lead:  in(say.WalkedLocks.With(say.Number(len(designs.Locks)), say.Grouped(designs.Walked()), say.Number(designs.Complete(1)), say.Number(designs.Settled()))),
		Says: map[string]string{
			results.Complete: word("survives"), "broken": word("breaks"), "unknown": word("unknown"),
			results.Sampled: word("none found"), results.NotSearched: word("not searched"),
			"answer": word("{n} of {of} locks survive what you ticked; for {found} more nothing was found that breaks them."),
		},
	}
	for _, said := range advice.Harms() {
		v.Harms = append(v.Harms, said.In(l))
	}
	v.answers(f, l)
	for _, way := range checker.Ways() {
		v.Ways = append(v.Ways, in(way.Means()))
	}
	v.Under, v.UnderSets = under(v.Harms), under(v.Ways)
	v.Groups = groups(l)
	for _, w := range x.Scope.Profiles {
		v.Profiles = append(v.Profiles, named{sanitize.Text(w.Name, sanitize.MaxName), word(sanitize.Text(w.Summary, sanitize.MaxLine))})
	}
	for _, c := range x.Scope.Classes {
		v.Classes = append(v.Classes, word(sanitize.Text(c, sanitize.MaxLine)))
	}
	for i := range designs.Locks {
		view := newExploredView(&designs.Locks[i], x.Scope.Faults, l)
		if c, ok := f.Costs[designs.Locks[i].Lock]; ok {
			view.Costs = costLines(c, l)
		}
		v.Locks = append(v.Locks, view)
	}
	for i := range misprints.Locks {
		v.Misprints = append(v.Misprints, newExploredView(&misprints.Locks[i], x.Scope.Faults, l))
	}
	v.Folded = in(say.StoriesOf.With(say.Number(len(designs.Locks)+len(libraries)), say.Grouped(walkedIn(designs, libraries))))
	if len(libraries) > 0 {
		v.Lead += " " + in(say.AndLibraries.With(say.Number(len(libraries))))
	}
	for _, one := range libraries {
		v.Locks = append(v.Locks, libraryView(one, l))
	}
	for i := range v.Locks {
		if kept := v.Locks[i].Kept; kept != "" {
			v.Stores = append(v.Stores, kept)
		}
	}
	slices.Sort(v.Stores)
	v.Stores = slices.Compact(v.Stores)
	return exploreTemplate.Fill(l, v)
}

// walkedIn counts the schedules walked of designs and libraries.
func walkedIn(designs *results.Explored, libraries []*results.Library) int64 {
	n := designs.Walked()
	for _, one := range libraries {
		if one.Walk != nil {
			n += one.Walk.Walked()
		}
	}
	return n
}

// groups are the kinds of faults, grouped by target.
func groups(l say.Language) (out []kindGroupView) {
	for _, target := range faultkind.Targets() {
		group := kindGroupView{Name: say.Text(string(target)).In(l)}
		for _, k := range faultkind.All() {
			if k.Hits == target {
				group.Kinds = append(group.Kinds, named{k.Name, k.Summary.In(l)})
			}
		}
		out = append(out, group)
	}
	return out
}

// costLines lists the costs of a lock.
func costLines(c results.Cost, l say.Language) []string {
	lines := []string{say.CostServers.With(say.Number(c.Servers)).In(l)}
	for _, p := range c.Says() {
		lines = append(lines, p.In(l))
	}
	return lines
}

func newExploredView(x *results.ExploredLock, most int, l say.Language) exploredView {
	v := exploredView{Lock: sanitize.Text(x.Lock, sanitize.MaxName), Name: locks.Name(x.Lock).In(l), Walked: say.SchedulesWalked.With(say.Grouped(x.Walked)).In(l)}
	if variant, ok := locks.Lookup(x.Lock); ok {
		v.Store, v.Kept, v.Idea = string(variant.Store), string(variant.Store), variant.Doc(l).Idea
	}
	v.Survives, v.Class = x.Survives(), classOf(x.Survives())
	for _, r := range x.Rests() {
		v.Rests = append(v.Rests, restView{classOf(r.How), sanitize.Text(r.Says.In(l), sanitize.MaxLine)})
	}
	if n := x.Cut + int64(len(x.Doubts)); n > 0 {
		v.Unknown = say.SchedulesUnknown.With(say.Grouped(n)).In(l)
	}
	if x.Complete == 0 && v.Unknown == "" {
		v.Unknown = say.Text("not searched").In(l) // so whether it survives is unknown
	}
	none := say.NoneUpTo.With(say.Number(min(x.Complete, most)))
	if v.Survives == results.Sampled {
		none = say.Text("none found")
	}
	for _, way := range checker.Ways() {
		view := exploredWay{Head: way.Means().In(l)}
		sets := x.By(way)
		switch {
		case sets == nil || x.Complete == 0:
			view.None = say.Text("not searched").In(l)
		case len(sets) == 0:
			view.None = none.In(l)
		}
		view.Sets = setViews(x, way, l)
		view.Together = say.SoManyPairs.With(say.Number(len(view.Pairs()))).In(l)
		if way == checker.NoProgress {
			view.Hung = setViews(x, checker.Hung, l)
		}
		v.Ways = append(v.Ways, view)
	}
	return v
}

// classOf is the style of a certainty.
func classOf(how string) string { return strings.ReplaceAll(how, " ", "-") }

// libraryView is the row of a library.
func libraryView(one *results.Library, l say.Language) exploredView {
	x := &results.ExploredLock{Lock: one.Lock}
	if one.Walk != nil {
		x = &one.Walk.Locks[0]
	}
	v := newExploredView(x, x.Complete, l)
	v.Store = sanitize.Text(one.Library+" "+one.Version, sanitize.MaxLine)
	if x.Complete > 0 {
		v.Unknown = say.Text("searched with one fault in the plain profile only").In(l)
	}
	return v
}

// setViews are the sets of one way of breaking.
func setViews(x *results.ExploredLock, way checker.Way, l say.Language) (out []cutSetView) {
	for n, s := range x.By(way) {
		names := strings.Join(s.Kinds, " + ")
		if len(s.Kinds) == 0 {
			names = say.Text("no fault at all").In(l)
		}
		command := ""
		if s.Name != "" {
			command = "simulate run " + shell.Word(s.Name)
		}
		out = append(out, cutSetView{
			ID: fmt.Sprintf("%s-%s-%d", sanitize.FileName(x.Lock), way, n+1), Kinds: sanitize.Text(strings.Join(s.Kinds, " "), sanitize.MaxLine), Words: sanitize.Text(names, sanitize.MaxLine),
			Text: sanitize.Text(s.Said().In(l), sanitize.MaxLine), Profile: sanitize.Text(s.Profile, sanitize.MaxName),
			Command: command,
		})
	}
	return out
}
