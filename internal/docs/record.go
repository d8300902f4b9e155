package docs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Published is a published result that was measured again with a story of its own.
type Published struct {
	Plan  *plan.Plan // its origin says who has published what
	Seeds int        // it was played with the seeds 1 to Seeds
	Lost  []Share    // one for each lock of the plan
}

// Share is how many updates of a lock's runs were lost, of those that the resource has accepted.
type Share struct {
	Lock           string
	Lost, Accepted int
}

// percent is the share with one decimal, rounded half up; "none" if none was accepted.
func (s Share) percent() string {
	if s.Accepted == 0 {
		return "none"
	}
	tenths := (2000*s.Lost + s.Accepted) / (2 * s.Accepted)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// outside is a link to another site; the address is trusted.
func outside(words, address string) string { return "[" + words + "](" + address + ")" }

// bugFile is the scenario file that plays a published bug beside its fixed form, relative to the
// repository.
func bugFile(id string) string { return "scenarios/bugs/" + id + ".yaml" }

// BugRows are the bugs that a small lock reproduces.
func (w *writer) BugRows() [][]string {
	return each.Map(locks.Bugs(), func(v locks.Variant) []string {
		b := v.Bug
		return []string{
			outside(text(v.ID), b.Issue), text(b.Library + ", " + b.Has), text(v.Doc(say.English).Idea),
			w.bugStory(v.ID), w.fixed(v), cmp.Or(text(b.Gone), "nowhere, as far as the thread tells"),
		}
	})
}

// bugStory is a link to the story of a bug, with the properties that break in it.
func (w *writer) bugStory(bug string) string {
	for _, p := range w.plansWhere(func(p *plan.Plan) bool { return p.File == bugFile(bug) }) {
		broken, _ := expected(p, bug)
		return link(strings.Join(broken, ", "), w.Up+"/"+p.File)
	}
	return ""
}

// fixed names the fixed form of a bug, with a link if that has a page.
func (w *writer) fixed(v locks.Variant) string {
	if fixed, ok := locks.Lookup(v.Bug.Fixed); ok && fixed.Bug == nil {
		return lockLink(fixed.ID)
	}
	return text(v.Bug.Fixed)
}

// AsIsRows are the libraries whose own code is played with a bug.
func (w *writer) AsIsRows() (rows [][]string) {
	for _, v := range locks.Known() {
		if v.Library == "" || v.Bug == nil {
			continue
		}
		stories := each.Map(w.plansWhere(func(p *plan.Plan) bool { return slices.Contains(p.Locks, v.ID) }), w.story)
		rows = append(rows, []string{text(v.ID), code(v.Library), text(v.Doc(say.English).Idea), strings.Join(stories, ", "), text(v.Doc(say.English).Source)})
	}
	return rows
}

// Beyond lists further stories, about what the threads do not say.
func (w *writer) Beyond() string {
	var items []string
	for _, p := range w.plansWhere(func(p *plan.Plan) bool { return strings.HasPrefix(p.File, path.Dir(bugFile(""))+"/") }) {
		if v, ok := locks.Lookup(strings.TrimSuffix(path.Base(p.File), ".yaml")); !ok || v.Bug == nil {
			items = append(items, "* "+w.story(p)+": "+text(p.Story)+" "+text(p.Lesson))
		}
	}
	return strings.Join(items, "\n")
}

// Rows are the measured shares.
func (p Published) Rows() [][]string {
	return each.Map(p.Lost, func(s Share) []string {
		return []string{text(s.Lock), fmt.Sprint(s.Accepted), fmt.Sprint(s.Lost), s.percent()}
	})
}

// Named is a link to a scenario by its name.
func (w *writer) Named(name string) string {
	for _, p := range w.plansWhere(func(p *plan.Plan) bool { return strings.HasSuffix(p.File, "/"+name+".yaml") }) {
		return w.story(p)
	}
	return ""
}
