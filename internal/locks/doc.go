package locks

import (
	"embed"
	"strings"

	"lockstep/internal/say"
)

// sources are the files of this package, of libraries and of timerwheel: the comment at
// the top of a variant's file is its documentation, for people who read the code
// and for those who read a report. Its Chinese is a document below zh.
//
//go:embed *.go libraries/*.go timerwheel/*.go zh
var sources embed.FS

// headings are the parts of a variant's documentation.
var headings = [...]say.Words{"Idea:", "Protocol:", "Guarantees:", "Breaks when:", "Source:"}

// Doc is what the comment at the top of a variant's file says.
type Doc struct {
	Idea       string
	Protocol   []string // the numbered steps
	Guarantees string
	BreaksWhen string
	Source     string
}

// Doc reads the variant's documentation in a language. A missing part is empty; tests find those.
func (v Variant) Doc(l say.Language) Doc {
	source, _ := sources.ReadFile(v.File)
	lines := openingComment(string(source))
	said := func(lines []string) string { return strings.Join(lines, " ") }
	if l == say.Chinese {
		source, _ = sources.ReadFile(v.ChineseFile())
		lines = strings.Split(string(source), "\n")
		said = func(lines []string) string { return say.Spaced(strings.Join(lines, " ")) }
	}
	parts := splitHeadings(lines, l)
	d := Doc{Idea: said(parts[0]), Guarantees: said(parts[2]), BreaksWhen: said(parts[3]), Source: said(parts[4])}
	for _, step := range steps(parts[1]) {
		d.Protocol = append(d.Protocol, said(step))
	}
	if l == say.English { // they are shown without their headings
		d.Idea, d.Guarantees, d.BreaksWhen = sentence(d.Idea), sentence(d.Guarantees), sentence(d.BreaksWhen)
	}
	return d
}

// ChineseFile is the file of the variant's documentation in Chinese, in this package's folder.
func (v Variant) ChineseFile() string { return "zh/" + strings.TrimSuffix(v.File, ".go") + ".md" }

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

// splitHeadings returns the lines below each heading of a language.
func splitHeadings(lines []string, l say.Language) (parts [len(headings)][]string) {
	current := -1 // under no heading
	for _, line := range lines {
		for i, h := range headings {
			if rest, ok := strings.CutPrefix(line, h.In(l)); ok {
				current, line = i, rest
			}
		}
		if line = strings.TrimSpace(line); line != "" && current >= 0 {
			parts[current] = append(parts[current], line)
		}
	}
	return parts
}

// sentence starts a text with a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// steps are the lines of each numbered step.
func steps(lines []string) (out [][]string) {
	for _, line := range lines {
		number, text, ok := strings.Cut(line, ". ")
		if ok && strings.Trim(number, "0123456789") == "" {
			out = append(out, []string{text})
		} else if len(out) > 0 {
			out[len(out)-1] = append(out[len(out)-1], line)
		}
	}
	return out
}
