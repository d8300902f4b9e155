package logline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// binder binds our values to those of a log.
type binder struct {
	format *Format
	file   string
}

// part is a piece of one of our values: of the log, or a text.
type part struct {
	slot   int // of the log's values; -1 for a text
	text   []byte
	either bool // it counts only when those before it are empty
}

// bound are the parts of each of our values.
type bound struct {
	fields   [numFields][]part
	reads    []Read
	stated   bool    // the format says some of them
	patterns matcher // for the line, or for its message
	prose    bool    // the event is a message
	filled   Fields
}

// slotter finds which of the log's values has a name, for one of ours.
type slotter func(field int, name string) (int, error)

// bind binds the first of our values: as the format says, with slot for each name of the log in it, or else as guess
// does.
func (b binder) bind(to *bound, first []string, slot slotter, guess func(field int) error) (err error) {
	for field, name := range first {
		if b.format.Columns[name] == "" {
			err = guess(field)
		} else if to.fields[field], err = b.parts(field, slot); err == nil {
			to.reads, to.stated = append(to.reads, Read{name, b.format.Columns[name]}), true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parts reads what stands for one of our values: a text behind "=", or names and @file: joined by "+", or the first of
// several that a line has with "|" between them.
func (b binder) parts(field int, slot slotter) (parts []part, err error) {
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

// fill makes our values of those of a line. They are good until the next one.
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
			for _, p := range parts {
				value := p.of(values)
				if p.either && len(joined) > 0 {
					break
				}
				if len(value) > 0 && len(joined) > 0 {
					joined = append(joined, '/')
				}
				joined = append(joined, value...)
			}
			f.set(field, joined)
		}
	}
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

// aliases are what logs call our values, the best first: in lower case, words apart. A name that ends with one is
// as good as it when there is none.
var aliases = [numFields][]string{
	timeField:    {"time", "timestamp", "ts", "datetime", "date", "asctime", "t"},
	clientField:  {"client", "client id", "owner", "holder", "identity", "worker", "pod name", "pod", "instance", "instance id", "service node name", "hostname", "host name", "host"},
	lockField:    {"lock", "lock name", "lock key", "lock id", "lockname", "mutex", "lease name"},
	eventField:   {"event", "event action", "lock event", "event name", "action", "message", "msg"},
	tokenField:   {"token", "fencing token", "fence token", "fence"},
	modeField:    {"mode", "lock mode"},
	messageField: {"message", "msg", "content", "log"},
}

// wanted reports whether a value may be guessed by the names of a log: a message only where patterns look at it.
func (b *binder) wanted(field int) bool { return field != messageField || len(b.format.patterns) > 0 }

// needed reports whether a log has to have a value.
func (b *binder) needed(field int) bool {
	switch {
	case field == messageField:
		return true
	case b.format.patterns.has(names[field]):
		return false
	}
	return field <= eventField
}

// within looks for the values in the message of a line, where there are patterns. It returns the one that matched.
func (b *bound) within(f *Fields) (p *pattern, ok bool) {
	if len(b.patterns) == 0 {
		return nil, true
	}
	if p = b.patterns.match(f.message); p == nil {
		return nil, false
	}
	f.Prose = false
	p.set(f)
	return p, true
}

// whole is what is left to say of a line whose event was emitted.
func whole(p *pattern) error {
	if p != nil && p.twice() {
		return ErrTwo
	}
	return nil
}

// prose is the rank of the first alias of an event that may be any sentence.
var prose = slices.Index(aliases[eventField], "message")

// isProse reports whether a name is one of those.
func isProse(name string) bool { return slices.Contains(aliases[eventField][prose:], worded(name)) }

// farther is added to the rank of a name that ends with an alias.
const farther = 100

// rank says how well a name of a log stands for one of our values: the lower the better, -1 not at all. Our own
// name is 0.
func rank(field int, name string) int {
	if name == names[field] {
		return 0
	}
	if field == leaseField { // what is called so may be anything
		return -1
	}
	words := worded(name)
	for i, alias := range aliases[field] {
		switch {
		case words == alias:
			return i + 1
		case strings.HasSuffix(words, " "+alias) && !(field == eventField && i >= prose):
			return farther + i
		}
	}
	return -1
}

// worded writes a name in lower case with its words apart: "@timestamp", "lock.name", "lockName" and "LOCK_NAME"
// are timestamp and lock name.
func worded(name string) string {
	var words []byte
	for i, c := range []byte(name) {
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
				words = append(words, ' ')
			}
			words = append(words, c+'a'-'A')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
			words = append(words, c)
		case len(words) > 0 && words[len(words)-1] != ' ':
			words = append(words, ' ')
		}
	}
	return strings.TrimSpace(string(words))
}

// best chooses among the names of a log that for one of our values; -1 for none.
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

// twoOf refuses to choose.
func twoOf(field int, one, other string) error {
	if one == other {
		return fmt.Errorf("the header has two columns %q: rename one, or choose another with --columns %s=NAME", one, names[field])
	}
	return fmt.Errorf("%s and %s may both be the %s: choose one with --columns %s=NAME", one, other, names[field], names[field])
}
