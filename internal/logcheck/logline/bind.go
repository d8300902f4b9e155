package logline

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// part is a part of one of our values: a value of the log, or a constant text.
type part struct {
	slot   int // of the log's values; -1 for a text
	text   []byte
	either bool // it is used only if the earlier parts are empty
}

// bound binds our values to those of a log, and has the methods that most decoders share.
type bound struct {
	format *Format
	file   string
	fields [numFields][]part
	reads  []Read
	stated bool // the format states some of them
	prose  bool // the event is a message
	filled Fields
	failed error // what a value of this line says against its event
	whole  bool  // a line that is cut is an error
}

func (b *bound) End(func(*Fields) error) error { return nil }
func (b *bound) Reads() []Read                 { return b.reads }
func (b *bound) Time([]byte) []byte            { return b.filled.Time }
func (b *bound) Whole() bool                   { return b.whole }
func (b *bound) Unproven() (n, first int64)    { return 0, 0 }

// slotter returns the slot of a value of the log by its name, for one of our values.
type slotter func(field int, name string) (int, error)

// bind binds the first of our values: by guess, unless the format states the names of the log.
func (b *bound) bind(first []string, slot slotter, guess func(field int) error) (err error) {
	for field, name := range first {
		if b.format.Columns[name] == "" {
			err = guess(field)
		} else if b.fields[field], err = b.parts(field, slot); err == nil {
			b.reads, b.stated = append(b.reads, Read{name, b.format.Columns[name]}), true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parts parses the expression for one of our values: a text after "=", or names and @file, joined
// by "+", or alternatives separated by "|".
func (b *bound) parts(field int, slot slotter) (parts []part, err error) {
	expression := b.format.Columns[names[field]]
	if text, ok := strings.CutPrefix(expression, "="); ok {
		return []part{{slot: -1, text: []byte(text)}}, nil
	}
	either := strings.Contains(expression, "|")
	for name := range strings.FieldsFuncSeq(expression, func(c rune) bool { return c == '+' || c == '|' }) {
		if strings.HasPrefix(name, "=") {
			return nil, fmt.Errorf("columns: %s=%s: a text stands alone, and cannot be joined", names[field], expression)
		}
		if name == "@file" {
			parts = append(parts, part{slot: -1, text: []byte(b.file), either: either})
			continue
		}
		at, err := slot(field, name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{slot: at, either: either})
	}
	return parts, nil
}

// fill returns our values from those of a line. They are valid until the next line.
func (b *bound) fill(values [][]byte) *Fields {
	f := &b.filled
	*f = Fields{Prose: b.prose}
	for field, parts := range b.fields {
		switch len(parts) {
		case 0:
		case 1:
			f.set(field, parts[0].of(values))
		default:
			var joined []byte
			between := byte('/')
			if field == timeField { // of a date and a time
				between = ' '
			}
			for _, p := range parts {
				value := p.of(values)
				if p.either && len(joined) > 0 {
					break
				}
				if len(value) > 0 && len(joined) > 0 {
					joined = append(joined, between)
				}
				joined = append(joined, value...)
			}
			f.set(field, joined)
		}
	}
	f.Named = len(f.Lock) > 0 && b.fields[lockField][0].slot >= 0
	return f
}

func (p *part) of(values [][]byte) []byte {
	switch {
	case p.slot < 0:
		return p.text
	case p.slot < len(values):
		return values[p.slot]
	}
	return nil
}

// aliases are names in logs for our values, the best first, in lower case with separated words.
// Names that end with an alias come next, except for a token and a mode, which others than locks
// have.
var aliases = [numFields][]string{
	timeField:    {"time", "timestamp", "ts", "datetime", "date", "asctime", "t", "time unix nano"},
	clientField:  {"client", "client id", "owner", "holder", "identity", "worker", "kubernetes pod name", "k8s pod name", "pod name", "pod", "instance", "instance id", "service node name", "hostname", "host name", "host"},
	lockField:    {"lock", "lock name", "lock key", "lock id", "lockname", "mutex", "lease name"},
	eventField:   {"event", "event action", "lock event", "event name", "action", "message", "msg"},
	tokenField:   {"token", "lock token", "fencing token", "fence token", "fence"},
	modeField:    {"mode", "lock mode"},
	messageField: {"message", "msg", "content", "log", "body string value"},
}

// wanted reports whether a value may be guessed by the names of a log: a message only if patterns
// use it.
func (b *bound) wanted(field int) bool { return field != messageField || len(b.format.patterns) > 0 }

// needed reports whether a log must have a value.
func (b *bound) needed(field int) bool {
	switch {
	case field == messageField:
		return true
	case b.format.patterns.has(names[field]):
		return false
	}
	return field <= eventField
}

// within fills in the values from the message of a line, if there are patterns. It returns the one
// that matched.
func (b *bound) within(f *Fields) (p *pattern, ok bool) {
	if len(b.format.patterns) == 0 {
		return nil, true
	}
	if p = b.format.patterns.match(f.message); p == nil {
		return nil, false
	}
	f.Prose = false
	p.set(f)
	return p, true
}

// emitOnly emits the event of a line, and returns ErrTwo if a pattern matches a second one, and
// ErrUnread if the words around the match may say that there was none.
func (b *bound) emitOnly(f *Fields, p *pattern, emit func(*Fields) error) error {
	if p != nil {
		if p.denied() || phrase.Match(f.Lock) {
			return ErrUnread
		}
		b.around(p, f)
	}
	f.Failed, b.failed = b.failed, nil
	if err := emit(f); err != nil {
		return err
	}
	if p != nil && b.format.patterns.twice(p) {
		return ErrTwo
	}
	return nil
}

// around notes what the text around the event of a line says of it.
func (b *bound) around(p *pattern, f *Fields) {
	if bytes.IndexByte(p.line, '=') >= 0 {
		for _, pair := range valued.FindAllSubmatch(p.line, -1) {
			b.noteOutcome(pair[1], pair[2])
		}
	}
	behind := p.line[p.found[1]:]
	if sharing.Match(p.event(20)) || sharing.Match(behind) {
		b.failed = cmp.Or(b.failed, error(ErrShared))
	}
	b.failed = cmp.Or(p.failed(f.Client), b.failed)
	f.Behind = valued.ReplaceAllFunc(behind, func(pair []byte) []byte {
		if mayMatter(pair) {
			return pair
		}
		return nil
	})
}

// valued matches a key with its value.
var valued = regexp.MustCompile(`([\w.-]+)=("[^"]*"|\S+)`)

// Names of values that say whether an event succeeded or is that of a lock that is shared, and names
// with a value that says that it did not succeed, or not whether it did, or that others share the
// lock. What is no error is nothing.
const (
	success = `success(?:ful)?|succeeded|ok|` + state
	state   = `acquired|obtained|granted|locked|held|won|leader|(?:got|ha(?:s|ve))_?(?:the_?)?lock`
	faults  = `failed|(?:err(?:or)?s?|exception)(?:[._]?(?:message|msg|code|type|class|name|reason|stack(?:_?trace)?))?|exc_info|stack_?trace|@x`
	status  = `(?:http_?|response_?)?status(?:[._]?code)?`
	modes   = `(?:lock[._]?)?mode|lock[._]?(?:type|kind)`
)

var (
	outcome = regexp.MustCompile(`(?i)^(?:(?:event|lock|fields|attributes|jsonPayload|_source|context|extra|data|properties|result|http|response)\.)*(?:(?:lock_?|is_?)?(?:` + success + `|` + faults + `|outcome|result|reply|` + status + `|shared|exclusive)|` + modes + `)$`)
	failure = regexp.MustCompile(`(?i)(?:\b|_)(?:(?:` + success + `)["' ]*[:=]+>?["' ]*(?:0|f|n|no|false|fail\w*|unsuccessful|null|<?nil|none|undefined)|` +
		`(?:outcome|result|reply|` + status + `)["' ]*[:=]+>?["' ]*(?:\w+_)?(?:false|fail\w*|error|denied|reject\w*|busy|not_?\w+|timed?[ _-]?out|unsuccessful|4[0-4]\d|5[01]\d))\b|(?:result|reply)=null$`)
	problem   = regexp.MustCompile(`(?i)(?:^|\.)(?:` + faults + `)$`)
	stateOnly = regexp.MustCompile(`(?i)(?:^|[._])(?:lock_?|is_?)?(?:` + state + `)$`)
	nothing   = regexp.MustCompile(`(?i)^"?(?:|null|<?nil>?|none|false|0|-|\[\s*\]|\{\s*\})"?$`)
	sharing   = regexp.MustCompile(`(?i)\b(?:read(?:er)?|shared)[ _-]?lock|\b(?:read|shared)[ -]mode\b|\(shared\)|\b(?:` + modes + `)["' ]*[:=]+["' ]*(?:s|r|shared|read(?:er|[_ -]?only|[_ -]?lock)?)(?:$|[^\w-])|\b(?:is_?)?shared["' ]*[:=]+["' ]*true|\bexclusive["' ]*[:=]+["' ]*false`)
)

// noteOutcome notes what a value of a line says against its event.
func (b *bound) noteOutcome(name, value []byte) {
	switch pair := slices.Concat(name, []byte{'='}, value); {
	case stateOnly.Match(name) && failure.Match(pair):
		b.failed = cmp.Or(b.failed, error(ErrNotHeld))
	case problem.Match(name) && !nothing.Match(value) || failure.Match(pair):
		b.failed = ErrFailed
	case sharing.Match(pair):
		b.failed = cmp.Or(b.failed, error(ErrShared))
	}
}

// prose is the rank of the first alias of an event that may be any sentence.
var prose = slices.Index(aliases[eventField], "message")

// farther is added to the rank of a name that ends with an alias.
const farther = 100

// rank returns how well a name fits one of our values: 0 is our own name, lower is better, -1 is no
// fit.
func rank(field int, name string) int {
	if name == names[field] {
		return 0
	}
	if field == leaseField { // other names are ambiguous
		return -1
	}
	words := worded(name)
	for i, alias := range aliases[field] {
		switch {
		case words == alias:
			return i + 1
		case strings.HasSuffix(words, " "+alias) && field != tokenField && field != modeField && !(field == eventField && i >= prose):
			return farther + i
		}
	}
	return -1
}

// camel matches the border of two words: lockAcquired.
var camel = regexp.MustCompile(`([a-z])([A-Z])`)

// Words returns the words of a name or a phrase in lower case: timestamp for "@timestamp", and lock
// and name for "lock.name", "lockName" and "LOCK_NAME".
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(camel.ReplaceAllString(text, "$1 $2")), func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 0x7f) })
}

func worded(name string) string { return strings.Join(Words(name), " ") }

// best returns the index of the name that fits one of our values best; -1 for none.
func best(field int, all []string) (int, error) {
	type ranked struct{ rank, at int }
	var found []ranked
	for at, name := range all {
		if r := rank(field, name); r >= 0 {
			found = append(found, ranked{r, at})
		}
	}
	if len(found) == 0 {
		return -1, nil
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	if len(found) > 1 && found[0].rank == found[1].rank {
		return -1, twoOf(field, all[found[0].at], all[found[1].at])
	}
	return found[0].at, nil
}

// twoOf is the error for two names that fit equally well.
func twoOf(field int, one, other string) error {
	if one == other {
		return fmt.Errorf("the header has two columns %q: rename one, or choose another with --columns %s=NAME", one, names[field])
	}
	return fmt.Errorf("%s and %s may both be the %s: choose one with --columns %s=NAME", one, other, names[field], names[field])
}
