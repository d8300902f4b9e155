package logcheck

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

func (l *log) open(in io.Reader) error {
	in, err := Plain(in, l.options.Format.Encoding)
	if err != nil {
		return l.wrong(err)
	}
	l.lines, l.decoder, l.ahead, l.steps, l.nights, l.courses = newLines(in), nil, nil, steps{}, steps{}, map[string]*course{}
	l.spans, l.others = append(l.spans, span{file: l.number}), l.other.n
	if l.options.Found == nil {
		ahead, _ := l.lines.in.Peek(aheadBytes) // an error recurs on reading
		l.ahead = bytes.TrimPrefix(colours.ReplaceAll(ahead, nil), []byte(bom))
		l.lines.spread = logline.Spread(l.ahead) && l.options.Format.Kind != logline.Text
	}
	return nil
}

func (l *log) read(in io.Reader) error {
	if err := l.open(in); err != nil {
		return err
	}
	defer func() { l.total += max(l.lines.number, l.lines.breaks) }()
	for {
		line, err := l.lines.next()
		if stop := l.interrupted(l.lines.number); stop != nil {
			return stop
		}
		switch {
		case err == io.EOF:
			return l.end()
		case errors.Is(err, io.ErrUnexpectedEOF):
			l.judge.result.doubt(say.LogBreaksOff.With(l.at()))
			return l.end()
		case err == nil:
			err = l.decode(line)
		case !errors.Is(err, errLong):
			return l.wrong(fmt.Errorf("after line %d: %w", l.lines.number, err))
		}
		if err == nil && l.lines.number > 1 && !l.lines.whole && l.decoder != nil && !l.decoder.Whole() {
			err = errOpen // a command without its end may have another meaning
		}
		switch {
		case err == nil:
		case errors.Is(err, logline.ErrOther) && l.lines.number > 1 && !l.lines.whole && !l.decoder.Whole():
			l.judge.result.doubt(say.LogCut.With(l.at())) // the missing rest may be about a lock
			return l.end()
		case errors.Is(err, logline.ErrOther):
			l.other.add(l.place(), line, err)
		case errors.Is(err, errIgnored):
			l.ignored.add(l.place(), line, err)
		case errors.Is(err, logline.ErrUnread) || errors.Is(err, logline.ErrTwo):
			l.misread(line, err)
		case l.lines.number > 1 && !l.lines.whole && !isLate(err):
			l.judge.result.doubt(say.LogCut.With(l.at()))
			return l.end()
		case l.decoder == nil || !l.options.Skip || isLate(err) && l.options.Found == nil:
			return &LineError{l.judge.files[l.number], l.lines.number, err}
		default:
			l.skipped.add(l.place(), line, err)
		}
	}
}

// aheadBytes is how much of a source is read ahead, to find the precision of its times.
const aheadBytes = 64 << 10

// wrong adds the name of the source to an error when there are several.
func (l *log) wrong(err error) error {
	if name := l.judge.files.name(placed(l.number, 0)); name != "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// place returns the place of the last line that was read; at names it.
func (l *log) place() int64   { return placed(l.number, l.lines.number) }
func (l *log) at() say.Phrase { return l.judge.files.at(l.place()) }

func (l *log) end() error {
	if l.decoder == nil {
		if len(l.judge.files) > 1 {
			l.judge.result.doubt(say.LogEmptyFile.With(say.Verbatim(l.judge.files[l.number])))
		}
		return nil
	}
	err := l.decoder.End(l.emit)
	if errors.Is(err, logline.ErrUnread) {
		l.misread(nil, err)
		err = nil
	}
	if place := cmp.Or(l.steps.turned(), l.nights.turned()); err == nil && place > 0 { // whichever lines are skipped
		err = l.wrong(fmt.Errorf("line %d: %w", lineOf(place), errTurned))
	}
	if l.other.n > l.others || l.lines.number == 1 && l.format.Kind == logline.CSV {
		l.passed = append(l.passed, l.number)
	}
	for _, client := range slices.Sorted(maps.Keys(l.courses)) {
		if c := l.courses[client]; c.turned() && c.by > int64(l.options.Window) {
			l.judge.result.doubt(say.LogSetBack.With(l.judge.files.at(c.turn), say.Verbatim(client), say.Span(c.by)))
			break
		}
	}
	if n, first := l.decoder.Unproven(); n > 0 {
		l.judge.result.doubt(say.LogUnproven.With(say.Number(n), l.judge.files.at(placed(l.number, first))))
	}
	if l.format.Kind == logline.Monitor {
		l.spans[len(l.spans)-1].keys = l.values.locks
	}
	if name := l.formatName(); !slices.Contains(l.formats, name) {
		l.formats = append(l.formats, name)
	}
	if l.reads == nil {
		l.reads = l.decoder.Reads()
	}
	return err
}

func (l *log) formatName() string {
	if l.format.Preset == "" && l.format.Kind == logline.JSON && !l.lines.spread {
		return "jsonl"
	}
	return cmp.Or(l.format.Preset, l.format.Kind)
}

func (l *log) decode(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	if err := readable(line); err != nil {
		return err
	}
	if l.line = line; l.decoder == nil {
		header, err := l.begin(line)
		if err != nil || header {
			return err
		}
	}
	if l.format.Ignores(line) {
		return errIgnored
	}
	err := l.decoder.Decode(line, l.lines.number, l.emit)
	if errors.Is(err, logline.ErrOther) && l.format.Kind != logline.Monitor && l.values.named.in(line, false) {
		return logline.ErrUnread
	}
	if _, behind, ok := bytes.Cut(line, []byte{'\n'}); ok && l.lines.quoted && (err == nil || errors.Is(err, logline.ErrOther)) && l.swallows(behind) {
		return logline.ErrSwallowed
	}
	return err
}

// swallows reports whether one of the further lines of a record of CSV is an event by itself.
func (l *log) swallows(behind []byte) (is bool) {
	for line := range bytes.SplitSeq(bytes.ReplaceAll(behind, []byte{'"'}, nil), []byte{'\n'}) {
		_ = l.decoder.Decode(line, l.lines.number, func(f *logline.Fields) error { // what is no event is no error here
			is = is || l.values.event(f, &Event{}) == nil
			return nil
		})
	}
	return is
}

// errIgnored is the error of a line that the format ignores.
var errIgnored = errors.New("it matches --ignore")

// spellings are names of locks in the forms in which other lines may have them: see add.
type spellings map[string]bool

// add adds a name in lower case, with and without a word for a lock around it.
func (s spellings) add(name string) {
	if len(s) >= 2*maxNames {
		clear(s)
	}
	s[trimmed(strings.ToLower(name))], s[essence(name)] = true, true
}

// in reports whether a line contains one of the names as a word, or as parts of one: it may be an
// event in an unknown form. A short name, or a number, is often something else, and counts only if
// any does.
func (s spellings) in(line []byte, anyName bool) bool {
	is := func(name string) bool {
		name = trimmed(name)
		return len(name) > 0 && (anyName || len(name) > 2) && s[name] && (anyName || !numeric([]byte(name)))
	}
	text := strings.ToLower(string(line))
	if strings.Contains(text, `\`) {
		text = unicodes.ReplaceAllStringFunc(strings.ReplaceAll(text, `\/`, "/"), func(code string) string {
			c, _ := strconv.ParseUint(code[2:], 16, 16) // the pattern was checked
			return string(rune(c))
		})
	}
	for len(text) > 0 {
		end, parts := 0, false // of a word
		for end < len(text) && text[end] > ' ' && !separates[text[end]] {
			parts = parts || text[end] >= utf8.RuneSelf || mark(text[end])
			end++
		}
		if end > 0 && (is(text[:end]) || parts && s.inPart(text[:end], is)) {
			return true
		}
		text = text[min(end+1, len(text)):]
	}
	return false
}

// inPart reports whether parts of a word are a name.
func (s spellings) inPart(word string, is func(string) bool) bool {
	for from := range word {
		if mark(word[from]) || !edge(word, from) {
			continue
		}
		for to, parts := from+1, 0; to <= len(word) && parts < maxParts; to++ {
			if mark(word[to-1]) || !edge(word, to) {
				continue
			}
			if parts++; is(word[from:to]) && !location.MatchString(word) {
				return true
			}
		}
	}
	return false
}

// unicodes matches characters as JSON may write them.
var unicodes = regexp.MustCompile(`\\u[\da-f]{4}`)

// location matches a URL, and the path of a file: parts of them are seldom the names of locks.
var location = regexp.MustCompile(`^/|://|\.[a-z]+(?::\d+)*:?$`)

// maxParts bounds the parts of a word that are taken for a name.
const maxParts = 4

func mark(c byte) bool { return c == '/' || c == ':' || c == '#' || c == '@' }

// edge reports whether parts of a word may meet at an index: at a mark, or where its script changes.
func edge(word string, at int) bool {
	return at == 0 || at == len(word) || mark(word[at-1]) || mark(word[at]) || (word[at-1] < utf8.RuneSelf) != (word[at] < utf8.RuneSelf)
}

// separates has the marks between words.
var separates = [256]bool{'"': true, '\'': true, '`': true, '=': true, ',': true, ';': true, '(': true, ')': true, '[': true, ']': true, '{': true, '}': true, '<': true, '>': true, '|': true}

var errOpen = errors.New("it has no line break")

// begin detects the format by the first lines, and reports whether this one is a header.
func (l *log) begin(line []byte) (bool, error) {
	ahead := l.ahead
	if ahead == nil {
		ahead = line
	}
	if l.options.Found != nil && logline.Spread(line) {
		return false, errors.New("it begins an array of JSON, or an object of several lines: --follow needs each object on a line of its own")
	}
	name, whole := l.judge.files.short(l.number), filepath.ToSlash(l.judge.files[l.number])
	d, format, err := logline.Open(&l.options.Format, name, line, ahead)
	if err != nil {
		return false, err
	}
	for _, pattern := range slices.Sorted(maps.Keys(format.Zones)) {
		of, _ := path.Match(pattern, path.Base(whole)) // the pattern was checked
		in, _ := path.Match(pattern, whole)
		if of || in {
			format.Zone = format.Zones[pattern]
		}
	}
	values, err := newValues(&format)
	if err != nil {
		return false, err
	}
	l.decoder, l.format, l.values = d, format, values
	l.judge.threads = l.judge.threads || strings.Contains(format.Columns["client"], "thread")
	l.lines.quoted = format.Kind == logline.CSV
	values.clock.last, values.clock.aliases = l.years.first, l.aliases
	if len(l.judge.files) == 1 { // the rules of one file may not fit others
		rules, err := l.options.Rules.Stated(&format)
		if err != nil {
			return false, err
		}
		l.judge.state(rules)
	}
	if first, _, err := logline.Open(&l.options.Format, name, line, ahead); err == nil {
		l.look(first)
	}
	l.judge.unit = values.clock.shownIn()
	return format.Kind == logline.CSV, nil
}

// look reads ahead to find the precision of each client's times, so that the first lines count as
// no coarser than the later ones.
func (l *log) look(d logline.Decoder) {
	var e Event
	lines := newLines(bytes.NewReader(l.ahead))
	for lines.spread, lines.quoted = l.lines.spread, l.lines.quoted; ; {
		line, err := lines.next()
		if err != nil {
			break
		}
		if len(line) > 0 && readable(line) == nil { // an invalid line is an error when it is decoded for good
			_ = d.Decode(line, lines.number, func(f *logline.Fields) error { return l.values.event(f, &e) })
		}
	}
	l.ahead = nil
	l.values.clock.last = l.years.first
}

func (l *log) emit(f *logline.Fields) error {
	if !l.lines.whole && !l.decoder.Whole() && (f.Line == 0 || f.Line == l.lines.number) {
		return errOpen
	}
	e := &l.event
	err := l.values.event(f, e)
	_, unknown := errors.AsType[*errEvent](err)
	switch {
	case f.Prose && f.Named && unknown:
		return logline.ErrUnread
	case f.Prose && unknown:
		return logline.Pass(l.line)
	case f.Failed != nil && err == nil && e.Kind != Waiting && e.Kind != Lost && !(f.Failed == logline.ErrShared && e.HasMode) && !((f.Failed == logline.ErrNotHeld || f.Failed == logline.ErrGoesOn) && e.Kind == Released):
		return f.Failed
	case err != nil || f.Moved != nil:
		return cmp.Or(err, f.Moved)
	}
	if err := l.zones(e); err != nil {
		return err
	}
	l.spans[len(l.spans)-1].add(e)
	e.Line, e.Sum = l.place(), 0
	if e.Kind != Crashed { // written by another process
		intern(l.courses, f.Client, func(string) *course { return &course{first: e.At, before: e.At, last: e.At, high: e.At} }).add(e.At, e.Line)
	}
	if f.Line > 0 {
		e.Line = placed(l.number, f.Line)
	} else if e.Fine <= coarsest {
		e.Sum = xxh3.Hash(l.line)
	}
	if err := l.take(e); err != nil {
		return err
	}
	holds := e.Kind == Acquired || e.Kind == Extended
	if holds && ends.Match(f.Behind) || another.Match(f.Behind) && !goesOn.Match(f.Behind) || l.values.named.in(bytes.ReplaceAll(f.Behind, f.Lock, nil), false) {
		return logline.ErrTwo
	}
	return nil
}

// Texts behind an event that tell of the end of a hold, that continue a list of locks, and that may
// look so but go on with a sentence: ", starting".
var (
	ends    = regexp.MustCompile(`(?i)\b(?:releas(?:ed|ing)|expired|lost|unlock(?:ed|ing)|is over)\b`)
	another = regexp.MustCompile(`^(?:(?:,| and| &) ?[^\s,]+)+$`)
	goesOn  = regexp.MustCompile(`(?i)^(?:,| and| &) ?(?:[a-z]+(?:ing|ed)|ok|done)[.!…]*$`)
)

// coarsest is the coarsest precision at which equal lines are duplicates: a millisecond.
const coarsest = 6 // a power of ten in nanoseconds
