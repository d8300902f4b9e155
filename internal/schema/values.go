package schema

import (
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// The forms of values, as package scenario reads them. A test gives the same values to both.
const (
	durationForm   = `(?:[0-9]+ns|[0-9]+(?:\.[0-9]{1,3})?(?:us|ms|s|m|h))+`
	clientForm     = `[A-Za-z0-9][A-Za-z0-9_-]{0,31}`
	percentileForm = `(?:min|max|p[0-9]{1,2}(?:\.[0-9]{1,4})?) +` + durationForm
	serverForm     = `[a-z]+-[0-9]+`
	commandForm    = `[A-Za-z][A-Za-z0-9_-]{0,31}`
)

// notZero demands a value other than 0, for forms of numbers and units.
var notZero = &Schema{Pattern: `[1-9]`, PatternErrorMessage: "it must be more than zero"}

func ref(name string) *Schema { return &Schema{Ref: "#/$defs/" + name} }

// like is a $ref with a description of its own.
func like(name, doc string) *Schema {
	s := ref(name)
	s.Description = doc
	return s
}

// positive is like for a value that cannot be 0.
func positive(name, doc string) *Schema {
	s := like(name, doc)
	s.AllOf = []*Schema{notZero}
	return s
}

func (s *Schema) withDefault(v any) *Schema {
	s.Default = v
	return s
}

func (s *Schema) withExamples(examples ...any) *Schema {
	s.Examples = examples
	return s
}

func form(pattern, message, doc string, examples ...any) *Schema {
	return &Schema{
		Type: "string", Pattern: "^" + pattern + "$", PatternErrorMessage: message,
		Description: doc, Examples: examples,
	}
}

func count(least, most int, doc string) *Schema {
	return &Schema{Type: "integer", Minimum: &least, Maximum: &most, Description: doc}
}

func text(most int, doc string) *Schema {
	return &Schema{Type: "string", Pattern: `\S`, PatternErrorMessage: "a text is missing", MaxLength: most, Description: doc}
}

// choice is one of a few words, each with its meaning.
func choice[T any](doc string, all []T, of func(T) (word, means string)) *Schema {
	s := &Schema{Type: "string", Description: doc}
	for _, one := range all {
		word, means := of(one)
		s.Enum = append(s.Enum, word)
		s.EnumDescriptions = append(s.EnumDescriptions, means)
	}
	return s
}

func meaning(w plan.Word) (word, means string) { return w.Word, w.Doc }

// closed is an object without other keys.
func closed(doc string, keys Properties) *Schema {
	return &Schema{Type: "object", Description: doc, Properties: keys, Additional: false}
}

// definitions are the shared schemas.
func definitions() Properties {
	return Properties{
		{"duration", form(durationForm,
			"write a number and its unit: 10s, 250ms or 1m30s",
			"How long: a number (at most three decimals) and its unit: ns, us, ms, s, m or h; 24h at most.",
			"10s", "250ms", "1m30s")},
		{"span", form(`(?:`+durationForm+`(?: *\.\. *`+durationForm+`)?|`+percentileForm+`(?: *, *`+percentileForm+`)+)`,
			"write a duration such as 2s, a range such as 2s..3s, or percentiles such as p50 20ms, p99.9 4s",
			"A duration, a range of durations to draw from, or percentiles: at least two, with min and max if you like. Without max, the longest is ten times the last percentile.",
			"2s..3s", "100ms", "p50 20ms, p99.9 4s")},
		{"offset", form(`[+-]?`+durationForm,
			"write a duration with its sign: +12s or -500ms",
			"A duration with a sign: +12s is ahead of true time.",
			"+12s", "-500ms")},
		{"drift", form(`[+-]?[0-9]+ppm`,
			"write whole parts per million: 200ppm or -50ppm",
			"How much faster than true time a clock runs, in parts per million; 500000ppm at most.",
			"200ppm", "-50ppm")},
		{"rate", form(`[+-]?(?:[0-9]{1,3}(?:\.[0-9]{1,4})?%|[0-9]+ppm)`,
			"write a percentage or parts per million: +5% or -200ppm",
			"How much faster, as a percentage or in parts per million; 50% at most.",
			"+5%", "-200ppm")},
		{"share", form(`(?:100(?:\.0{1,4})?|0?[0-9]{1,2}(?:\.[0-9]{1,4})?)%`,
			"write a percentage: 0.5%",
			"A percentage with at most four decimals.",
			"0%", "0.5%")},
		{"client", &Schema{
			Type: []string{"string", "integer"}, Pattern: "^" + clientForm + "$",
			PatternErrorMessage: "letters, digits, - and _, at most 32, a letter or digit first",
			Description:         "The name of a client.",
		}},
		{"member", &Schema{
			Type: []string{"string", "integer"}, Pattern: "^(?:" + clientForm + "|" + phrases(nodeWords...) + ")$",
			PatternErrorMessage: "name a client, a server, the holder, the next holder, the primary or a group",
			Description:         "A client, a server such as redis-1, or a group: store, replicas, sentinels.",
			Examples:            []any{"A", faults.TheHolder, faults.TheStore, faults.ThePrimary, faults.TheReplicas, faults.Sentinels},
		}},
		{"moment", moment(faults.MomentPhrases(), "A moment that a client reaches, the first time unless it says otherwise.",
			"this is no moment: write for example A is in its critical section, or A sends SET the 2nd time")},
		{"moment on the wire", moment(onWire(), "A moment of one command.",
			"this fault acts on one command: write for example A is about to send SET")},
		{"verdicts", verdicts()},
	}
}

var (
	subjectWords = []string{faults.AnyClient, faults.TheHolder, faults.NextHolder, faults.ThatClient}
	nodeWords    = []string{faults.TheHolder, faults.NextHolder, faults.ThatClient, faults.ThePrimary}
)

// phrases is a pattern of alternatives in which any number of blanks separates two words.
func phrases(all ...string) string {
	return strings.ReplaceAll(strings.Join(all, "|"), " ", " +")
}

func onWire() []faults.MomentPhrase {
	return slices.DeleteFunc(slices.Clone(faults.MomentPhrases()), func(m faults.MomentPhrase) bool { return !m.Kind.OnWire() })
}

// moment is a phrase: a subject, a moment, and optionally which occurrence, counted from where.
func moment(known []faults.MomentPhrase, doc, wrong string) *Schema {
	command := "(?:" + phrases(faults.CommandWords()...) + "|" + commandForm + ")"
	texts := make([]string, len(known))
	examples := make([]any, len(known))
	for i, m := range known {
		texts[i] = strings.ReplaceAll(phrases(m.Text), "%s", command)
		examples[i] = "A " + strings.Replace(m.Text, "%s", "SET", 1)
	}
	pattern := "(?:" + phrases(subjectWords...) + "|" + clientForm + ") +(?:" + strings.Join(texts, "|") + ")" +
		"(?: +in +its +[0-9]{1,7}(?:st|nd|rd|th) +round)?(?: +after +fault +[0-9]{1,4})?(?: +the +[0-9]{1,7}(?:st|nd|rd|th) +time| +every +time)?"
	doc += " The moments, each behind a client, any client, the holder or the next holder:\n"
	for _, m := range known {
		doc += "\n- " + strings.Replace(m.Text, "%s", "SET", 1) + ": " + m.Doc.English()
	}
	examples = append(examples, "A sends "+faults.ItsAcquire, "A has "+faults.ItsRelease+" executed")
	doc += "\n\nFor SET: " + faults.CommandDoc
	return form(pattern, wrong, doc, examples...)
}
