package logline

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/history/jsonline"
)

// jsonDecoder reads one JSON object for each event. Keys of nested objects are paths:
// kubernetes.pod.name.
type jsonDecoder struct {
	bound
	scan    jsonline.Scanner
	paths   map[string]target // of the paths seen so far
	slots   []slot
	values  [][]byte
	guessed [numFields]bool
	path    []byte
	inside  []byte // the path, for jq, of a text or an array in this line that has objects
}

// target is the slot that a path is read into, -1 for none, with the rank of its name.
type target struct {
	slot, rank int
	outcome    bool // without a slot, it says whether the event succeeded
}

// slot is one value of the log that is read.
type slot struct {
	field  int
	name   string // its path in this line
	before string // its path in the first event
	rank   int
	set    bool
}

const maxPaths = 4096

func newJSON(b bound) (*jsonDecoder, error) {
	d := &jsonDecoder{paths: map[string]target{}, bound: b}
	d.whole = true
	return d, d.bind(names, func(field int, theirs string) (int, error) {
		if t, ok := d.paths[theirs]; ok {
			return t.slot, nil
		}
		at := d.slot(field)
		d.paths[theirs] = target{slot: at}
		return at, nil
	}, func(field int) error {
		if d.wanted(field) {
			d.guessed[field] = true
			d.fields[field] = []part{{slot: d.slot(field)}}
		}
		return nil
	})
}

func (d *jsonDecoder) slot(field int) int {
	d.slots = append(d.slots, slot{field: field})
	d.values = append(d.values, nil)
	return len(d.slots) - 1
}

func (d *jsonDecoder) Decode(line []byte, _ int64, emit func(*Fields) error) error {
	for i := range d.slots {
		d.slots[i].set, d.values[i] = false, nil
	}
	d.scan.Reset(unprefixed(line, arrived))
	d.path, d.failed, d.inside = d.path[:0], nil, nil
	if d.scan.Next() != '{' {
		return fmt.Errorf("%s is no object of JSON: --ignore leaves out lines that do not matter, --preset or --pattern says how to read those that do", shown(line))
	}
	err := d.object(0)
	if err == nil {
		err = d.scan.End()
	}
	if err != nil {
		return err
	}
	f := d.fill(d.values)
	if s := d.guess(eventField); s != nil {
		f.Prose = s.rank > prose && s.rank < farther
	}
	p, ok := d.within(f)
	if !ok {
		return d.pass(line, messageField)
	}
	for field, name := range names[:tokenField] {
		if field == lockField || !d.lacks(field) || d.format.patterns.has(name) {
			continue
		}
		if s := d.guess(lockField); len(f.Lock) == 0 || s != nil && s.rank > 0 { // under a name that is not ours
			return d.pass(line, field)
		}
		return fmt.Errorf("it has no key %q: --columns %s=NAME says which one has the %s", name, name, name)
	}
	if len(f.Lock) == 0 && (len(f.Event) == 0 || f.Prose) {
		return d.pass(line, lockField)
	}
	f.Prose = f.Prose || len(f.Lock) == 0
	f.Moved = cmp.Or(d.moved(clientField), d.moved(lockField), d.moved(timeField))
	if err := d.emitOnly(f, p, emit); err != nil {
		return err
	}
	for i := range d.slots {
		if s := &d.slots[i]; s.set {
			s.before = cmp.Or(s.before, s.name)
		}
	}
	return nil
}

// guess returns the slot of a value whose key is guessed; nil for another one.
func (d *jsonDecoder) guess(field int) *slot {
	if !d.guessed[field] {
		return nil
	}
	return &d.slots[d.fields[field][0].slot]
}

// lacks reports whether no key of this line is known to be a value.
func (d *jsonDecoder) lacks(field int) bool {
	s := d.guess(field)
	return s != nil && !s.set
}

// pass returns the error for a line without an event, which names the value that it may lack.
func (d *jsonDecoder) pass(line []byte, field int) error {
	err := Pass(line)
	switch {
	case err == ErrOther || !d.lacks(field):
		return err
	case d.inside != nil && !slices.ContainsFunc(d.slots, func(s slot) bool { return s.set && s.field != timeField }):
		return unread("it has JSON within it: jq -rc '" + jq(d.inside) + "' takes that out")
	}
	name, cure := names[field], ""
	if field == lockField && len(d.format.patterns) == 0 {
		cure = ", or --pattern where a message does"
	}
	keys := slices.Sorted(maps.Keys(d.paths))
	return unread(fmt.Sprintf("which of the keys %s has the %s is not known: --columns %s=NAME says it%s", listed(keys), name, name, cure))
}

// moved is the error of a value with another key than before: a line may name the holder beside the
// client.
func (d *jsonDecoder) moved(field int) error {
	s := d.guess(field)
	if s == nil || !s.set || s.before == "" || s.name == s.before {
		return nil
	}
	return fmt.Errorf("the %s would be its %q, and was the %q of the lines before: choose one with --columns %s=NAME, or the first that is there with NAME|NAME",
		names[field], s.name, s.before, names[field])
}

const maxDepth = 8

func (d *jsonDecoder) object(depth int) error {
	return d.scan.Object(func(key []byte) error { return d.under(key, depth) })
}

func (d *jsonDecoder) under(key []byte, depth int) error {
	start := len(d.path)
	defer func() { d.path = d.path[:start] }()
	if start > 0 {
		d.path = append(d.path, '.')
	}
	d.path = append(d.path, key...)
	switch next := d.scan.Next(); {
	case depth < maxDepth && next == '{':
		return d.object(depth + 1)
	case depth < maxDepth && next == '[' && string(key) == "attributes":
		return d.scan.Array(func() error { return d.attribute(depth + 1) })
	case next == '[' && d.single():
		return d.scan.Array(func() error { return d.scalar(2 * farther) })
	}
	return d.scalar(0)
}

// attribute reads {"key": "lock.name", "value": {"stringValue": "jobs"}}, by which OpenTelemetry
// writes a key and its value.
func (d *jsonDecoder) attribute(depth int) error {
	if d.scan.Next() != '{' {
		return d.scan.Skip()
	}
	var name []byte
	return d.scan.Object(func(key []byte) (err error) {
		switch next := d.scan.Next(); {
		case string(key) == "key" && next == '"':
			name, err = d.scan.Bytes()
			return err
		case string(key) == "value" && next == '{' && name != nil:
			return d.scan.Object(func([]byte) error { return d.under(name, depth) })
		}
		return d.scan.Skip()
	})
}

// single reports whether an array has one plain element, as each of the fields of Elasticsearch.
func (d *jsonDecoder) single() bool {
	n, ahead := 0, d.scan
	err := ahead.Array(func() error {
		if c := ahead.Next(); c == '[' || c == '{' {
			n++
		}
		n++
		return ahead.Skip()
	})
	return err == nil && n == 1
}

// scalar reads the value at the current path, whose name fits less well by behind.
func (d *jsonDecoder) scalar(behind int) error {
	to, c := d.target(), d.scan.Next()
	if to.slot >= 0 && !(to.outcome && to.rank > 0 && (c == 't' || c == 'f')) { // gotLock is no lock
		to.rank += behind
		return d.value(to)
	}
	value, err := d.scan.Raw()
	if to.outcome {
		d.noteOutcome(d.path, value)
	}
	if array, ok := bytes.CutPrefix(value, []byte("[")); ok && bytes.HasPrefix(bytes.TrimLeft(array, " "), []byte("{")) {
		d.insideOf("[]")
	} else if bytes.HasPrefix(value, []byte(`"{\"`)) {
		d.insideOf("")
	}
	return err
}

// insideOf notes that the value at the current path, or each of an array, is an object.
func (d *jsonDecoder) insideOf(each string) {
	d.inside = append(append(append(d.inside[:0], '.'), d.path...), each...)
}

// key matches a key that jq reads without quotation marks.
var key = regexp.MustCompile(`^[A-Za-z_]\w*(?:\[\])?$`)

// jq writes a path for jq within the quotation marks of a shell.
func jq(path []byte) string {
	var out strings.Builder
	for word := range strings.SplitSeq(strings.TrimPrefix(string(path), "."), ".") {
		if !key.MatchString(word) {
			word = strconv.Quote(word)
		}
		out.WriteString("." + word)
	}
	return strings.ReplaceAll(out.String(), "'", `'\''`)
}

func (d *jsonDecoder) target() target {
	if t, ok := d.paths[string(d.path)]; ok {
		return t
	}
	t := target{slot: -1}
	path := string(d.path)
	for field := range names {
		if !d.guessed[field] {
			continue
		}
		if r := rank(field, path); r >= 0 && (t.slot < 0 || r < t.rank) {
			t = target{slot: d.fields[field][0].slot, rank: r}
		}
	}
	t.outcome = outcome.MatchString(path)
	if len(d.paths) < maxPaths {
		d.paths[path] = t
	}
	return t
}

func (d *jsonDecoder) value(to target) error {
	s := &d.slots[to.slot]
	c := d.scan.Next()
	if c == 'n' || to.rank > 0 && (c == '[' || c == '{' || c == 't' || c == 'f') {
		return d.scan.Skip() // null, or a guessed name with a value of another type
	}
	if s.set && s.rank < to.rank {
		return d.scan.Skip()
	}
	if s.set && s.rank == to.rank {
		if s.name == string(d.path) {
			return fmt.Errorf("%s appears twice", d.path)
		}
		return twoOf(s.field, s.name, string(d.path))
	}
	read := d.scan.Bytes
	switch {
	case s.field == timeField || s.field == tokenField || s.field == leaseField || c != '"' && (s.field == clientField || s.field == lockField):
		read = d.scan.Number
	case s.field == eventField && (c == 't' || c == 'f'): // whether it was acquired
		read = d.scan.Raw
	}
	if s.field == messageField && c == '[' {
		return fmt.Errorf(`%s is an array, as journald writes a message with colours: jq -c 'if (%[2]s|type) == "array" then %[2]s |= (implode | gsub("\u001b\\[[0-9;]*m"; "")) else . end' makes it a text without them`, d.path, jq(d.path))
	}
	value, err := read()
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	if bytes.HasPrefix(value, []byte(`{"`)) {
		d.insideOf("")
	}
	if s.name != string(d.path) {
		s.name = string(d.path)
	}
	s.set, s.rank, d.values[to.slot] = true, to.rank, value
	return nil
}

func (d *jsonDecoder) Reads() []Read {
	reads := d.reads
	for field, name := range names {
		if s := d.guess(field); s != nil && s.name != "" {
			reads = append(reads, Read{name, s.name})
		}
	}
	return reads
}
