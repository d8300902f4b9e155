package sanitize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// A text may come from a scenario, a history or the name of a file, and it may be
// shown on a terminal or in the log of a CI server, which both obey some texts.

// JSON writes a value as indented JSON. Its texts are as they were given; what
// could steer a terminal or a CI server is escaped, as JSON allows.
func JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(harmlessJSON(buf.String())), nil
}

// JSONTable writes a value as JSON gives it, but what is deeper than two levels in one line: a
// long list in the value has an element per line, which a diff can show.
func JSONTable(v any) ([]byte, error) {
	indented, err := JSON(v)
	if err != nil {
		return nil, err
	}
	const deepest = "    " // of what begins a line of its own
	var out bytes.Buffer
	fresh := true
	for line := range strings.Lines(string(indented)) {
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		text = strings.TrimSuffix(text, "\n")
		closes := strings.HasPrefix(text, "}") || strings.HasPrefix(text, "]")
		switch {
		case len(indent) > len(deepest) || len(indent) == len(deepest) && closes:
			if !fresh && !closes {
				out.WriteByte(' ')
			}
		case out.Len() > 0:
			out.WriteString("\n" + indent)
		}
		out.WriteString(text)
		fresh = strings.HasSuffix(text, "{") || strings.HasSuffix(text, "[")
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// harmlessJSON escapes characters that can only stand inside of strings, because
// JSON's own syntax has none of them.
func harmlessJSON(text string) string {
	var out strings.Builder
	last := rune(0)
	for _, r := range text {
		switch {
		case hidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		case hidden(r), r >= 0x7f && r < 0xa0, r == '#' && last == '#':
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
		last = r
	}
	return out.String()
}

// Commands to CI servers in what a program prints: "::error::" and the like at the
// beginning of a line, and "##[error]", "##vso[...]", "##teamcity[...]" anywhere.
var (
	commandLine   = regexp.MustCompile(`(?m)^([ \t]*):(:)`)
	commandInLine = regexp.MustCompile(`##([A-Za-z]*\[)`)
)

// Log shows what a CI server would take for a command by the number of its
// first character, as clean does with what steers terminals.
func Log(text string) string {
	return commandInLine.ReplaceAllString(commandLine.ReplaceAllString(text, `$1\x3a$2`), `#\x23$1`)
}
