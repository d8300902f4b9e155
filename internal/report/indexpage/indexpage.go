// Package indexpage draws the index of a store of runs.
package indexpage

import (
	"bytes"
	"embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/page"
	"lockstep/internal/say"
)

//go:embed indexpage.css
var indexCSS string

//go:embed indexpage.html
var indexFiles embed.FS

//go:embed indexpage.js
var indexJS string

var indexScript = page.NewScript("indexpage", indexJS)

var indexTemplate = page.Template(indexFiles, "indexpage.html")

// Mark is what an index of ours has in its first lines, and nobody else's.
const Mark = `<meta name="generator" content="` + indexMark + `">`

const indexMark = "lockstep index"

// MaxRuns is how many runs the index shows at most, the newest ones. Of runs
// with very many locks it shows fewer, to stay below MaxHTML.
const MaxRuns = 500

// Index is what a store of runs has.
type Index struct {
	Runs   []Run    // the newest ones first; no more than MaxIndexRuns are drawn
	Total  int      // how many the store has
	Pages  []string // names of the files of other pages in the store
	Served bool     // by a server, which packs a run into one file when it is asked to
}

// Run is one stored run.
type Run struct {
	Path     string    // of its directory below the store, with slashes
	At       time.Time // when it was stored; zero when unknown
	Scenario string
	Seed     uint64
	Backend  string
	Met      bool
	Locks    []Lock
	Problem  string // why its result cannot be read; "" when it can
}

// Lock is one lock of a stored run.
type Lock struct {
	Lock     string
	Verdicts map[string]checker.Verdict // by property
}

// HTML draws the index of a store as one file that needs nothing else.
func HTML(x *Index) ([]byte, error) {
	for shown := min(len(x.Runs), MaxRuns); ; shown /= 2 {
		var buf bytes.Buffer
		if err := indexTemplate(say.English).Execute(&buf, newIndexView(x, shown)); err != nil {
			return nil, fmt.Errorf("filling in the index: %w", err)
		}
		if buf.Len() <= page.MaxHTML || shown <= 1 {
			return buf.Bytes(), nil
		}
	}
}

type indexView struct {
	Head   page.Head
	Runs   []indexRow
	Total  int
	Cut    bool
	Served bool
	Locks  []string // of all runs, sorted, for the filter
	Pages  []indexPage
}

// indexPage is another page of the store.
type indexPage struct {
	Href, Name string
	Says       string // what it shows; "" when the name is all there is to say
}

// pageKinds are the pages of a store that are no runs, by the beginning of their path.
var pageKinds = []struct{ prefix, says string }{
	{"matrix", "Locks under faults, measured"}, {"comparison", "Runs side by side"},
	{"worlds", "The simulator beside real servers"}, {"sweep/", "Settings varied"},
	{"again/", "A run, judged and drawn anew"},
}

type indexRow struct {
	Href, Zip       string
	Date, Time, ISO string
	Scenario        string
	Seed            uint64
	World, Backend  string
	Verdict         string // the worst of all locks
	Met             bool
	Problem         string
	Chips           []indexChip
}

// indexChip is one lock of a row.
type indexChip struct {
	Lock, Class, Sign string
	Properties        string // those that have this verdict
}

// newIndexView shows the newest runs.
func newIndexView(x *Index, newest int) *indexView {
	v := &indexView{
		Head:  page.NewHead("Runs", indexCSS).Scripted(indexScript),
		Total: max(x.Total, len(x.Runs)), Served: x.Served,
	}
	v.Head.Mark = indexMark
	shown := x.Runs[:newest]
	v.Cut = newest < v.Total
	seen := map[string]bool{}
	for i := range shown {
		row := newIndexRow(&shown[i])
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
		page := indexPage{Href: hrefOf(name), Name: clean.Text(name, clean.MaxLine)}
		for _, k := range pageKinds {
			if strings.HasPrefix(name, k.prefix) {
				page.Says = k.says
			}
		}
		v.Pages = append(v.Pages, page)
	}
	return v
}

func newIndexRow(r *Run) indexRow {
	row := indexRow{
		Href: hrefOf(r.Path + "/report.html"), Zip: hrefOf(r.Path + ".zip"), Scenario: clean.Text(r.Scenario, 2*clean.MaxName),
		Seed: r.Seed, World: "real", Backend: clean.Text(r.Backend, clean.MaxName), Met: r.Met, Problem: clean.Text(r.Problem, clean.MaxLine),
		Verdict: string(checker.Unknown),
	}
	if history.Simulated(r.Backend) {
		row.World = "simulated"
	}
	if !r.At.IsZero() {
		at := r.At.UTC()
		row.Date, row.Time, row.ISO = at.Format("2006-01-02"), at.Format("15:04:05"), at.Format(time.RFC3339)
	}
	for i := range r.Locks {
		row.Chips = append(row.Chips, newIndexChip(&r.Locks[i]))
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

// newIndexChip sums up the verdicts of one lock: the worst one, and of which
// properties it is.
func newIndexChip(l *Lock) indexChip {
	c := indexChip{Lock: clean.Text(l.Lock, clean.MaxName), Class: string(checker.Unknown)}
	for _, class := range verdictOrder {
		var of []string
		for property, verdict := range l.Verdicts { // order: sorted below
			if string(verdict) == class {
				of = append(of, clean.Text(property, clean.MaxName))
			}
		}
		if len(of) > 0 {
			slices.Sort(of)
			c.Class, c.Properties = class, strings.Join(of, ", ")
			break
		}
	}
	c.Sign = page.Signs[c.Class]
	return c
}

// hrefOf is the address of a file of the store, relative to its index. What stands
// in a name can neither become another host nor a scheme.
func hrefOf(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}
