package docs

import (
	"fmt"
	"sort"
	"strings"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// index is the first page.
func (w *writer) index() Page {
	body := []string{
		heading(1, "Reference"),
		"What there is. All of it is written by " + code("simulate dev docs") +
			" from the code, the command line and the scenarios. How the house is built, the decisions behind it, and where the reasons " +
			"of each package are: " + link("ARCHITECTURE.md", w.Up+"/ARCHITECTURE.md") + ". Locks, faults and properties " + link("in Chinese", chinesePage) + ".",
		heading(2, "Locks"),
	}
	for _, group := range w.groups() {
		rows := each(group.locks, func(v locks.Variant) []string {
			return []string{lockLink(v.ID), text(v.Doc(say.English).Idea)}
		})
		body = append(body, heading(3, group.name), table([]string{"lock", "idea"}, rows))
	}
	body = append(body, heading(3, titleOfMisprints), "What texts about locks say wrongly, misprints and claims, stands on a page of its own: "+link(text(coursePage), coursePage)+".")
	body = append(body, section("Faults", "The simulator plays all of them, and real servers all but a few, which are refused with the reason.\n\n"+table([]string{"verb", "what it does"}, faultRows())))
	body = append(body, section("Moments", "What a fault can wait for: "+linkInto("the list", scenarioPage, anchorOfMoments)+"."))
	body = append(body, section("Properties", table([]string{"property", "what it demands"}, propertyRows())))
	body = append(body, section("Commands", w.commandList()))
	body = append(body, section("The scenario file", "Every key, with its default and examples: "+link(text(scenarioPage), scenarioPage)+". Questions of practice, each as a file and with its answer: "+link(text("questions.md"), "questions.md")+
		". What it does not play, with what comes nearest: "+link(text("not-played.md"), "not-played.md")+". How much is too much: "+link(text("limits.md"), "limits.md")+"."))
	body = append(body, section("A lock of your own", "A Go lock in go test, in virtual time: "+link(text("own-lock.md"), "own-lock.md")+
		". A program in any other language, on real servers: "+link(text("own-lock-programs.md"), "own-lock-programs.md")+
		". Both, and scenario files, in a repository of your own: "+link(text("in-your-ci.md"), "in-your-ci.md")+"."))
	body = append(body, section("A log of production", "What a log shows, and in which formats: "+link(text("check.md"), "check.md")+
		". A few lines of Go, Python or Java that write one: "+link(text("log-your-locks.md"), "log-your-locks.md")+"."))
	body = append(body, section("Results", "What a run tells other programs, field by field: "+link(text("results.md"), "results.md")+"."))
	body = append(body, section("Real servers", "As processes, in containers, or in a Compose project of your own: "+link(text("servers.md"), "servers.md")+". "+w.worldsState()))
	body = append(body, section("More than one machine", "What to start on Kubernetes, Slurm and in CI, and how the parts become one result: "+link(text("machines.md"), "machines.md")+"."))
	body = append(body, section("The documents", "What there is of each of their headings: "+link(text("documents.md"), "documents.md")+
		". What they say wrongly, and what was measured of their claims: "+link(text(coursePage), coursePage)+"."))
	body = append(body, section("The track record", "Published bugs of lock libraries and published results, found again: "+link(text(recordPage), recordPage)+"."))
	body = append(body, section("The matrix", w.matrixState()))
	body = append(body, section("What it takes to break a lock", w.exploreState()))
	return page("README.md", "the registries of locks, faults and properties", body...)
}

type lockGroup struct {
	rank  int
	name  string
	locks []locks.Variant
}

// groups are the locks under their headings, by rank, without the misprints.
func (w *writer) groups() []lockGroup {
	var out []lockGroup
	at := map[string]int{}
	for _, v := range locks.All() {
		if locks.Misprint(v.ID) {
			continue
		}
		rank, name := w.Group(v)
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, lockGroup{rank: rank, name: name})
		}
		out[i].locks = append(out[i].locks, v)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank < out[j].rank })
	return out
}

func faultRows() [][]string {
	return each(faults.All(), func(spec faults.Spec) []string {
		return []string{linkInto(text(spec.Name), faultsPage, spec.Name), text(spec.Summary.English())}
	})
}

func propertyRows() [][]string {
	return each(checker.All(), func(p checker.Property) []string {
		return []string{linkInto(text(p.ID), propertiesPage, p.ID), text(p.Summary.English())}
	})
}

// matrixState explains the matrix on the pages of the locks, or how to measure it.
func (w *writer) matrixState() string {
	if w.Matrix == nil {
		return "No measured matrix is stored. These two commands put its rows on the pages of the locks:\n\n" +
			block("", "simulate matrix --json > measurements/matrix.json\nsimulate dev docs")
	}
	rows := each(w.Columns, func(c matrix.Column) []string {
		kinds := each(c.Kinds(), func(k faultkind.Hit) string { return strings.TrimSpace(k.Kind + " " + k.While()) })
		return []string{code(c.Code), text(c.Name.English()), text(c.Summary.English()), text(strings.Join(kinds, ", "))}
	})
	var known []string
	for _, l := range checker.CellLetters {
		if l.Letter != checker.LetterUnknown {
			known = append(known, fmt.Sprintf("**%s** %s", l.Letter, l.Means.English()))
		}
	}
	return "The pages of the locks have their rows. Letters: " + strings.Join(known, "; ") + ".\n\n" +
		table([]string{"column", "fault", "what exactly is injected", "kinds of the search"}, rows)
}

// exploreState links to the walk of the fault space; "" if none is stored.
func (w *writer) exploreState() string {
	if w.Explored == nil {
		return ""
	}
	return "Which minimal sets of faults break which lock, from a search of all faults at all moments: " + link("explore.md", "explore.md") + "."
}

// worldsState links to the comparison with real servers; "" if none is stored.
func (w *writer) worldsState() string {
	if w.Worlds == nil {
		return ""
	}
	return "The scripts of the matrix were played on real servers as well: " + comparison{w.Worlds}.summary() + ". The table is in " + link("worlds.md", "worlds.md") + "."
}
