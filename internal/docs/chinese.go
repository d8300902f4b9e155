package docs

import (
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

const chinesePage = "zh.md"

// chinese is the Chinese reference of locks, faults and properties, from the same registries. Verbs and
// keys stay in English; measurements are on the English pages, to which it links.
func (w *writer) chinese() Page {
	body := []string{
		heading(1, zh("Reference")), chineseAbout.With(say.Verbatim(code("simulate dev docs")), say.Verbatim(link(zh("the English reference"), "README.md"))).In(say.Chinese),
		heading(2, zh("Locks")),
	}
	for _, group := range w.groups() {
		for _, v := range group.locks {
			body = append(body, chineseLock(v)...)
		}
	}
	body = append(body, heading(2, zh("Faults")), chineseWhen.With(say.Verbatim(code("when")), say.Verbatim(code("at")), say.Verbatim(code("every"))).In(say.Chinese))
	for _, spec := range faults.All() {
		body = append(body, heading(3, spec.Name), text(spec.Summary.In(say.Chinese))+chineseEnd(spec)+" "+linkInto(zh("Parameters"), faultsPage, spec.Name), block("yaml", "faults:\n"+indented(spec.Example)))
	}
	body = append(body, heading(2, zh("Properties")), zh("In each run a property is kept or broken; if the run did not test it, it is unknown."))
	rows := each(checker.All(), func(p checker.Property) []string {
		return []string{linkInto(say.PropertyName(p.ID, say.Chinese), propertiesPage, p.ID), code(p.ID), text(p.Summary.In(say.Chinese))}
	})
	body = append(body, table([]string{zh("Property"), zh("Name"), zh("What it demands")}, rows))
	return page(chinesePage, "the registries of locks, faults and properties", body...)
}

// chineseLock describes a lock and when it breaks.
func chineseLock(v locks.Variant) []string {
	d := v.Doc(say.Chinese)
	return []string{
		heading(3, locks.Name(v.ID).In(say.Chinese)), code(v.ID) + zh(": ") + text(d.Idea),
		steps(d),
		"**" + zh("Guarantees:") + "**" + text(d.Guarantees),
		"**" + zh("Breaks when:") + "**" + text(d.BreaksWhen),
		link(zh("What was measured"), "locks/"+v.ID+".md"),
	}
}

// chineseEnd says how a fault ends.
func chineseEnd(spec faults.Spec) string {
	ends := func(how say.Of3[say.Verbatim, say.Verbatim, say.Verbatim]) string {
		return " " + how.With(say.Verbatim(code("for")), say.Verbatim(code("until")), say.Verbatim(code("forever: true"))).In(say.Chinese)
	}
	switch spec.Ends {
	case faults.EndRequired:
		return ends(chineseMust)
	case faults.EndOptional:
		return ends(chineseMay)
	}
	return " " + zh("It is over as it happens.")
}

// zh translates a text of this page.
func zh(english string) string { return say.Text(english).In(say.Chinese) }

var (
	chineseAbout = say.New2[say.Verbatim, say.Verbatim]("{command} writes locks, faults and properties from the code. Measurements, commands and the keys of scenarios are in {reference}.")
	chineseWhen  = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("In a scenario, {when} (a moment), {at} (a time) or {every} (again and again) say when it begins.")
	chineseMust  = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("It has to say when it ends, with {for}, {until} or {forever}.")
	chineseMay   = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("It may say when it ends, with {for}, {until} or {forever}.")
)
