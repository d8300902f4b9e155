package logcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
)

// names keeps one string for each name, so that most lines allocate nothing.
type names map[string]string

// maxNames is how many names are kept before all are forgotten.
const maxNames = 1 << 16

func (n names) of(text []byte) string {
	if s, ok := n[string(text)]; ok {
		return s
	}
	if len(n) >= maxNames {
		clear(n)
	}
	s := string(text)
	n[s] = s
	return s
}

// values makes events of what stands in lines.
type values struct {
	clock   clock
	words   map[string]Kind // those of the format, and those that have come so far
	locks   names
	clients map[string]*writer
	finest  int8 // digits below the second that a line has had at most
}

// writer is a client, and how finely it writes times: a log may be put together from several.
type writer struct {
	name   string
	digits int8 // below the second, at most
}

func newValues(f *logline.Format) (*values, error) {
	v := &values{words: map[string]Kind{}, locks: names{}, clients: map[string]*writer{}}
	for ours, theirs := range f.Events { // order: a set
		kind := Kind(slices.Index(kinds[:], ours))
		for _, word := range theirs {
			if other, ok := v.words[word]; ok && other != kind {
				return nil, fmt.Errorf("events: %q stands for %s and for %s", word, other, kind)
			}
			v.words[word] = kind
		}
	}
	return v, v.clock.set(f)
}

func (v *values) client(text []byte) *writer {
	if w := v.clients[string(text)]; w != nil {
		return w
	}
	if len(v.clients) >= maxNames {
		clear(v.clients)
	}
	w := &writer{name: string(text)}
	v.clients[w.name] = w
	return w
}

// fine is the power of ten, in nanoseconds, to which a client's times are cut off. Some formats leave zeros at
// the end away: so digits count in threes, as far as others of the log have them.
func (v *values) fine(w *writer) int8 {
	w.digits = max(w.digits, v.clock.digits)
	v.finest = max(v.finest, w.digits)
	return 9 - max(w.digits, min((w.digits+2)/3*3, v.finest))
}

// event makes an event of what stands in a line. It leaves Line alone.
func (v *values) event(f *logline.Fields, e *Event) (err error) {
	if e.Kind, err = v.kind(f.Event); err != nil {
		return err
	}
	if e.At, err = v.clock.read(f.Time); err != nil {
		return err
	}
	switch {
	case len(f.Client) == 0:
		return errors.New("the client is missing")
	case len(f.Lock) == 0 && e.Kind != Crashed:
		return errors.New("the lock is missing: only a client that has crashed may leave it out")
	case len(f.Client) > maxName || len(f.Lock) > maxName:
		return fmt.Errorf("a name is longer than %d bytes", maxName)
	}
	if e.Token, err = tokenOf(f.Token); err != nil {
		return err
	}
	if e.Shared, err = sharedOf(f.Mode); err != nil {
		return err
	}
	if e.Lease, err = leaseOf(f.Lease); err != nil {
		return err
	}
	w := v.client(f.Client)
	e.Client, e.Lock = w.name, ""
	if e.Kind == Crashed { // another one has written it
		w = &writer{}
	}
	e.Fine = v.fine(w)
	if len(f.Lock) > 0 {
		e.Lock = v.locks.of(f.Lock)
	}
	return nil
}

// errEvent is a word for an event that is not known.
type errEvent struct{ word string }

func (e *errEvent) Error() string {
	return fmt.Sprintf("unknown event %s: there are %s; --events lost=WORD says which of them a word stands for", shown([]byte(e.word)), strings.Join(kinds[:], ", "))
}

// kind finds the event that a word stands for.
func (v *values) kind(word []byte) (Kind, error) {
	if kind, ok := v.words[string(word)]; ok {
		return kind, nil
	}
	if len(word) == 0 {
		return 0, errors.New("the event is missing")
	}
	kind, ok := vocabulary[plain(string(word))]
	if !ok {
		return 0, &errEvent{string(word)}
	}
	if len(v.words) < maxNames {
		v.words[string(word)] = kind
	}
	return kind, nil
}

// filler are words that say nothing of what has happened to a lock.
var filler = strings.Fields("lock locks lease leader leadership mutex the a an this our event redis distributed successfully was is has been have i we it")

// plain is a phrase in lower case, without what says nothing: "lock_acquired" and "Successfully acquired the lock" are
// acquired.
func plain(phrase string) string {
	words := strings.FieldsFunc(strings.ToLower(phrase), func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 0x7f) })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(filler, w) }), " ")
}

// vocabulary are the phrases that mean one of our events in every log that we know. What could mean two is not among
// them: acquire, and a renewal that failed, after which some hold on and try again.
var vocabulary = map[string]Kind{
	"acquired": Acquired, "obtained": Acquired, "locked": Acquired, "granted": Acquired, "started leading": Acquired, "became": Acquired,
	"released": Released, "unlocked": Released, "freed": Released,
	"lost": Lost, "expired": Lost, "no longer ours": Lost, "no longer held": Lost, "no longer owned": Lost, "stopped leading": Lost, "revoked": Lost,
	"extended": Extended, "renewed": Extended, "refreshed": Extended,
	"waiting": Waiting, "waiting for": Waiting, "attempting to acquire": Waiting, "trying to acquire": Waiting, "acquiring": Waiting, "blocked": Waiting,
	"failed to acquire": Waiting, "could not acquire": Waiting, "not acquired": Waiting,
	"crashed": Crashed, "died": Crashed,
	"write": Write, "wrote": Write, "written": Write,
}

// sharedOf reads a mode.
func sharedOf(text []byte) (bool, error) {
	if len(text) == 0 {
		return false, nil
	}
	switch strings.ToLower(string(text)) {
	case "exclusive", "write", "writer", "x", "w":
		return false, nil
	case "shared", "read", "reader", "s", "r":
		return true, nil
	}
	return false, fmt.Errorf("unknown mode %s: there are shared (or read) and exclusive (or write)", shown(text))
}

// leaseOf reads how long a grant lasts; 0 for one that does not say it.
func leaseOf(text []byte) (time.Duration, error) {
	if len(text) == 0 {
		return 0, nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 || d > MaxLease {
		return 0, fmt.Errorf("%s is no lease such as 30s, of at most %v", shown(text), MaxLease)
	}
	return d, nil
}

func tokenOf(text []byte) (int64, error) {
	if len(text) == 0 {
		return NoToken, nil
	}
	n := int64(0)
	for _, d := range text {
		switch {
		case d < '0' || d > '9':
			return 0, fmt.Errorf("the token %s is no whole number from 0 on", shown(text))
		case n > (1<<63-1-9)/10:
			return 0, fmt.Errorf("the token %s is out of range: at most %d", shown(text), int64((1<<63-1-9)/10*10+9))
		}
		n = n*10 + int64(d-'0')
	}
	return n, nil
}

// Times without a zone: of what zone they are nothing tells, and clocks that are put back show an hour twice.

// zones refuses a time of which it is not known what zone it has.
func (l *log) zones(e *Event) error {
	c := &l.values.clock
	l.zoned = l.zoned || c.stated || !c.local
	l.lacks = l.lacks || c.lacks
	switch {
	case !l.lacks:
		return nil
	case l.zoned:
		return errors.New("some times of the log have a zone and others have none: say with --zone, or zones: in a mapping, which it is, such as Europe/Berlin or UTC")
	case l.steps.turned(e.Client, e.At):
		return errors.New("its time goes against the order of the lines by up to an hour: if clocks were put back there, say --zone Europe/Berlin or whichever it is, else --zone UTC")
	}
	return nil
}

// span is from when to when a source has events, and of whom.
type span struct {
	file     int
	from, to int64
	clients  map[string]bool
}

// maxSpan is how many clients of a source are remembered: with more of them, nothing is concluded.
const maxSpan = 1000

func (s *span) add(e *Event) {
	if s.clients == nil {
		s.clients, s.from, s.to = map[string]bool{}, e.At, e.At
	}
	s.from, s.to = min(s.from, e.At), max(s.to, e.At)
	if len(s.clients) <= maxSpan && !s.clients[e.Client] {
		s.clients[e.Client] = true
	}
}

// strangers finds two sources that have no moment and no client in common, and 0, 0 without any. What is rotated has the
// clients of the part before; sources of different clients are rather of different zones.
func strangers(spans []span) (int, int) {
	for i := range spans {
		for k := range spans[:i] {
			a, b := &spans[k], &spans[i]
			if len(a.clients) == 0 || len(b.clients) == 0 || len(a.clients) > maxSpan || len(b.clients) > maxSpan || a.from <= b.to && b.from <= a.to {
				continue
			}
			common := false
			for client := range a.clients { // order: any
				common = common || b.clients[client]
			}
			if !common {
				return a.file, b.file
			}
		}
	}
	return 0, 0
}

// steps are those of the times of a source from line to line, and where each client's clock was: lines of several
// clients may come one client after the other, and a clock that is put back makes its own client's times step.
type steps struct {
	last        int64 // 0 before the first
	forth, back int64 // how many
	clients     map[string]int64
}

// turned reports whether a client's time makes a step against the order of the lines that a clock makes when it is put
// back.
func (s *steps) turned(client string, at int64) bool {
	switch {
	case s.last == 0:
	case at < s.last:
		s.back++
	case at > s.last:
		s.forth++
	}
	s.last = at
	before, known := s.clients[client]
	if s.clients == nil || len(s.clients) >= maxNames {
		s.clients = map[string]int64{}
	}
	s.clients[client] = at
	step := at - before
	if s.back > s.forth { // newest first
		step = -step
	}
	return known && -step >= int64(10*time.Minute) && -step <= int64(61*time.Minute)
}
