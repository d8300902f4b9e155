package docs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

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

// bugFile is the scenario file that plays a published bug beside its fixed form, relative to the repository.
func bugFile(id string) string { return "scenarios/bugs/" + id + ".yaml" }

const recordPage = "track-record.md"

// record is the page of published bugs and results that were reproduced.
func (w *writer) record() Page {
	body := []string{
		heading(1, "The track record"),
		"What others have found and published about distributed locks, found again here: bugs of lock libraries, each with its " +
			"thread and a story of at most twenty lines, and results with known figures. A test plays each story with fifty seeds.",
		section("Published bugs of lock libraries", w.bugs()),
		section("Beyond the threads", w.beyond()),
		section("With the library's own code", w.bugsAsTheyAre()),
		section("Looked at, and not in the table", notReproduced()),
	}
	body = append(body, heading(2, "Published results, measured again"))
	for _, p := range w.Published {
		body = append(body, w.published(p)...)
	}
	body = append(body, section("The debate about Redlock", w.debate()))
	return page(recordPage, "the locks with a published bug (internal/locks/bug_*.go), their stories and internal/docs/record_table.go", body...)
}

// bugs is the table of the bugs that a small lock reproduces.
func (w *writer) bugs() string {
	rows := each(locks.Bugs(), func(v locks.Variant) []string {
		b := v.Bug
		return []string{
			outside(text(v.ID), b.Issue), text(b.Library + ", " + b.Has), text(v.Doc(say.English).Idea),
			w.bugStory(v.ID), w.fixed(v), cmp.Or(text(b.Gone), "nowhere, as far as the thread tells"),
		}
	})
	return fmt.Sprintf("%d bugs. Each is reproduced by a small lock that follows the library's protocol as the thread describes it, in "+
		"the model of its server, and is played beside the same lock without the bug. %s lists them, %s plays one.\n\n",
		len(rows), code("simulate list bugs"), code("simulate run etcd-22082")) +
		table([]string{"bug", "library, and where the bug is", "what goes wrong", "its story breaks", "the fixed form keeps it", "gone with"}, rows)
}

// bugStory is a link to the story of a bug, with the properties that break in it.
func (w *writer) bugStory(bug string) string {
	for _, p := range w.told(func(p *plan.Plan) bool { return p.File == bugFile(bug) }) {
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

// bugsAsTheyAre is the table of the libraries whose own code is played with a bug.
func (w *writer) bugsAsTheyAre() string {
	var rows [][]string
	for _, v := range locks.Known() {
		if v.Library == "" || v.Bug == nil {
			continue
		}
		stories := each(w.told(func(p *plan.Plan) bool { return slices.Contains(p.Locks, v.ID) }), w.story)
		rows = append(rows, []string{text(v.ID), code(v.Library), text(v.Doc(say.English).Idea), strings.Join(stories, ", "), text(v.Doc(say.English).Source)})
	}
	return "The code that programs import, on real servers: " + code("simulate run STORY --backend process") + ".\n\n" +
		table([]string{"lock", "library", "what goes wrong", "story", "version"}, rows)
}

// beyond lists further stories, about what the threads do not say.
func (w *writer) beyond() string {
	var items []string
	for _, p := range w.told(func(p *plan.Plan) bool { return strings.HasPrefix(p.File, path.Dir(bugFile(""))+"/") }) {
		if v, ok := locks.Lookup(strings.TrimSuffix(path.Base(p.File), ".yaml")); !ok || v.Bug == nil {
			items = append(items, "* "+w.story(p)+": "+text(p.Story)+" "+text(p.Lesson))
		}
	}
	return strings.Join(items, "\n")
}

func notReproduced() string {
	return strings.Join(each(setAside, func(n aside) string {
		return "* " + outside(text(n.what), n.issue) + ": " + text(n.why)
	}), "\n")
}

// published is the section of one result.
func (w *writer) published(p Published) []string {
	rows := each(p.Lost, func(s Share) []string {
		return []string{text(s.Lock), fmt.Sprint(s.Accepted), fmt.Sprint(s.Lost), s.percent()}
	})
	return []string{
		heading(3, p.Plan.Name),
		"Published: " + text(p.Plan.Origin),
		"Measured here, with " + link("this story", w.Up+"/"+p.Plan.File) + fmt.Sprintf(" and the seeds 1 to %d:", p.Seeds),
		table([]string{"lock", "updates accepted", "lost", "share"}, rows),
		text(p.Plan.Lesson),
	}
}

// debate is the table of the arguments about Redlock.
func (w *writer) debate() string {
	return table([]string{"who", "what", "our story", "how close it comes"}, each(redlockDebate, func(a argument) []string {
		return []string{outside(text(a.who), a.source), text(a.says), w.named(a.story), text(a.close)}
	}))
}

// named is a link to a scenario by its name.
func (w *writer) named(name string) string {
	for _, p := range w.told(func(p *plan.Plan) bool { return strings.HasSuffix(p.File, "/"+name+".yaml") }) {
		return w.story(p)
	}
	return ""
}
