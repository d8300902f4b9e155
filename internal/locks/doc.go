package locks

import (
	"embed"
	"strings"

	"lockstep/internal/say"
)

// sources are the files of this package and of package libraries: the comment at
// the top of a variant's file is its documentation, for people who read the code
// and for those who read a report.
//
//go:embed *.go libraries/*.go
var sources embed.FS

// headings are the parts of a variant's documentation, in their order. Protocol and source have
// no Chinese of their own: they are commands, and names of documents.
var headings = []string{"Idea:", "Protocol:", "Guarantees:", "Breaks when:", "Source:", "想法：", "保证：", "何时被破坏："}

// Doc is what the comment at the top of a variant's file says.
type Doc struct {
	Idea       string
	Protocol   []string // the numbered steps
	Guarantees string
	BreaksWhen string
	Source     string
}

// Doc reads the variant's documentation in a language. A part that is missing is empty, in
// Chinese English; tests see to it that none is.
func (v Variant) Doc(l say.Language) Doc {
	source, err := sources.ReadFile(v.File)
	if err != nil {
		return Doc{}
	}
	parts := splitHeadings(openingComment(string(source)))
	said := func(english, chinese string) string {
		return say.Both{English: sentence(parts[english]), Chinese: say.Spaced(joinLines(parts[chinese]))}.In(l)
	}
	return Doc{
		Idea:       said("Idea:", "想法："),
		Protocol:   steps(parts["Protocol:"]),
		Guarantees: said("Guarantees:", "保证："),
		BreaksWhen: said("Breaks when:", "何时被破坏："),
		Source:     joinLines(parts["Source:"]),
	}
}

// openingComment returns the lines of the comment before the package clause.
func openingComment(source string) []string {
	var lines []string
	for line := range strings.Lines(source) {
		text, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	return lines
}

func splitHeadings(lines []string) map[string][]string {
	parts := map[string][]string{}
	current := ""
	for _, line := range lines {
		for _, h := range headings {
			if rest, ok := strings.CutPrefix(line, h); ok {
				current, line = h, rest
				break
			}
		}
		if line = strings.TrimSpace(line); line != "" {
			parts[current] = append(parts[current], line)
		}
	}
	return parts
}

func joinLines(lines []string) string { return strings.Join(lines, " ") }

// sentence starts a text with a capital, as it stands where no heading precedes it.
func sentence(lines []string) string {
	s := joinLines(lines)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// steps joins the lines of each numbered step.
func steps(lines []string) []string {
	var out []string
	for _, line := range lines {
		number, text, ok := strings.Cut(line, ". ")
		if ok && strings.Trim(number, "0123456789") == "" {
			out = append(out, text)
		} else if len(out) > 0 {
			out[len(out)-1] += " " + line
		}
	}
	return out
}
