package docs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

const (
	coursePage       = "course.md"
	titleOfMisprints = "The course: misprints"
)

// course is the page of mistakes in texts about locks. They are for learning, so no list of locks to
// choose from includes them.
func (w *writer) course() Page {
	var misprints, wrong [][]string
	for _, v := range locks.All() {
		if p := w.storyAbout(v.ID); locks.Misprint(v.ID) && p != nil {
			story := strings.TrimSuffix(path.Base(p.File), ".yaml")
			misprints = append(misprints, []string{lockLink(v.ID), text(v.Doc(say.English).Idea), code("simulate run " + story)})
		}
	}
	count := map[string]int{}
	for _, c := range w.Claims {
		if count[c.Verdict]++; c.Verdict == "false" {
			wrong = append(wrong, []string{linkInto(fmt.Sprint(c.N), "claims.md", fmt.Sprintf("claim-%d", c.N)), text(c.Text), code(fmt.Sprintf("simulate dev claims --claim %d", c.N))})
		}
	}
	return page(coursePage, "the misprints in internal/locks, internal/campaign/claims and measurements/claims.json",
		heading(1, "The course"),
		"What texts about locks say wrongly, each with a command that shows it: *misprints*, locks that do what a text prints with a mistake in it, "+
			"and *claims*, sentences that were measured. Both are from "+link("the five documents", "documents.md")+". They are to learn from: "+
			"lists and tables of locks have misprints behind the designs, and "+linkInto(code("simulate advise"), commandsPage, "simulate-advise")+" does not count them.",
		section("Misprints", "Each story plays the misprint beside a design that does without the mistake, and its report says what to look at. "+
			"Apart from lists a misprint is a lock like any other: "+code("simulate matrix --lock LOCK")+" measures its row.\n\n"+
			table([]string{"misprint", "what it does", "see it"}, misprints)),
		section("Claims", fmt.Sprintf("Of %d claims %d are true, %d are false, and %d depend on what they leave out. %s has all with their figures. These are false:\n\n",
			len(w.Claims), count["true"], count["false"], count["depends"], link("claims.md", "claims.md"))+
			table([]string{"claim", "what a text says", "see it"}, wrong)),
	)
}

// storyAbout is the story that plays a lock beside the fewest others; nil if no story plays it.
func (w *writer) storyAbout(lock string) (about *plan.Plan) {
	for _, p := range w.told(func(p *plan.Plan) bool { return slices.Contains(p.Locks, lock) }) {
		if about == nil || len(p.Locks) < len(about.Locks) {
			about = p
		}
	}
	return about
}

// lockRows has the rows of all locks, with a heading before the misprints; nil leaves a lock out.
func lockRows(row func(v locks.Variant) []string) (rows [][]string) {
	course := false
	for _, v := range locks.All() {
		cells := row(v)
		if cells == nil {
			continue
		}
		if locks.Misprint(v.ID) && !course {
			course = true
			rows = append(rows, append([]string{"**" + link(titleOfMisprints, coursePage) + "**"}, make([]string, len(cells)-1)...))
		}
		rows = append(rows, cells)
	}
	return rows
}
