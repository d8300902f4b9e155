package logcheck

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
)

// maxNames is how many names are kept before all are forgotten.
const maxNames = 1 << 16

// intern returns the value of a name, which it makes once, so that most lines allocate nothing.
func intern[T any](known map[string]T, name []byte, value func(name string) T) T {
	if v, ok := known[string(name)]; ok {
		return v
	}
	if len(known) >= maxNames {
		clear(known)
	}
	s := string(name)
	known[s] = value(s)
	return known[s]
}

// values turns the fields of lines into events.
type values struct {
	clock   clock
	words   map[string]Kind   // words for events: those of the format, and those seen so far
	locks   map[string]string // by their names
	named   spellings         // of them
	clients map[string]*writer
	finest  int8 // the most digits below the second so far
}

// writer is a client with the precision of its times: a log may combine several clients' logs.
type writer struct {
	name   string
	digits int8 // below the second, at most
}

func newValues(f *logline.Format) (*values, error) {
	v := &values{words: map[string]Kind{}, locks: map[string]string{}, named: spellings{}, clients: map[string]*writer{}}
	for ours, theirs := range f.Events { // order: a set
		kind := Kind(slices.Index(logline.EventWords, ours))
		for _, word := range theirs {
			if other, ok := v.words[word]; ok && other != kind {
				return nil, fmt.Errorf("events: %q stands for %s and for %s", word, other, kind)
			}
			v.words[word] = kind
		}
	}
	return v, v.clock.set(f)
}

// fine returns the power of ten, in nanoseconds, to which a client's times are truncated. Some
// formats omit trailing zeros: so digits count in threes, up to the most in the log.
func (v *values) fine(w *writer) int8 {
	w.digits = max(w.digits, v.clock.digits)
	v.finest = max(v.finest, w.digits)
	return 9 - max(w.digits, min((w.digits+2)/3*3, v.finest))
}

// event fills in an event from the fields of a line, except for Line and Sum.
func (v *values) event(f *logline.Fields, e *Event) (err error) {
	if e.Kind, err = v.kind(f.Event); err != nil {
		return err
	}
	if e.At, err = v.clock.read(f.Time); err != nil {
		return err
	}
	switch {
	case len(f.Client) == 0:
		return errors.New("the client is missing: --columns client=NAME says where it stands, client=@file that it is the file")
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
	e.HasMode, e.Unproven = len(f.Mode) > 0, f.Unproven
	if e.Lease, err = leaseOf(f.Lease); err != nil {
		return err
	}
	w := intern(v.clients, f.Client, func(name string) *writer { return &writer{name: bare(name)} })
	e.Client, e.Lock = w.name, ""
	if e.Kind == Crashed { // written by another process
		w = &writer{}
	}
	e.Fine = v.fine(w)
	if len(f.Lock) > 0 {
		e.Lock = intern(v.locks, f.Lock, func(name string) string {
			v.named.add(bare(name))
			return bare(name)
		})
	}
	return nil
}

// bare returns a name without blanks and colours around it, with which it would look like another
// one.
func bare(name string) string { return strings.TrimSpace(colours.ReplaceAllString(name, "")) }

type errEvent struct{ word string }

func (e *errEvent) Error() string {
	return fmt.Sprintf("unknown event %s: there are %s; --events lost=WORD says which of them a word stands for, and --ignore leaves out lines that are none", shown([]byte(e.word)), strings.Join(logline.EventWords, ", "))
}

// kind returns the kind of event that a word stands for.
func (v *values) kind(word []byte) (Kind, error) {
	if kind, ok := v.words[string(word)]; ok {
		return kind, nil
	}
	if len(word) == 0 {
		return 0, errors.New("the event is missing: --columns event=NAME says where it stands")
	}
	phrase := plain(string(word))
	kind, ok := vocabulary[phrase]
	if !ok || phrase == "locked" && state.Match(word) {
		return 0, &errEvent{string(word)}
	}
	if len(v.words) < maxNames {
		v.words[string(word)] = kind
	}
	return kind, nil
}

// filler are words that do not identify an event.
var filler = strings.Fields("lock locks lease leader leadership mutex the a an this our event redis distributed successfully was is has been have i we it")

// state matches a phrase that may be said by one who does not get the lock: it is locked,
// lock_is_locked.
var state = regexp.MustCompile(`(?i)(?:\b|_)(?:is|was|been)(?:\b|_)`)

// plain returns a phrase in lower case without filler: acquired for "lock_acquired".
func plain(phrase string) string {
	return strings.Join(slices.DeleteFunc(logline.Words(phrase), func(w string) bool { return slices.Contains(filler, w) }), " ")
}

// vocabulary has phrases that mean one of our events in every known log. It leaves out ambiguous
// ones: acquire, and a failed renewal, after which some clients still hold the lock and retry.
var vocabulary = map[string]Kind{
	"acquired": Acquired, "obtained": Acquired, "locked": Acquired, "granted": Acquired, "started leading": Acquired, "became": Acquired,
	"released": Released, "unlocked": Released, "freed": Released,
	"lost": Lost, "expired": Lost, "no longer ours": Lost, "no longer held": Lost, "no longer owned": Lost, "stopped leading": Lost, "revoked": Lost,
	"extended": Extended, "renewed": Extended, "refreshed": Extended,
	"waiting": Waiting, "waiting for": Waiting, "attempting to acquire": Waiting, "trying to acquire": Waiting, "acquiring": Waiting, "blocked": Waiting,
	"failed to acquire": Waiting, "could not acquire": Waiting, "cannot acquire": Waiting, "unable to acquire": Waiting, "not acquired": Waiting,
	"crashed": Crashed, "died": Crashed,
	"write": Write, "wrote": Write, "written": Write,
}

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
	return false, fmt.Errorf("unknown mode %s: there are shared (or read) and exclusive (or write); if it is no mode of the lock, --columns mode==exclusive ignores it", shown(text))
}

// leaseOf parses a lease; 0 for none.
func leaseOf(text []byte) (time.Duration, error) {
	if len(text) == 0 {
		return 0, nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 || d > MaxLease {
		return 0, fmt.Errorf("%s is no lease such as 30s, of at most %v; --columns lease=NAME says where one stands, lease== that none does", shown(text), MaxLease)
	}
	return d, nil
}

func tokenOf(text []byte) (int64, error) {
	if len(text) == 0 {
		return NoToken, nil
	}
	digits, hexadecimal := strings.CutPrefix(string(text), "0x")
	base := 10
	if hexadecimal {
		base = 16
	}
	n, err := strconv.ParseUint(digits, base, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("the token %s is out of range: at most %d", shown(text), int64(math.MaxInt64))
	case err != nil:
		return 0, fmt.Errorf("the token %s is no whole number from 0 on; if it is no fencing token, --columns token== ignores it", shown(text))
	}
	return int64(n), nil
}

// Times without a zone are ambiguous: the zone is unknown, and clocks that are put back show an
// hour twice.

// zones returns an error for an ambiguous time.
func (l *log) zones(e *Event) error {
	c := &l.values.clock
	if err := l.years.note(c, e); err != nil {
		return err
	}
	l.zoned = l.zoned || c.stated || !c.local
	l.lacks = l.lacks || c.lacks
	switch {
	case !l.lacks:
		return nil
	case l.zoned:
		return errors.New("some times of the log have a zone and others have none: say with --zone, or zones: in a mapping, which it is, such as Europe/Berlin or UTC")
	}
	turned := l.steps.add(e.Client, e.At, l.place(), 10*time.Minute)
	if hour := time.Unix(0, e.At).UTC().Hour(); hour >= 23 || hour < 3 {
		turned = l.nights.add("", e.At, l.place(), 2*time.Minute) || turned
	}
	if turned && l.options.Found != nil { // a log that grows is oldest first
		return errTurned
	}
	return nil
}

var errTurned = errors.New("its time goes against the order of the lines by up to an hour: if clocks were put back there, say --zone Europe/Berlin or whichever it is, else --zone UTC")

// span is the time span of a source, with its clients.
type span struct {
	file     int
	from, to int64
	clients  map[string]bool
	keys     map[string]string // of MONITOR: the locks
}

// maxSpan bounds the clients remembered of a source.
const maxSpan = 1000

func (s *span) add(e *Event) {
	if s.clients == nil {
		s.clients, s.from, s.to = map[string]bool{}, e.At, e.At
	}
	s.from, s.to = min(s.from, e.At), max(s.to, e.At)
	if len(s.clients) < maxSpan {
		s.clients[e.Client] = true
	}
}

// strangers finds two sources without a common time and a common client, 0, 0 for none: their zones
// may differ.
func strangers(spans []span) (int, int) {
	return pairOf(spans, func(a, b span) bool {
		apart := len(a.clients) > 0 && len(b.clients) > 0 && (a.from > b.to || b.from > a.to)
		return apart && !common(a.clients, b.clients)
	})
}

// servers finds two sources that are MONITOR of one time and have a lock in common, 0, 0 for none:
// the masters of a Redlock are not one store.
func servers(spans []span) (int, int) {
	return pairOf(spans, func(a, b span) bool { return a.from < b.to && b.from < a.to && common(a.keys, b.keys) })
}

// pairOf finds the first two sources of which something is true; 0, 0 for none.
func pairOf(spans []span, is func(a, b span) bool) (int, int) {
	for i, b := range spans {
		for _, a := range spans[:i] {
			if is(a, b) {
				return a.file, b.file
			}
		}
	}
	return 0, 0
}

func common[V any](a, b map[string]V) bool {
	for key := range a { // order: any
		if _, ok := b[key]; ok {
			return true
		}
	}
	return false
}

// steps are those of the time of each client of a source, from line to line: a source may have the
// lines of one client after those of another, and a clock that is put back shows in its own
// client's times. In the hours at which clocks are put back anywhere, a step from one client's line
// to another's is ambiguous, too.
type steps struct {
	last        map[string]int64        // the last time of each client
	forth, back struct{ n, turn int64 } // the number of steps, and the place of the first that is as long as a clock is put back
}

// add notes the time of a client's line. It reports whether it lies before the last one by as much
// as a clock is put back, less the time between the lines, which leaves a step of least.
func (s *steps) add(client string, at, place int64, least time.Duration) bool {
	before, known := s.last[client]
	if s.last == nil || len(s.last) >= maxNames {
		s.last = map[string]int64{}
	}
	if s.last[client] = at; !known || at == before {
		return false
	}
	step, to := at-before, &s.forth
	if step < 0 {
		step, to = -step, &s.back
	}
	turns := step >= int64(least) && step <= int64(61*time.Minute)
	if to.n++; turns && to.turn == 0 {
		to.turn = place
	}
	return turns && to == &s.back
}

// turned returns the place of a line whose time steps against the order of the lines, by as much as
// a clock is put back; 0 for none. Unless most steps have one direction, lines may be oldest first
// or newest first.
func (s *steps) turned() int64 {
	switch {
	case s.forth.n > 2*s.back.n:
		return s.back.turn
	case s.back.n > 2*s.forth.n:
		return s.forth.turn
	}
	return cmp.Or(s.back.turn, s.forth.turn)
}
