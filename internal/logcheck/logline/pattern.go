package logline

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pattern is a regular expression with named groups for our values.
type pattern struct {
	re     *regexp.Regexp
	needed [][]byte       // what each line that matches contains
	groups map[string]int // by their names
	line   []byte         // that was matched last
	found  []int          // and where its groups are
}

func newPattern(text string) (*pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown([]byte(text)), err)
	}
	p := &pattern{re: re, groups: map[string]int{}, needed: needed(text)}
	for i, name := range re.SubexpNames() {
		if name != "" {
			p.groups[name] = i
		}
	}
	if len(p.groups) == 0 {
		return nil, fmt.Errorf("%s has no named group: write (?<client>...), (?<lock>...) and (?<event>...) around what stands for them", shown([]byte(text)))
	}
	return p, nil
}

// match looks for the pattern in a line.
func (p *pattern) match(line []byte) bool {
	p.line = line
	for _, text := range p.needed {
		if !bytes.Contains(line, text) {
			return false
		}
	}
	p.found = p.re.FindSubmatchIndex(line)
	return p.found != nil
}

// group is the text of a group in the line that was matched; nil without such a group.
func (p *pattern) group(name string) []byte {
	i, ok := p.groups[name]
	if !ok || p.found[2*i] < 0 {
		return nil
	}
	return p.line[p.found[2*i]:p.found[2*i+1]]
}

// needed are texts that every match of a regular expression contains, the longest first. To look for them before it is
// many times as fast.
func needed(text string) (all [][]byte) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	var walk func(r *syntax.Regexp)
	walk = func(r *syntax.Regexp) {
		switch r.Op {
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			for _, part := range r.Sub {
				walk(part)
			}
		case syntax.OpLiteral:
			if len(r.Rune) > 1 && r.Flags&syntax.FoldCase == 0 {
				all = append(all, []byte(string(r.Rune)))
			}
		}
	}
	walk(tree.Simplify())
	slices.SortStableFunc(all, func(a, b []byte) int { return len(b) - len(a) })
	return all
}

// matcher is the first of several patterns that matches.
type matcher []*pattern

func (m matcher) match(line []byte) *pattern {
	for _, p := range m {
		if p.match(line) {
			return p
		}
	}
	return nil
}

// has reports whether each pattern, or but one, has a group.
func (m matcher) has(name string) bool {
	return slices.ContainsFunc(m, func(p *pattern) bool { _, ok := p.groups[name]; return ok })
}

// set fills in the values that have a group.
func (p *pattern) set(f *Fields) {
	for field, name := range names {
		if value := p.group(name); len(value) > 0 {
			f.set(field, bytes.TrimSpace(value))
		}
	}
}

// Ignored are lines that may be passed over though they speak of a lock.
type Ignored []*regexp.Regexp

func newIgnored(texts []string) (i Ignored, err error) {
	for _, text := range texts {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown([]byte(text)), err)
		}
		i = append(i, re)
	}
	return i, nil
}

// of is what a line without an event is.
func (i Ignored) of(line []byte) error {
	if !speaks(line) || slices.ContainsFunc(i, func(re *regexp.Regexp) bool { return re.Match(line) }) {
		return ErrOther
	}
	return ErrUnread
}

// strptime are the verbs of strftime, as Python and C write times, in the words of Go.
var strptime = strings.NewReplacer("%Y", "2006", "%y", "06", "%m", "01", "%d", "02", "%e", "_2", "%H", "15", "%I", "03", "%M", "04", "%S", "05",
	"%f", "000000", "%L", "000", "%b", "Jan", "%B", "January", "%a", "Mon", "%A", "Monday", "%p", "PM", "%z", "-0700", "%Z", "MST", "%T", "15:04:05", "%F", "2006-01-02", "%%", "%")

// java are the letters of java.time, as logback and log4j write times.
var java = strings.NewReplacer("yyyy", "2006", "uuuu", "2006", "yy", "06", "MMMM", "January", "MMM", "Jan", "MM", "01", "dd", "02", "HH", "15", "hh", "03", "mm", "04", "ss", "05",
	"SSSSSSSSS", "000000000", "SSSSSS", "000000", "SSS", "000", "XXX", "Z07:00", "XX", "Z0700", "Z", "-0700", "EEE", "Mon", "a", "PM", "'T'", "T", "'", "")

// layoutOf is a layout of times in the words of Go, in which it may be written as well.
func layoutOf(text string) (string, error) {
	switch {
	case strings.Contains(text, "%"):
		text = strptime.Replace(text)
	case strings.Contains(text, "HH") || strings.Contains(text, "hh"):
		text = java.Replace(text)
	}
	if !strings.Contains(text, "05") || !strings.Contains(text, "04") || !strings.Contains(text, "15") && !strings.Contains(text, "3") {
		return "", fmt.Errorf("%q has no hour, minute and second: write it as yyyy-MM-dd HH:mm:ss.SSS, %%Y-%%m-%%d %%H:%%M:%%S.%%f or 2006-01-02 15:04:05.000", text)
	}
	return text, nil
}
