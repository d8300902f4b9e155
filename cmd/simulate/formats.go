package main

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/report/forms"
	"lockstep/internal/scenario"
)

// formatList shows all formats, a line for each.
func formatList() string {
	var list strings.Builder
	for _, f := range forms.All {
		fmt.Fprintf(&list, "  %-7s %s\n", f.Name, f.Summary)
	}
	return list.String()
}

func formatNames(all []forms.Form) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

func formatWords() []string {
	var words []string
	for _, f := range forms.All {
		words = append(words, word(f.Name, f.Summary))
	}
	return words
}

// moreFormats are those that a run directory has only if somebody asks for them.
func moreFormats() []string {
	return formatNames(slices.DeleteFunc(slices.Clone(forms.All), func(f forms.Form) bool { return f.Always }))
}

// pickFormats finds formats by name.
func pickFormats(names []string) ([]forms.Form, error) {
	var picked []forms.Form
	for _, name := range names {
		i := slices.IndexFunc(forms.All, func(f forms.Form) bool { return f.Name == name })
		if i < 0 {
			known := formatNames(forms.All)
			hint := "choose from " + strings.Join(known, ", ")
			if near := scenario.Nearest(name, known); near != "" {
				hint = fmt.Sprintf("did you mean %q? There are %s", near, strings.Join(known, ", "))
			}
			return nil, fmt.Errorf("unknown format %q: %s", name, hint)
		}
		picked = append(picked, forms.All[i])
	}
	return picked, nil
}
