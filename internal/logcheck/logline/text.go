package logline

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// textDecoder finds the values in lines of prose by patterns.
type textDecoder struct {
	bound
	head   matcher  // of the text before the message; nil when no value is in it
	slots  []string // names of the groups with values
	values [][]byte
	timed  bool // a line had a time
}

func newText(b bound) (*textDecoder, error) {
	d := &textDecoder{bound: b}
	if len(d.format.patterns) == 0 {
		return nil, fmt.Errorf("say with --pattern where client, lock and event stand in a line, in named groups")
	}
	return d, d.bind(names[:messageField], func(field int, theirs string) (int, error) {
		switch {
		case d.format.patterns.has(theirs):
		case d.format.head.has(theirs):
			d.head = d.format.head
		default:
			return 0, fmt.Errorf("no --pattern has a group (?<%s>...), which is to be the %s%s", theirs, names[field], isCSV)
		}
		return d.slot(theirs), nil
	}, func(field int) error {
		switch name := names[field]; {
		case d.format.patterns.has(name):
			d.fields[field] = []part{{slot: d.slot(name)}}
			d.reads = append(d.reads, Read{name, "(?<" + name + ">...)"})
		case field == timeField:
			d.reads = append(d.reads, Read{name, "the first time of the line"})
		case field <= eventField:
			return fmt.Errorf("no --pattern has a group (?<%s>...), and there is no --columns %s=GROUP, =TEXT or @file%s", name, name, isCSV)
		}
		return nil
	})
}

// isCSV is the cure for a log that is read as text because patterns were given.
const isCSV = "; if the log is CSV, --columns message=NAME says where the text stands"

func (d *textDecoder) slot(name string) int {
	at := slices.Index(d.slots, name)
	if at < 0 {
		at = len(d.slots)
		d.slots, d.values = append(d.slots, name), append(d.values, nil)
	}
	return at
}

func (d *textDecoder) Decode(line []byte, _ int64, emit func(*Fields) error) error {
	p := d.format.patterns.match(line)
	if p == nil || traced(line) {
		return Pass(line)
	}
	head := d.head.match(line)
	if d.head != nil && head == nil {
		if at, _ := timeOf(line); at == nil && d.timed {
			return ErrUnread
		}
		return fmt.Errorf("its beginning is not that of the preset: say with a group (?<client>...) of --pattern, or --columns client=@file, who it is")
	}
	for i, name := range d.slots {
		value := p.group(name)
		if value == nil && head != nil {
			value = head.group(name)
		}
		d.values[i] = unquote(value)
	}
	f := d.fill(d.values)
	if len(f.Time) == 0 {
		if err := d.date(f, p, line); err != nil {
			return err
		}
	}
	return d.emitOnly(f, p, emit)
}

// date fills in the time of a line from its first date, or says why that may not be its time. A line
// without one goes on a message of several lines.
func (d *textDecoder) date(f *Fields, p *pattern, line []byte) error {
	at, before := timeOf(line)
	if at == nil && d.timed {
		return ErrUnread
	}
	if at == nil {
		return fmt.Errorf("no time is recognized in it: %s", sayTime)
	}
	f.Time, d.timed = at, true
	if hour := hours.Find(before); hour != nil {
		return fmt.Errorf("%s stands before %s, so which is its time? %s", shown(hour), shown(at), sayTime)
	}
	var key [][]byte
	if len(before) > 0 { // else there is none
		key = valueOf.FindSubmatch(before)
	}
	switch {
	case key == nil && len(before) > len(p.before()):
		return fmt.Errorf("%s stands behind the event, so is it its time? %s", shown(at), sayTime)
	case key != nil && uint(rank(timeField, string(key[1]))) >= farther: // its name is none for a time
		return fmt.Errorf("%s is the date of a key %s: %s", shown(at), shown(key[1]), sayTime)
	}
	if _, between, _ := bytes.Cut(p.before(), at); bytes.IndexByte(between, ':') >= 0 && glued.Match(between) {
		return ErrGlued
	}
	_, behind, _ := bytes.Cut(line, at)
	if offset := apart.Find(behind); offset != nil && bare.Match(at) {
		return fmt.Errorf("%s behind %s may be an offset of its zone: %s", shown(bytes.TrimSpace(offset)), shown(at), sayTime)
	}
	return nil
}

// sayTime is the cure for a line whose time is not recognized.
const sayTime = "say with a group (?<time>...) where it stands, and with --time-layout how it is written"

// Time implements Decoder.
func (d *textDecoder) Time(line []byte) []byte {
	at, _ := timeOf(line)
	return at
}

// timeOf returns the first time of a line, and what stands before it. The runtime of a container
// puts the time at which a line arrived in front of that of the line.
func timeOf(line []byte) (at, before []byte) {
	found := first.FindIndex(line)
	if found == nil {
		return nil, nil
	}
	at, before = line[found[0]:found[1]], line[:found[0]]
	if own := second.FindSubmatch(line[found[1]:]); own != nil && arrival.Match(at) {
		at = own[1]
	}
	return at, before
}

// unquote returns a value without surrounding spaces and quotation marks.
func unquote(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'' || value[0] == '`') {
		return value[1 : n-1]
	}
	return value
}

// stamp matches times of the usual forms: 2026-03-01T10:00:00.012+01:00, 2026-03-01 10:00:00,012,
// 2026/03/01 10:00:00, 2026-03-01 10:00:00.012+01, 2026-03-01 10:00:00.012 CET; and what may follow
// that would be misread if it were left out: PM, Europe/Berlin.
const stamp = `\d{4}(?:-\d\d-|/\d\d/)\d\d...:..:..(?:[.,]\d+)?(?:Z| Z\b| ?(?:UTC|GMT)(?:[+-]\d\d?(?::?\d\d)?)?\b| ?[+-]\d\d:?\d\d\b|[+-](?:0\d|1[0-4])\b| ` + ZoneNames + `\b| ?[AaPp][Mm]\b| ` + regions + `/\w+)?`

// A time, that of the runtime of a container, one that follows it at once, the key of one, one glued to
// the end of an unfinished line, one without a date, one without a zone, and a zone behind it in a form
// that is not read: +01, [+01:00], (UTC+2), (UTC).
var (
	first   = regexp.MustCompile(stamp)
	arrival = regexp.MustCompile(`T..:..:..\.\d{9}(?:Z|[+-]..:..)$`)
	second  = regexp.MustCompile(`^(?: std(?:out|err) [FP])? \[?(` + stamp + `)`)
	valueOf = regexp.MustCompile(`([\w.@-]+)=["'\[]?$`)
	glued   = regexp.MustCompile(`[\w.!)]` + stamp)
	hours   = regexp.MustCompile(`\b\d\d?:\d\d:\d\d\b`)
	bare    = regexp.MustCompile(`\d\d:\d\d:\d\d(?:[.,]\d+)?$`)
	apart   = regexp.MustCompile(`^ ?(?:[\[(]?(?:UTC|GMT)? ?[+-](?:0?\d|1[0-4])(?::?\d\d)?(?:[\])]| |$)|[\[(](?:Z|UTC|GMT|` + ZoneNames + `)[\])])`)
)

const regions = `(?:Africa|America|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)`

// ZoneNames matches common names of zones, which say no offset: some mean several.
const ZoneNames = `(?:[CEMPAN][SD]T|AK[SD]T|A[CEW][SD]T|NZ[SD]T|HST|CES?T|EES?T|WES?T|BST|I[SD]T|JST|KST|MSK|HKT|SGT|PKT|WIB|SAST|BRST?|TRT|WAT|CAT|EAT|GST|MSD|ICT|NPT|CLS?T|PET|IRST|WITA)`

// pattern is a regular expression with named groups for our values.
type pattern struct {
	re     *regexp.Regexp
	needed [][]byte       // texts that each matching line contains
	groups map[string]int // by their names
	line   []byte         // the last line that was matched
	found  []int          // the positions of its groups
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

func (p *pattern) match(line []byte) bool {
	p.line = line
	if !p.mayMatch(line) {
		return false
	}
	p.found = p.re.FindSubmatchIndex(line)
	return p.found != nil
}

func (p *pattern) mayMatch(text []byte) bool {
	return !slices.ContainsFunc(p.needed, func(needed []byte) bool { return !bytes.Contains(text, needed) })
}

func (p *pattern) group(name string) []byte {
	i, ok := p.groups[name]
	if !ok || p.found[2*i] < 0 {
		return nil
	}
	return p.line[p.found[2*i]:p.found[2*i+1]]
}

// needed returns texts that every match of a regular expression contains, the longest first.
// Searching for them is many times as fast as matching.
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

func newMatcher(texts words) (m matcher, err error) {
	for _, text := range texts {
		p, err := newPattern(text)
		if err != nil {
			return nil, err
		}
		m = append(m, p)
	}
	return m, nil
}

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

func (p *pattern) set(f *Fields) {
	for field, name := range names {
		if value := p.group(name); len(value) > 0 {
			f.set(field, unquote(value))
		}
	}
}

// twice reports whether one of the patterns matches beside the match of p, too, or syslog counts
// several such lines.
func (m matcher) twice(p *pattern) bool {
	before, after := p.line[:p.found[0]], p.line[p.found[1]:]
	return bytes.Contains(p.line, []byte("message repeated ")) || slices.ContainsFunc(m, func(q *pattern) bool { return q.matches(before) || q.matches(after) })
}

// phrase matches what stands in the place of a lock's name and names none: lock acquired by, lock
// acquired: true, lock acquired - jobs, ***.
var phrase = regexp.MustCompile(`[=:](?:true|false)$|^[^\w\x80-\x{10ffff}]+$|^(?:after|again|and|at|because|before|but|by|due|during|false|for|from|in|into|is|its|of|on|successfully|that|the|to|true|until|was|when|while|with|within|without)[:.]?$`)

// Words before and after a match with which it is no event: not acquired, once released, acquired:
// false; those with which a sentence may go on and still be one; words that name a client, behind it
// and before it, and those for how long; and the forms in which MySQL and PostgreSQL log what they
// are asked.
var (
	denies  = regexp.MustCompile(`(?i)(?:\b(?:not|never|no|cannot|could|would|should|may|might|until|unless|if|when|whether|once|before|after|be|to|yet|already|else|some(?:one|body)|nobody|on|will|unable|failed|(?:an)?other(?: +\w+)?)|n't) +(?:(?:yet|been|be|have|has|the|a|lock) +)*$`)
	isSo    = regexp.MustCompile(`(?i)(?:'s|\b(?:is|was|been|still)) +$`)
	negates = regexp.MustCompile(`(?i)^[ :=,;()\["'>?!-]*false\b|\s(?:=|[-=]?>) ?false\b|\s[-=]> ?(?:0|-1|no|nil|null)\b|HTTP/[\d.]+"? [45]\d\d\b|^\W*by (?:another|other|some(?:one|body))\b|^ *(?:fail(?:ed|ure)|rejected|unsuccessful\w*)(?:\W*$|:)`)
	neutral = regexp.MustCompile(`(?i)^(?:[^\w\s:=?>-]|[ \t]*(?:$|[^\w\s:=?>-]|[:=>-]+ *(?:$|true\b|yes\b|ok\b|success|\S+=|[\d.]*[1-9]|[^\w\s])|(?:after|and|as|at|by|during|exclusively|expires|failed to renew|for|from|in|into|lease|leadership|lock|mutex|now|of|ok|on|since|so|successfully|to|token|true|ttl|until|using|via|when|while|with|within)\b|[\d.]+ ?[a-zµ]+\b|[\w.-]+[=:]))`)
	agent   = regexp.MustCompile(`(?i)^[^.;]*\bby +\w`)
	actor   = regexp.MustCompile(`(?i)(?:^|\s)([a-z][\w.-]*\d[\w.-]*) +(?:has +|just +)*$`)
	byTime  = regexp.MustCompile(`(?i)\bby +(?:another +)?\d[\d.]* ?(?:[mnuµ]?s|m|h|min|secs?|seconds?|minutes?|hours?|millis|milliseconds?)\b`)
	selects = regexp.MustCompile(`(?i)\b(?:select|from|do|call|perform)\s+[\w.]*$`)
	call    = regexp.MustCompile(`^\w*\(`)
	asks    = regexp.MustCompile(`(?:^|LOG: +)(?:statement|execute \S+): |\bpg_try_advisory_|\d[ \t]+(?:Query|Execute)\t`)
)

// before returns the text before the event of the last match.
func (p *pattern) before() []byte {
	if i, ok := p.groups["event"]; ok && p.found[2*i] >= 0 {
		return p.line[:p.found[2*i]]
	}
	return p.line[:p.found[0]]
}

// event returns the event of the last match, with some of the text before it.
func (p *pattern) event(before int) []byte {
	start, end := len(p.before()), p.found[0]
	if i, ok := p.groups["event"]; ok && p.found[2*i] >= 0 {
		end = p.found[2*i+1]
	}
	return p.line[max(0, start-before):end]
}

// denied reports whether the words before the event of the last match deny it.
func (p *pattern) denied() bool {
	before := p.before()
	before = before[max(0, len(before)-60):]
	return denies.Match(before) || bytes.EqualFold(p.event(0), []byte("locked")) && isSo.Match(before)
}

// failed is the error of a match that did not succeed, by the words behind it, or may not have.
func (p *pattern) failed(client []byte) error {
	after := byTime.ReplaceAll(p.line[p.found[1]:], nil)
	switch {
	case slices.ContainsFunc(asking, func(word []byte) bool { return bytes.Contains(p.line, word) }) && asks.Match(p.line) || p.calls():
		return ErrAsked
	case negates.Match(after) || failure.Match(after):
		return ErrFailed
	case p.group("client") == nil && (agent.Match(after) || p.byAnother(client)):
		return ErrBy
	case !neutral.Match(after):
		return ErrGoesOn
	}
	return nil
}

// byAnother reports whether a name with a digit, and not the client's, stands before the event.
func (p *pattern) byAnother(client []byte) bool {
	before := p.before()
	who := actor.FindSubmatch(before[max(0, len(before)-60):])
	return who != nil && !bytes.Contains(client, who[1])
}

// calls reports whether the event of the last match is the name of a function in a statement, which is
// not said to have returned.
func (p *pattern) calls() bool {
	at := len(p.before())
	return bytes.IndexByte(p.line[at:], '(') >= 0 && call.Match(p.line[at+len(p.event(0)):]) && selects.Match(p.line[:at]) && !bytes.Contains(p.line[:at], []byte("duration: "))
}

// asking are the texts one of which each match of asks contains.
var asking = [][]byte{[]byte("statement: "), []byte("execute "), []byte("pg_try_"), []byte("Query\t"), []byte("Execute\t")}

func (p *pattern) matches(text []byte) bool { return p.mayMatch(text) && p.re.Match(text) }

// trace matches a line of a stack trace.
var trace = regexp.MustCompile(`^(?:\s+at |(?:Caused by|\s+Suppressed): )`)

func traced(line []byte) bool { return trace.Match(unprefixed(unprefixed(line, pod), arrived)) }

// Pass returns the error for a line without an event: ErrOther or ErrUnread.
func Pass(line []byte) error {
	if mayMatter(line) && !traced(line) {
		return ErrUnread
	}
	return ErrOther
}
