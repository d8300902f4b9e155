package claims

import (
	"fmt"
	"strings"

	"lockstep/internal/say"
)

// both is what a claim or an experiment says, in both languages: a form of fmt for each, with the same
// arguments. Where Chinese has them in another order, its form numbers them: %[2]d. An argument with words
// of its own is a say.Part.
func both(english, chinese string, args ...any) say.Both {
	filled := func(form string, l say.Language) string {
		if len(args) == 0 {
			return form // may have a per cent sign
		}
		parts := make([]any, len(args))
		for i, a := range args {
			parts[i] = a
			if p, ok := a.(say.Part); ok {
				parts[i] = p.In(l)
			}
		}
		return fmt.Sprintf(form, parts...)
	}
	return say.Both{English: filled(english, say.English), Chinese: say.Spaced(filled(chinese, say.Chinese))}
}

// none is said where there is nothing to name.
var none = both("none", "没有")

// joined are texts with something between them: ", " or "; ".
func joined(parts []say.Both, between string) say.Both {
	var english, chinese []string
	for _, p := range parts {
		english, chinese = append(english, p.English), append(chinese, p.In(say.Chinese))
	}
	return say.Both{
		English: strings.Join(english, between),
		Chinese: strings.Join(chinese, map[string]string{", ": "，", "; ": "；"}[between]),
	}
}
