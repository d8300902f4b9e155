// Package logline splits the lines of a log into the values of events: CSV, JSON, application text, and what
// Redis shows of its commands. What the values mean is none of its business.
//
// A Format says how a log is written, as far as its first lines do not show it.
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

// Fields are the values of an event, as the log has them. They are good until the next line; one that the log does
// not have is empty.
type Fields struct {
	Time, Client, Lock, Event, Token, Mode, Lease []byte
	Prose                                         bool   // the event may be any sentence
	Line                                          int64  // where it stands, if not in the line that was decoded last
	message                                       []byte // in which patterns look for the others
}

// names are ours for them.
var names = [...]string{"time", "client", "lock", "event", "token", "mode", "lease", "message"}

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

// set gives one of the values, by its number.
func (f *Fields) set(field int, value []byte) {
	*[...]*[]byte{&f.Time, &f.Client, &f.Lock, &f.Event, &f.Token, &f.Mode, &f.Lease, &f.message}[field] = value
}

// Decoder splits the lines of one file.
type Decoder interface {
	// Decode calls emit for each event of a line, mostly one. Lines are numbered from 1. ErrOther and ErrUnread are of
	// lines without an event.
	Decode(line []byte, number int64, emit func(*Fields) error) error
	// End calls emit for what the last lines left open.
	End(emit func(*Fields) error) error
	// Whole reports whether a line that has no line break is complete all the same.
	Whole() bool
	// Reads says what is read as what: the name of the log's column or key for ours.
	Reads() []Read
}

// Read says what is read as one of our values.
type Read struct{ Ours, Theirs string }

// What a line may be that holds no event.
var (
	ErrOther  = errors.New("it tells nothing of a lock")
	ErrUnread = errors.New("it speaks of a lock, and does not have the form of an event")
	ErrTwo    = errors.New("it has a second event, and only the first was read")
)

// The kinds of formats.
const (
	CSV     = "csv"
	JSON    = "json"
	Text    = "text"
	Monitor = "monitor"
)

// kinds are all of them.
var kinds = []string{CSV, JSON, Text, Monitor}

// isMonitor is how Redis shows its commands.
var isMonitor = regexp.MustCompile(`^\d{9,11}\.\d{6} \[\d+ [^"]+\] "`)

// Open finds out how a file is read by its first line, and those ahead, which begin with it, as far as the format does
// not say it. The file's name may stand for a client. It returns the format with what was found out.
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
	b := binder{format: &found, file: file}
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
	start := bytes.TrimLeft(first, " \t")
	switch {
	case bytes.HasPrefix(start, []byte("{")) || IsArray(start):
		return JSON
	case len(f.Pattern) > 0 && f.Columns["message"] == "":
		return Text
	}
	return CSV
}

// IsArray reports whether an array of objects begins.
func IsArray(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r\n")
	if len(line) == 0 || line[0] != '[' {
		return false
	}
	inside := bytes.TrimLeft(line[1:], " \t\r\n")
	return len(inside) == 0 || inside[0] == '{'
}

// recognized is the preset that the first lines belong to; "" for none.
func recognized(ahead []byte) string {
	for n := 0; n < aheadLines && len(ahead) > 0; n++ {
		line, rest, _ := bytes.Cut(ahead, []byte{'\n'})
		ahead = rest
		if isMonitor.Match(line) {
			return "monitor"
		}
		for _, name := range presetNames {
			if detect := presets[name].detect; detect != nil && detect.Match(line) {
				return name
			}
		}
	}
	return ""
}

// aheadLines is how many lines are looked at to recognize a format.
const aheadLines = 20

// speaks reports whether a line may be about a lock: one that is passed over must not be.
func speaks(line []byte) bool {
	return slices.ContainsFunc(telling, func(word []byte) bool { return bytes.Contains(line, word) })
}

// telling are the words for that, as they are written in prose, at the beginning of a sentence, and loud.
var telling = func() (all [][]byte) {
	for _, word := range []string{"lock", "lease", "leader", "mutex", "acquir", "releas"} {
		all = append(all, []byte(word), []byte(strings.ToUpper(word[:1])+word[1:]), []byte(strings.ToUpper(word)))
	}
	return all
}()

// Shown is a piece of a log: quoted, and cut where it is longer than so many bytes.
func Shown(text []byte, most int) string {
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%q...", text[:most])
}

// shown is one in an error.
func shown(text []byte) string { return Shown(text, 60) }
