// Package indexpage draws the index of a store of runs.
package indexpage

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/export"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

//go:embed *.html *.css *.js
var files embed.FS

var design = page.NewDesign("indexpage", files)

// Mark is in the first lines of every index that this program writes, and of no other file.
const Mark = `<meta name="generator" content="` + indexMark + `">`

const indexMark = "lockstep index"

// MaxRuns limits the runs in the index to the newest ones. If runs have very many locks, it shows
// fewer, to stay below page.MaxHTML.
const MaxRuns = 500

// Index is the content of a store of runs.
type Index struct {
	Language say.Language

	Runs   []Run    // the newest ones first; no more than MaxRuns are drawn
	Total  int      // number of runs in the store
	Pages  []string // file names of other pages in the store
	Served bool     // by a server, which offers archives of runs
}

// Run is one stored run and its result.
type Run struct {
	Path    string    // of its directory below the store, with slashes
	At      time.Time // when it was stored; zero when unknown
	Problem string    // why its result cannot be read; "" if it can
	export.RunResult
}

// HTML draws the index of a store as one self-contained file.
func HTML(x *Index) ([]byte, error) {
	for shown := min(len(x.Runs), MaxRuns); ; shown /= 2 {
		drawn, err := design.Fill(x.Language, newIndexView(x, shown))
		if err != nil || len(drawn) <= page.MaxHTML || shown <= 1 {
			return drawn, err
		}
	}
}

type indexView struct {
	Head   page.Head
	Lead   string
	Runs   []indexRow
	Cut    bool
	Served bool
	Locks  []string // of all runs, sorted, for the filter
	Pages  []indexPage
}

// indexPage is another page of the store.
type indexPage struct {
	Href, Name string
	Says       string // its content; "" when unknown
}

// pageKinds describes the pages that are no runs, by the beginning of their path.
var pageKinds = []struct{ prefix, says string }{
	{"matrix", "Locks under faults, measured"}, {"comparison", "Runs side by side"},
	{"worlds", "The simulator beside real servers"}, {"sweep/", "Settings varied"},
	{"again/", "A run, judged and drawn again"}, {"_site/playground/", "The playground: drag a pause, and watch"},
}

type indexRow struct {
	Href, Zip       string
	Date, Time, ISO string
	Scenario        string
	Seed            uint64
	SeedSays        string
	World, Backend  string
	Verdict         string // the worst of all locks
	Met             bool
	Problem, Unread string
	Chips           []indexChip
}

// indexChip is one lock of a row.
type indexChip struct {
	Lock, Class, Sign string
	Style             string // differs from Class by the impact on the data
	Says              string // the verdict and its properties
}

// newIndexView shows the newest runs.
func newIndexView(x *Index, newest int) *indexView {
	v := &indexView{
		Head: design.Head(say.Text("Runs").In(x.Language)), Served: x.Served,
	}
	total := max(x.Total, len(x.Runs))
	v.Head.Mark = indexMark
	shown := x.Runs[:newest]
	v.Cut = newest < total
	v.Lead = lead(newest, total).In(x.Language)
	seen := map[string]bool{}
	for i := range shown {
		row := newIndexRow(&shown[i], x.Language)
		for _, c := range row.Chips {
			if !seen[c.Lock] {
				seen[c.Lock] = true
				v.Locks = append(v.Locks, c.Lock)
			}
		}
		v.Runs = append(v.Runs, row)
	}
	slices.Sort(v.Locks)
	for _, name := range x.Pages {
		other := indexPage{Href: page.Href(name), Name: sanitize.Text(name, sanitize.MaxLine)}
		for _, k := range pageKinds {
			if strings.HasPrefix(name, k.prefix) {
				other.Says = say.Text(k.says).In(x.Language)
				if strings.Contains(name, "/") { // the kind says enough
					other.Name = ""
				}
			}
		}
		v.Pages = append(v.Pages, other)
	}
	return v
}

// lead says how many runs there are, and how many are shown.
func lead(shown, total int) say.Phrase {
	switch {
	case shown == 0:
		return say.NothingPlayedYet.With()
	case shown < total:
		return say.NewestRuns.With(say.Number(shown), say.Number(total))
	}
	return say.AllRuns.With(say.Number(total))
}

func newIndexRow(r *Run, l say.Language) indexRow {
	row := indexRow{
		Href: page.Href(r.Path + "/report.html"), Zip: page.Href(r.Path + ".zip"), Scenario: sanitize.Text(r.Scenario, 2*sanitize.MaxName),
		Seed: r.Seed, World: say.Text("real").In(l), Backend: sanitize.Text(r.Backend, sanitize.MaxName), Met: r.Met, Problem: sanitize.Text(r.Problem, sanitize.MaxLine),
		Verdict: string(checker.Unknown),
	}
	row.SeedSays = say.SeedIs.With(say.Verbatim(strconv.FormatUint(r.Seed, 10))).In(l)
	row.Unread = say.CannotBeRead.With(say.Verbatim(row.Problem)).In(l)
	if history.Simulated(r.Backend) {
		row.World = say.Text("simulated").In(l)
	}
	if !r.At.IsZero() {
		at := r.At.UTC()
		row.Date, row.Time, row.ISO = at.Format("2006-01-02"), at.Format("15:04:05"), at.Format(time.RFC3339)
	}
	for i := range r.Locks {
		row.Chips = append(row.Chips, newIndexChip(&r.Locks[i], l))
	}
	if len(row.Chips) > 0 {
		row.Verdict = worstClass(row.Chips)
	}
	return row
}

// verdictOrder is from bad to good.
var verdictOrder = []string{string(checker.Broken), string(checker.Unknown), string(checker.Kept)}

func worstClass(chips []indexChip) string {
	for _, class := range verdictOrder {
		if slices.ContainsFunc(chips, func(c indexChip) bool { return c.Class == class }) {
			return class
		}
	}
	return string(checker.Unknown)
}

// newIndexChip sums up the verdicts of one lock: the worst one and its properties.
func newIndexChip(x *export.LockResult, l say.Language) indexChip {
	c := indexChip{Lock: sanitize.Text(x.Lock, sanitize.MaxName), Class: string(checker.Unknown)}
	var which []string
	for _, class := range verdictOrder {
		var of []string
		for property, verdict := range x.Verdicts { // order: sorted below
			if string(verdict.Verdict) == class {
				of = append(of, sanitize.Text(property, sanitize.MaxName))
			}
		}
		if len(of) > 0 {
			slices.Sort(of)
			c.Class, which = class, of
			break
		}
	}
	verdict := say.Verdict(c.Class)
	if c.Class == string(checker.Kept) || len(which) == 0 {
		c.Says = verdict.In(l)
	} else {
		c.Says = say.VerdictOf.With(verdict, say.Verbatim(strings.Join(which, ", "))).In(l)
	}
	c.Style = c.Class
	if c.Class == string(checker.Broken) {
		c.Style = page.BrokenClass(x.Impact)
	}
	c.Sign = page.Signs[c.Style]
	if x.Impact == checker.ImpactSafe || x.Impact == checker.ImpactDamaged {
		c.Says = say.ImpactOf.With(x.Impact.Word(), say.List{say.Verbatim(c.Says)}).In(l)
	}
	return c
}
