// Package logline splits the lines of a log into the values of events, without interpreting the
// values: CSV, JSON, application text, and the output of MONITOR of Redis.
//
// A Format describes a log, as far as the format cannot be detected from the first lines.
package logline

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fields are the values of an event as the log has them, valid until the next line; "" for a
// missing one.
type Fields struct {
	Time, Client, Lock, Event, Token, Mode, Lease []byte
	Prose                                         bool   // the event may be any sentence, or that of something else
	Named                                         bool   // the lock is a value of the line
	Unproven                                      bool   // it may not have happened, or does not prove that the client has the lock
	Failed                                        error  // why what it tells of may not have happened
	Moved                                         error  // if this is an event, why it may be that of another client
	Behind                                        []byte // the text behind what a pattern matched, without keys of something else
	Line                                          int64  // the number of its line; 0: the line that was decoded last
	message                                       []byte // in which patterns look for the other values
}

// names are our names of the values.
var names = []string{"time", "client", "lock", "event", "token", "mode", "lease", "message"}

const (
	timeField = iota
	clientField
	lockField
	eventField
	tokenField
	modeField
	leaseField
	messageField
	numFields
)

// set sets one of the values, by its number.
func (f *Fields) set(field int, value []byte) {
	value = bytes.TrimSpace(value)
	*[...]*[]byte{&f.Time, &f.Client, &f.Lock, &f.Event, &f.Token, &f.Mode, &f.Lease, &f.message}[field] = value
}

// Decoder splits the lines of one file.
type Decoder interface {
	// Decode calls emit for each event of a line, usually one. Lines are numbered from 1. Its
	// errors include ErrOther and ErrUnread, for lines without an event.
	Decode(line []byte, number int64, emit func(*Fields) error) error
	// End calls emit for events that are complete only at the end of the log.
	End(emit func(*Fields) error) error
	// Time returns the time of a line about something else, which was decoded last; nil when it is
	// not known.
	Time(line []byte) []byte
	// Whole reports whether a last line without a line break is certainly complete.
	Whole() bool
	// Reads returns the log's columns or keys for our values.
	Reads() []Read
	// Unproven returns the number of lines whose event may not have happened, and the first of
	// them.
	Unproven() (n, first int64)
}

// Read is the name that a log has for one of our values.
type Read struct{ Ours, Theirs string }

// The errors of lines that do not have exactly one event.
var (
	ErrOther     = errors.New("it tells nothing of a lock")
	ErrUnread    = errors.New("it speaks of a lock or names one, and does not have the form of an event")
	ErrTwo       = errors.New("it has a second event or lock, and only the first was read: a --pattern that takes in the rest of the line says that it does not matter")
	ErrFailed    = unread("it says that this did not succeed, or null for it")
	ErrGoesOn    = unread("it goes on with words that may say that this did not succeed: a --pattern that takes them in says that they do not matter")
	ErrNotHeld   = unread("it says that the lock is not held")
	ErrSwallowed = unread("a value in quotation marks has a line that is an event by itself: does a mark stand alone?")
	ErrBy        = unread("it says by whom, and the client was read elsewhere: say with a group (?<client>...) of --pattern who it is")
	ErrShared    = unread("it says that others share the lock: say with --columns mode=NAME, or a group (?<mode>...) of --pattern, where it says shared or exclusive")
	ErrGlued     = unread("a second time stands before its event: are these two lines in one?")
	ErrAsked     = unread("it shows what a server was asked, and not its reply")
)

// unread is an ErrUnread with the reason.
type unread string

func (u unread) Error() string        { return string(u) }
func (u unread) Is(target error) bool { return target == ErrUnread }

// Earlier is an ErrUnread of an earlier line.
type Earlier struct {
	Line int64
	Text string
}

func (e Earlier) Error() string        { return ErrUnread.Error() }
func (e Earlier) Is(target error) bool { return target == ErrUnread }

// The kinds of formats.
const (
	CSV     = "csv"
	JSON    = "json"
	Text    = "text"
	Monitor = "monitor"
)

var kinds = []string{CSV, JSON, Text, Monitor}

// isMonitor matches a line of MONITOR.
var isMonitor = regexp.MustCompile(`^\d{9,11}\.\d{6} \[\d+ [^"]+\] "`)

// Open returns a decoder for a file, and the format completed by what its first lines show. ahead
// is the beginning of the file, starting with the first line. The file's name may stand for a
// client.
func Open(f *Format, file string, first, ahead []byte) (d Decoder, found Format, err error) {
	found = *f
	if found.Kind == "" && found.Preset == "" && len(found.Pattern) == 0 {
		if name := recognized(ahead); name != "" {
			if found, err = found.over(name); err != nil {
				return nil, found, err
			}
		}
	}
	if found.Kind == "" {
		found.Kind = kindOf(&found, first)
	}
	if err := misfit(first); err != nil && (found.Kind == JSON || found.Kind == CSV) {
		return nil, found, err
	}
	b := bound{format: &found, file: file}
	switch found.Kind {
	case Monitor:
		d = newMonitor()
	case JSON:
		d, err = newJSON(b)
	case Text:
		d, err = newText(b)
	default:
		d, err = newCSV(first, b)
	}
	return d, found, err
}

// kindOf guesses the kind of a log from its first line.
func kindOf(f *Format, first []byte) string {
	start := bytes.TrimLeft(unprefixed(first, arrived), " \t")
	switch {
	case bytes.HasPrefix(start, []byte("{")) || Spread(start):
		return JSON
	case len(f.Pattern) > 0 && f.Columns["message"] == "":
		return Text
	}
	return CSV
}

// spread matches the beginning of an array of objects, or of an object of several lines.
var spread = regexp.MustCompile(`^\s*(?:\[\s*(?:\{|$)|\{[ \t\r]*(?:\n|$))`)

// Spread reports whether JSON begins whose objects are not lines.
func Spread(start []byte) bool { return spread.Match(start) }

// recognized returns the preset of the first lines; "" for none.
func recognized(ahead []byte) string {
	for n := 0; n < aheadLines && len(ahead) > 0; n++ {
		line, rest, _ := bytes.Cut(ahead, []byte{'\n'})
		ahead = rest
		if isMonitor.Match(line) {
			return "monitor"
		}
		line = unprefixed(unprefixed(line, pod), arrived)
		for _, name := range Presets() {
			if detect := presets()[name].detect; detect != nil && detect.Match(line) {
				return name
			}
		}
	}
	return ""
}

const aheadLines = 20

// What kubectl logs --prefix puts in front of a line; and when it arrived, from kubectl logs
// --timestamps or in a file of a container's runtime.
var (
	pod     = regexp.MustCompile(`^\[pod/\S+\] `)
	arrived = regexp.MustCompile(`^\d{4}-\S+(?:\.\d{9}(?:Z|[+-]\d\d:\d\d) |[Z\d] std(?:out|err) [FP] )`)
)

func unprefixed(line []byte, prefix *regexp.Regexp) []byte { return line[len(prefix.Find(line)):] }

// mayMatter reports whether a line may be about a lock: such a line must not be skipped.
func mayMatter(line []byte) bool {
	return slices.ContainsFunc(lockWords, func(word []byte) bool { return bytes.Contains(line, word) }) || bytes.Contains(line, message) && missing.Match(line)
}

// missing matches a line that stands for others, which may be about a lock: what a logger repeats,
// suppresses or loses when there is too much. Each match contains message.
var (
	missing = regexp.MustCompile(`(?i)\blast message repeated|\bsuppressed \d+ messages|\bmessages? (?:were |was )?(?:lost|dropped|suppressed|discarded)\b`)
	message = []byte(" message")
)

// lockWords are words about locks, in lower case, capitalized, and in
// upper case; among them the Chinese one, also as JSON escapes it.
var lockWords = func() (all [][]byte) {
	for _, word := range []string{"lock", "lease", "leader", "mutex", "acquir", "releas", "\u9501", `\u9501`} {
		all = append(all, []byte(word), []byte(strings.ToUpper(word[:1])+word[1:]), []byte(strings.ToUpper(word)))
	}
	return all
}()

// Shown quotes a piece of a log, cut to at most so many bytes.
func Shown(text []byte, most int) string {
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%q...", text[:most])
}

// shown quotes a piece of a log for an error.
func shown(text []byte) string { return Shown(text, 60) }
