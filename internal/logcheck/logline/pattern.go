package logline

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
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

// has reports whether one of the patterns has a group.
func (m matcher) has(name string) bool {
	return slices.ContainsFunc(m, func(p *pattern) bool { _, ok := p.groups[name]; return ok })
}

// set fills in the values that have a group.
func (p *pattern) set(f *Fields) {
	for field, name := range names {
		if value := p.group(name); len(value) > 0 {
			f.set(field, unquote(value))
		}
	}
}

// twice reports whether what is left of the line after the match has another one.
func (p *pattern) twice() bool {
	rest := p.line[p.found[1]:]
	for _, text := range p.needed {
		if !bytes.Contains(rest, text) {
			return false
		}
	}
	return p.re.Match(rest)
}

// pass is what a line without an event is.
func pass(line []byte) error {
	if speaks(line) {
		return ErrUnread
	}
	return ErrOther
}
