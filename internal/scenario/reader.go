package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// reader reads one file and collects its problems.
type reader struct {
	file     string
	lines    []string
	problems []Problem

	// Set when the list itself has problems, so that names missing from it are not reported again.
	clientsUnclear, locksUnclear bool

	stored bool // the file of a run that has been played

	own  []ownKeys // of the items of the list of clients
	cast cast      // the nodes that faults and clocks can name; set once the servers are read
}

func (r *reader) add(line, col, width int, message string) {
	line = min(max(line, 1), max(len(r.lines), 1))
	r.problems = append(r.problems, Problem{
		File: r.file, Line: line, Col: max(col, 1), Width: max(width, 1), Message: message, source: r.lines,
	})
}

// problemf reports a problem at a node.
func (r *reader) problemf(n *node, format string, args ...any) {
	if n.set != "" {
		r.problems = append(r.problems, Problem{File: "--set " + n.set, Width: 1, Message: fmt.Sprintf(format, args...)})
		return
	}
	r.add(n.line, n.col, n.width, fmt.Sprintf(format, args...))
}

// group is the entries of one mapping by their keys.
type group map[string]entry

// group returns the entries of a mapping and reports unknown keys, duplicate keys and values of the
// wrong kind. name is what to call the mapping; example is what could be there.
func (r *reader) group(n *node, name, example string, known ...string) group {
	entries, ok := r.entries(n, name, example)
	if !ok {
		return nil
	}
	out := group{}
	for _, e := range entries {
		if !slices.Contains(known, e.key.text) {
			r.problemf(e.key, "unknown key %s in %s: %s", quote(e.key.text), name, suggest(e.key.text, known))
			continue
		}
		out[e.key.text] = e
	}
	return out
}

// entries returns the entries of a mapping without duplicates.
func (r *reader) entries(n *node, name, example string) ([]entry, bool) {
	if !n.is(mapNode) {
		r.wrongKind(n, name, "keys with values", example)
		return nil, false
	}
	first := map[string]*node{}
	var out []entry
	for _, e := range n.entries {
		if seen := first[e.key.text]; seen != nil {
			r.problemf(e.key, "%s appears twice in %s: the first one is in line %d; keep one", quote(e.key.text), name, seen.line)
			continue
		}
		first[e.key.text] = e.key
		out = append(out, e)
	}
	return out, true
}

// list returns the items of a list.
func (r *reader) list(n *node, name, example string) ([]*node, bool) {
	if !n.is(listNode) {
		r.wrongKind(n, name, "a list", example)
		return nil, false
	}
	return n.items, true
}

// value returns the text of a scalar that fits on one line.
func (r *reader) value(n *node, name, example string) (string, bool) {
	if !n.is(scalarNode) || strings.TrimSpace(n.text) == "" {
		r.wrongKind(n, name, "one value", example)
		return "", false
	}
	text := strings.TrimSpace(n.text)
	if strings.ContainsAny(text, "\n\t") {
		r.problemf(n, "%s must stand on one line, without tabs: write %s", name, example)
		return "", false
	}
	return text, true
}

// wrongKind reports a value of the wrong kind. A key that the file lacks, whose node is nil, is not
// reported here: whatever reads its value reports that it is missing.
func (r *reader) wrongKind(n *node, name, want, example string) {
	if n == nil {
		return
	}
	if n.kind == emptyNode || n.kind == scalarNode && strings.TrimSpace(n.text) == "" {
		r.problemf(n, "%s has no value: write %s", name, example)
		return
	}
	r.problemf(n, "%s must be %s, not %s: write %s", name, want, n.kind, example)
}

// read reads a scalar with parse, whose second result says what is wrong, "" for nothing.
func read[T any](r *reader, n *node, name, example string, parse func(text string) (T, string)) (v T, ok bool) {
	text, ok := r.value(n, name, example)
	if !ok {
		return v, false
	}
	v, wrong := parse(text)
	if wrong != "" {
		r.problemf(n, "%s", wrong)
	}
	return v, wrong == ""
}

// choice returns a value that must be one of a few.
func (r *reader) choice(n *node, name string, choices ...string) (string, bool) {
	return read(r, n, name, name+": "+choices[0], func(text string) (string, string) {
		if !slices.Contains(choices, text) {
			return "", fmt.Sprintf("%s cannot be %s: %s", name, quote(text), suggest(text, choices))
		}
		return text, ""
	})
}

// quote puts a text from a file in quotes, escaped and not too long.
func quote(s string) string {
	runes := []rune(s)
	if len(runes) > 60 {
		s = string(runes[:57]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// maxListed limits how many known words an error lists.
const maxListed = 40

// DidYouMean suggests the known word that is nearest to a word; otherwise is for a word that is not
// near any.
func DidYouMean(word string, known []string, otherwise string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return otherwise
}

// suggest returns the closest known word, or all of them when none is close.
func suggest(word string, known []string) string { return DidYouMean(word, known, listed(known)) }

// listed names all known words, or the first of very many.
func listed(known []string) string {
	switch len(known) {
	case 0:
		return "there is none to choose from"
	case 1:
		return "the only one is " + known[0]
	case 2:
		return fmt.Sprintf("choose %s or %s", known[0], known[1])
	}
	sorted := slices.Sorted(slices.Values(known))
	if len(sorted) > maxListed {
		return fmt.Sprintf("the known ones are %s and %d more", strings.Join(sorted[:maxListed], ", "), len(sorted)-maxListed)
	}
	return "the known ones are " + strings.Join(sorted, ", ")
}

// Nearest returns the known word that is a typing mistake away from word, "" for none. One edit per
// three letters counts as a mistake; more make another word.
func Nearest(word string, known []string) string {
	if len(word) == 0 || len(word) > 80 {
		return ""
	}
	best, bestDistance := "", len(word)
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < bestDistance && d <= max(len(k)/3, 1) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the edits between two words: a letter added, removed, replaced, or swapped with
// the next.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	older, old, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(y)]
}
