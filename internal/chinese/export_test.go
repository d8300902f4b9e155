package chinese

import "slices"

// Watch calls f with each template and each text that is of use from now on; nil ends it.
func Watch(f func(english string)) { watch = f }

// Templates are all templates, and all texts without parts that are no glossary.
func Templates() []string {
	var all []string
	for _, rules := range []func() []rule{pageRules, demandRules} {
		for _, r := range rules() {
			all = append(all, r.english)
		}
	}
	for text := range ownWords {
		all = append(all, text)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
