package sanitize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// JSON writes a value as indented JSON. It keeps the texts and escapes characters that could steer
// a terminal or a CI server.
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

// JSONTable is JSON with everything below the second level on one line, so a diff shows a long list
// element by element.
func JSONTable(v any) ([]byte, error) {
	indented, err := JSON(v)
	if err != nil {
		return nil, err
	}
	const deepest = "    " // indentation of the last level with its own lines
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

// harmlessJSON escapes characters that occur only inside strings, since the syntax of JSON has none
// of them.
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

// Commands to CI servers in the output of a program: "::error::" and the like at the beginning of a
// line, and "##[error]", "##vso[...]", "##teamcity[...]" anywhere.
var (
	commandLine   = regexp.MustCompile(`(?m)^([ \t]*):(:)`)
	commandInLine = regexp.MustCompile(`##([A-Za-z]*\[)`)
)

// Log escapes the first character of everything that a CI server would take for a command.
func Log(text string) string {
	return commandInLine.ReplaceAllString(commandLine.ReplaceAllString(text, `$1\x3a$2`), `#\x23$1`)
}
