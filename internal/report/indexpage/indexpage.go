// Package indexpage draws the index of a store of runs.
package indexpage

import (
	"embed"
	"path"
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
		drawn, err := design.Fill(x.Language, newView(x, shown))
		if err != nil || len(drawn) <= page.MaxHTML || shown <= 1 {
			return drawn, err
		}
	}
}

// view is the view of the template.
type view struct {
	*Index
	Head   page.Head
	Rows   []row    // of the newest runs
	Locks  []string // of all rows, sorted, for the filter
	Others []other
}

// other is another page of the store.
type other struct {
	Href, Name string
	Says       string // its content; "" when unknown
}

// pageKinds describes the pages that are no runs, by the beginning of their path.
var pageKinds = []struct{ prefix, says string }{
	{"matrix", "Locks under faults, measured"}, {"comparison", "Runs side by side"},
	{"worlds", "The simulator beside real servers"}, {"sweep/", "Settings varied"},
	{"again/", "A run, judged and drawn again"}, {"which-lock", "Which lock should I use?"},
	{"log-", "A log, judged"}, {"_site/playground/", "The playground: drag a pause, and watch"},
}

// row is a run; its verdict is the worst of all locks.
type row struct {
	*Run
	Verdict checker.Verdict
	Chips   []chip
}

// chip is one lock of a row.
type chip struct {
	Lock        string
	Verdict     checker.Verdict
	Style, Sign string     // differ from the verdict by the impact on the data
	Says        say.Phrase // the verdict and its properties
}

func newView(x *Index, newest int) *view {
	v := &view{Index: x, Head: design.Head(say.Text("Runs").In(x.Language))}
	v.Head.Mark = indexMark
	for i := range x.Runs[:newest] {
		r := row{Run: &x.Runs[i]}
		var verdicts []checker.Verdict
		for k := range r.Run.Locks {
			c := newChip(&r.Run.Locks[k])
			r.Chips, verdicts = append(r.Chips, c), append(verdicts, c.Verdict)
			v.Locks = append(v.Locks, c.Lock)
		}
		r.Verdict = worst(verdicts)
		v.Rows = append(v.Rows, r)
	}
	slices.Sort(v.Locks)
	v.Locks = slices.Compact(v.Locks)
	for _, name := range x.Pages {
		o := other{Href: page.Href(name), Name: name}
		for _, k := range pageKinds {
			if strings.HasPrefix(name, k.prefix) {
				o.Says = k.says
				if strings.Contains(name, "/") { // its folder says of which scenario it is
					o.Name = strings.Trim(strings.TrimPrefix(path.Dir(name)+"/", k.prefix), "/")
				}
			}
		}
		v.Others = append(v.Others, o)
	}
	return v
}

func (v *view) total() int { return max(v.Total, len(v.Runs)) }

// Cut reports whether older runs are not shown, and Lead says how many runs there are.
func (v *view) Cut() bool { return len(v.Rows) < v.total() }
func (v *view) Lead() say.Phrase {
	switch {
	case len(v.Rows) == 0:
		return say.Text("Nothing has been played yet")
	case v.Cut():
		return say.NewestRuns.With(say.Number(len(v.Rows)), say.Number(v.total()))
	}
	return say.AllRuns.With(say.Number(v.total()))
}

// Link is the address of the run's directory with something added.
func (r row) Link(ending string) string { return page.Href(r.Path + ending) }

// Called is the name of the scenario, which may be long.
func (r row) Called() string { return sanitize.Text(r.Scenario, 2*sanitize.MaxName) }

// Unread says that the result cannot be read.
func (r row) Unread() say.Phrase {
	return say.CannotBeRead.With(say.Verbatim(sanitize.Text(r.Problem, sanitize.MaxLine)))
}

// SeedSays names the seed, and World the world.
func (r row) SeedSays() say.Phrase {
	return say.SeedIs.With(say.Verbatim(strconv.FormatUint(r.Seed, 10)))
}
func (r row) World() say.Phrase {
	if history.Simulated(r.Backend) {
		return say.Text("simulated")
	}
	return say.Text("real")
}

// worst is the worst of some verdicts; without any it is unknown.
func worst(verdicts []checker.Verdict) checker.Verdict {
	for _, v := range []checker.Verdict{checker.Broken, checker.Unknown, checker.Kept} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return checker.Unknown
}

// newChip sums up the verdicts of one lock: the worst one and its properties.
func newChip(x *export.LockResult) chip {
	var verdicts []checker.Verdict
	for _, one := range x.Verdicts { // order: the worst counts
		verdicts = append(verdicts, one.Verdict)
	}
	c := chip{Lock: sanitize.Text(x.Lock, sanitize.MaxName), Verdict: worst(verdicts)}
	var which []string
	for property, one := range x.Verdicts { // order: sorted below
		if one.Verdict == c.Verdict && c.Verdict != checker.Kept {
			which = append(which, sanitize.Text(property, sanitize.MaxName))
		}
	}
	slices.Sort(which)
	c.Says = say.Text(string(c.Verdict))
	if len(which) > 0 {
		c.Says = say.About.With(say.Verdict(c.Verdict), say.Verbatim(strings.Join(which, ", ")))
	}
	if x.Impact == checker.ImpactSafe || x.Impact == checker.ImpactDamaged {
		c.Says = say.About.With(x.Impact.Word(), say.List{c.Says})
	}
	cell := page.CellOf(c.Verdict, x.Impact, "")
	c.Style, c.Sign = cell.Class, cell.Sign
	return c
}
