package docs

import (
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/say"
)

// inChinese is the Chinese reference of locks, faults and properties, from the same registries. Verbs
// and keys stay in English; measurements are on the English pages, to which it links.
type inChinese struct{ *writer }

// About introduces the page.
func (inChinese) About() string {
	return chineseAbout.With(say.Verbatim(code("simulate dev docs")), say.Verbatim(link(zh("the English reference"), "README.md"))).In(say.Chinese)
}

// When names the triggers.
func (inChinese) When() string {
	return chineseWhen.With(say.Verbatim(code("when")), say.Verbatim(code("at")), say.Verbatim(code("every"))).In(say.Chinese)
}

// End says how a fault ends.
func (inChinese) End(spec faults.Spec) string {
	ends := chineseMay
	switch spec.Ends {
	case faults.EndRequired:
		ends = chineseMust
	case faults.EndOptional:
	default:
		return zh("It is over as it happens.")
	}
	return ends.With(say.Verbatim(code("for")), say.Verbatim(code("until")), say.Verbatim(code("forever: true"))).In(say.Chinese)
}

// PropertyRows name the properties in Chinese.
func (inChinese) PropertyRows() [][]string {
	return each(checker.All(), func(p checker.Property) []string {
		return []string{linkInto(say.PropertyName(p.ID, say.Chinese), "properties.md", p.ID), code(p.ID), text(p.Summary.In(say.Chinese))}
	})
}

// zh translates a text of this page.
func zh(english string) string { return say.Text(english).In(say.Chinese) }

var (
	chineseAbout = say.New2[say.Verbatim, say.Verbatim]("{command} writes locks, faults and properties from the code. Measurements, commands and the keys of scenarios are in {reference}.")
	chineseWhen  = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("In a scenario, {when} (a moment), {at} (a time) or {every} (again and again) say when it begins.")
	chineseMust  = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("It has to say when it ends, with {for}, {until} or {forever}.")
	chineseMay   = say.New3[say.Verbatim, say.Verbatim, say.Verbatim]("It may say when it ends, with {for}, {until} or {forever}.")
)
