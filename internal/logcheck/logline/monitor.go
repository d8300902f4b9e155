package logline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"
)

// monitorDecoder reads the output of MONITOR of Redis, which has commands and no replies. So it
// replays the commands on the keys that are locks (monitor_keys.go). The replies within a script
// follow from its next commands.
//
// A client is identified by the host of its connection and the value that it writes: a pool changes
// the port only. A line with an ambiguous client is unread, which adds a doubt.
type monitorDecoder struct {
	bound
	keys     map[string]*entry
	believed int             // number of believers of all keys
	now      command         // the current command
	script   *script         // the current script; nil outside of one
	takers   map[string]int  // scripts that acquire, with the argument that is the value, from the last one on
	suspects map[string]bool // keys, and fields, that are locks if a holder removes them, and are not replayed
	unproven unproven        // SETs of entries that have changed since
	emit     func(*Fields) error
	latest   int64 // the time of a line so far, in microseconds
	err      error // of the current line, the gravest
}

// command is the origin of a command.
type command struct {
	time     string
	at       time.Duration // since 1970; within a script, time stands still
	line     int64
	text     string // of the line
	db, from string // from: the address of the connection
}

// script is an EVAL, with the state of its commands so far.
type script struct {
	at    time.Duration
	from  string
	name  string // its text, its hash, or that of a function
	args  []string
	key   string   // that it read last
	saw   []string // the keys that it has read
	field string   // of a hash, that it read
	where Earlier  // the line that did
	read  bool     // it read the value, and not only whether there is one
	acted bool     // it has changed the key since
}

// names reports whether a script has a value among its arguments, or reads the field with that
// name.
func (s *script) names(value string) bool {
	if s.field != "" {
		return s.field == value
	}
	return slices.ContainsFunc(s.args, func(arg string) bool { return arg == value || brief(arg) == value })
}

// unproven counts lines with a SET that may have failed.
type unproven struct{ n, first int64 }

func (u *unproven) add(line int64) {
	if line == 0 {
		return
	}
	if u.n++; u.n == 1 || line < u.first {
		u.first = line
	}
}

// holder is a client with its last address.
type holder struct{ value, from string }

// client returns the name of the client.
func (h holder) client() string { return h.host() + "/" + h.value }

func (h holder) host() string {
	if i := strings.LastIndexByte(h.from, ':'); i > 0 {
		return h.from[:i]
	}
	return h.from
}

func newMonitor() *monitorDecoder {
	reads := []Read{{"client", "host of the connection, and value"}, {"lock", "key"}, {"event", "what becomes of the key"}, {"lease", "its expiry"}}
	return &monitorDecoder{bound: bound{reads: reads}, keys: map[string]*entry{}, takers: map[string]int{}, suspects: map[string]bool{}}
}

func (d *monitorDecoder) Decode(line []byte, number int64, emit func(*Fields) error) error {
	d.emit = emit
	if string(line) == "OK" { // MONITOR was started, perhaps again
		d.finishScript()
		d.forget()
		d.script = nil
		return d.done()
	}
	text := string(line)
	at, rest, ok1 := strings.Cut(text, " [")
	source, rest, ok2 := strings.Cut(rest, "] ")
	micros, err := strconv.ParseInt(strings.Replace(at, ".", "", 1), 10, 64)
	if !ok1 || !ok2 || err != nil || strings.IndexByte(at, '.') != len(at)-7 || micros < 0 || micros > int64(never)/2000 {
		return fmt.Errorf(`%s is no line of MONITOR, such as 1772359200.012345 [0 10.1.2.11:51022] "GET" "key"`, shown(line))
	}
	args, err := arguments(rest)
	if err != nil {
		return err
	}
	if by := d.latest - micros; by > tick.Microseconds() {
		return fmt.Errorf("it is %v older than a line before it, and MONITOR of one server is in order: give each server a file of its own, and say --separate", time.Duration(by)*time.Microsecond)
	}
	d.latest = max(d.latest, micros)
	db, from, _ := strings.Cut(source, " ")
	now := command{strings.Clone(at), time.Duration(micros) * time.Microsecond, number, text, brief(db), brief(from)}
	if from == "lua" {
		if d.script == nil { // the script began before the log
			d.script = &script{at: now.at, from: from}
		}
		now.from, now.at = d.script.from, d.script.at
		d.now = now
		d.play(args)
		return d.done()
	}
	d.finishScript()
	d.script, d.now = nil, now
	switch name := strings.TrimSuffix(args[0], "_ro"); name {
	case "eval", "evalsha", "fcall":
		d.script = &script{at: now.at, from: now.from, name: brief(args[min(1, len(args)-1)]), args: args[min(3, len(args)):]}
	default:
		d.play(args)
	}
	return d.done()
}

// fail notes an error: any other than ErrUnread is graver, and ends the log.
func (d *monitorDecoder) fail(err error) {
	if d.err == nil || errors.Is(d.err, ErrUnread) && err != nil {
		d.err = err
	}
}

func (d *monitorDecoder) doubt() { d.fail(ErrUnread) }

func (d *monitorDecoder) done() error {
	err := d.err
	d.err = nil
	return err
}

// arguments splits the arguments of a command, without unescaping them, and puts the command into
// lower case.
func arguments(text string) (args []string, err error) {
	for text != "" {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil || quoted[0] != '"' {
			return nil, fmt.Errorf("an argument in quotation marks expected at %s", shown([]byte(text)))
		}
		args = append(args, quoted[1:len(quoted)-1])
		text = strings.TrimPrefix(text[len(quoted):], " ")
	}
	if len(args) == 0 {
		return nil, errors.New("a command expected")
	}
	args[0] = strings.ToLower(args[0])
	return args, nil
}

// brief returns a copy of a text, so that a long line is not kept in memory. It shortens a long
// text.
func brief(text string) string {
	const most = 120
	if len(text) <= most {
		return strings.Clone(text)
	}
	return fmt.Sprintf("%s...%x", strings.ToValidUTF8(text[:most/2], ""), xxh3.HashString(text))
}

// name returns the name of a key, with its database unless that is 0.
func (c *command) name(key string) string {
	if c.db == "0" {
		return brief(key)
	}
	return c.db + " " + brief(key)
}

func (d *monitorDecoder) ask(name string, args []string) {
	s := d.script
	if len(s.saw) < maxBelievers {
		s.saw = append(s.saw, name)
	}
	if s.key != "" && args[0] == "exists" && d.keys[name] == nil { // a key beside the lock, such as a queue
		return
	}
	if s.key != name {
		d.finishScript()
		*s = script{at: s.at, from: s.from, name: s.name, args: s.args, key: name, saw: s.saw}
	}
	s.where = Earlier{d.now.line, d.now.text}
	switch args[0] {
	case "hexists", "hget":
		s.field, s.read = brief(args[min(2, len(args)-1)]), true
	case "get":
		s.read = true
	}
}

func (d *monitorDecoder) asked(name string) bool { return d.script != nil && d.script.key == name }

func (d *monitorDecoder) act(name string) {
	if d.asked(name) {
		d.script.acted = true
	}
}

// finishScript handles the end of a script that read a key and did not change it. If it names the
// value of a former holder, that client has found out that it lost the lock.
func (d *monitorDecoder) finishScript() {
	s := d.script
	if s == nil || s.key == "" || s.acted {
		return
	}
	s.acted = true
	e := d.keys[s.key]
	if at, ok := d.takers[s.name]; ok && at <= len(s.args) {
		d.queue(s.key, holder{brief(s.args[len(s.args)-at]), s.from})
		return
	}
	if e == nil || !s.read {
		return
	}
	i, sure := e.believerNamedBy(s)
	switch {
	case i < 0:
		e.freeIsCertain = e.freeIsCertain && !e.dropped
	case e.believers[i] != e.owner && sure:
		d.report(s.key, d.drop(e, i), "lost", 0)
	case e.believers[i] == e.owner && e.unprovenSet > 0: // so the SET failed
		d.unproven.add(e.unprovenSet)
		e.unprovenSet, e.owner = 0, stranger
		d.report(s.key, d.drop(e, i), "lost", 0)
	default: // the script only reads, or the server has lost the key, or its client has two addresses
		e.freeIsCertain = e.freeIsCertain && e.believers[i] != e.owner
		d.fail(s.where)
	}
}

func (d *monitorDecoder) report(name string, by holder, event string, lease time.Duration) {
	proven := d.asked(name) && d.script.read && d.script.acted
	e := d.keys[name]
	switch event {
	case "acquired":
		proven = e.unprovenSet == 0 && !e.scripted
	case "lost": // of a SET, it may mean that there was no hold
		proven = proven && e.scripted
	}
	proven = proven && !e.merged
	f := &Fields{Unproven: !proven, Time: []byte(d.now.time), Client: []byte(by.client()), Lock: []byte(name), Event: []byte(event), Line: d.now.line}
	switch {
	case lease > 0 && lease < longest:
		f.Lease = []byte(lease.String())
	case event == "extended": // without a lease from now on, whatever it was granted with
		f.Lease = []byte(endless)
	}
	d.fail(d.emit(f))
}

// longest bounds the leases that are reported, and endless is reported when a key no longer
// expires.
const (
	longest = 1000 * time.Hour
	endless = "87600h"
)

const never = time.Duration(math.MaxInt64)

func (d *monitorDecoder) End(emit func(*Fields) error) error {
	d.emit = emit
	d.finishScript()
	return d.done()
}

func (d *monitorDecoder) Unproven() (n, first int64) {
	all := d.unproven
	for _, e := range d.keys { // order: the least is chosen
		all.add(e.unprovenSet)
	}
	return all.n, all.first
}
