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

// monitorDecoder reads what MONITOR of Redis shows: the commands, and no replies. So it plays the commands on the
// keys that are locks (monitor_keys.go), as the server has: those of connections, and those of scripts, which show what
// a script has found by what it does next.
//
// A client is the host of its connection with the value that it writes: a pool changes the one and not the other.
// Where that does not tell who has done something, the line is unread: a log with one is never without doubt.
type monitorDecoder struct {
	keys     map[string]*entry
	believed int      // holders that keys remember
	now      command  // that is being played
	script   *script  // whose commands follow; nil outside of one
	unproven unproven // SETs of entries that have changed since
	line     int64
	emit     func(*Fields) error
}

// command is one, with where it is from.
type command struct {
	time     string
	at       time.Duration // since 1970; within a script, time stands still
	line     int64
	db, from string // and the address of the connection
}

// script is an EVAL, with what its commands have done so far.
type script struct {
	at    time.Duration
	from  string
	args  []string
	key   string // that it has asked for last
	field string // of a hash, that it has asked for
	read  bool   // it has asked for the value, and not only whether there is one
	acted bool   // it has changed the key since
}

// names reports whether a script has a value among its arguments, or asks for it.
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

// holder is a client with the address that it was last seen at.
type holder struct{ value, from string }

// client is its name.
func (h holder) client() string { return h.host() + "/" + h.value }

func (h holder) host() string {
	if i := strings.LastIndexByte(h.from, ':'); i > 0 {
		return h.from[:i]
	}
	return h.from
}

func newMonitor() *monitorDecoder { return &monitorDecoder{keys: map[string]*entry{}} }

func (d *monitorDecoder) Decode(line []byte, number int64, emit func(*Fields) error) error {
	d.emit, d.line = emit, number
	if string(line) == "OK" { // it begins, perhaps again
		err := graver(d.settle(), d.forget())
		d.script = nil
		return err
	}
	at, rest, ok1 := strings.Cut(string(line), " [")
	source, rest, ok2 := strings.Cut(rest, "] ")
	micros, err := strconv.ParseInt(strings.Replace(at, ".", "", 1), 10, 64)
	if !ok1 || !ok2 || err != nil || strings.IndexByte(at, '.') != len(at)-7 || micros < 0 || micros > int64(never)/2000 {
		return fmt.Errorf(`%s is no line of MONITOR, such as 1772359200.012345 [0 10.1.2.11:51022] "GET" "key"`, shown(line))
	}
	args, err := arguments(rest)
	if err != nil {
		return err
	}
	db, from, _ := strings.Cut(source, " ")
	now := command{strings.Clone(at), time.Duration(micros) * time.Microsecond, d.line, brief(db), brief(from)}
	if from == "lua" {
		if d.script == nil { // it began before the log
			d.script = &script{at: now.at, from: from}
		}
		now.from, now.at = d.script.from, d.script.at
		d.now = now
		return d.play(args)
	}
	err = d.settle()
	d.script, d.now = nil, now
	switch name := strings.TrimSuffix(args[0], "_ro"); name {
	case "eval", "evalsha", "fcall":
		d.script = &script{at: now.at, from: now.from, args: args[min(3, len(args)):]}
		return err
	}
	return graver(err, d.play(args))
}

// graver is one of two errors: ErrUnread is none that stops anything.
func graver(a, b error) error {
	if a == nil || a == ErrUnread && b != nil {
		return b
	}
	return a
}

// arguments splits those of a command, and writes the command small. What is escaped in them stays so.
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

// brief is a text to be remembered: a copy, since it is a part of a line, which may be long.
func brief(text string) string {
	const most = 120
	if len(text) <= most {
		return strings.Clone(text)
	}
	return fmt.Sprintf("%s...%x", strings.ToValidUTF8(text[:most/2], ""), xxh3.HashString(text))
}

// name is that of a key, with its database when it is not the first one.
func (c *command) name(key string) string {
	if c.db == "0" {
		return brief(key)
	}
	return c.db + " " + brief(key)
}

// ask notes what a script asks for.
func (d *monitorDecoder) ask(name string, args []string) (err error) {
	s := d.script
	if s.key != "" && args[0] == "exists" && d.keys[name] == nil { // a queue, or such
		return nil
	}
	if s.key != name {
		err = d.settle()
		*s = script{at: s.at, from: s.from, args: s.args, key: name}
	}
	switch args[0] {
	case "hexists", "hget":
		s.field, s.read = brief(args[min(2, len(args)-1)]), true
	case "get":
		s.read = true
	}
	return err
}

// asked reports whether a script has looked at a key, before it does something with it.
func (d *monitorDecoder) asked(name string) bool { return d.script != nil && d.script.key == name }

// act notes that a script changes a key.
func (d *monitorDecoder) act(name string) {
	if d.asked(name) {
		d.script.acted = true
	}
}

// settle tells of a script that has asked for a key, and has left it alone. Who names the value of a former holder
// has found out that it has the lock no more.
func (d *monitorDecoder) settle() error {
	s := d.script
	if s == nil || !s.read || s.acted {
		return nil
	}
	s.acted = true
	e := d.keys[s.key]
	if e == nil {
		return nil
	}
	i, sure := e.named(s)
	switch {
	case i < 0:
		e.known = e.known && !e.dropped
		return nil
	case e.believers[i] != e.owner:
		if !sure {
			return nil
		}
		return d.tell(s.key, d.drop(e, i), "lost", 0)
	case e.set > 0: // so the SET has failed
		d.unproven.add(e.set)
		e.set, e.owner = 0, stranger
		return d.tell(s.key, d.drop(e, i), "lost", 0)
	}
	e.known = false // it only looks, or the server has lost the key
	return nil
}

// tell emits an event.
func (d *monitorDecoder) tell(name string, by holder, event string, lease time.Duration) error {
	f := &Fields{Time: []byte(d.now.time), Client: []byte(by.client()), Lock: []byte(name), Event: []byte(event), Line: d.now.line}
	if lease > 0 && lease < longest {
		f.Lease = []byte(lease.String())
	}
	return d.emit(f)
}

// longest is a lease that is as good as none.
const longest = 1000 * time.Hour

const never = time.Duration(math.MaxInt64)

func (d *monitorDecoder) End(emit func(*Fields) error) error {
	d.emit = emit
	return d.settle()
}

// Unproven counts the lines with a SET that may have failed, and says which is the first.
func (d *monitorDecoder) Unproven() (n, first int64) {
	all := d.unproven
	for _, e := range d.keys { // order: the least is chosen
		all.add(e.set)
	}
	return all.n, all.first
}

// Whole implements Decoder: more arguments may have followed.
func (d *monitorDecoder) Whole() bool { return false }

func (d *monitorDecoder) Reads() []Read {
	return []Read{{"client", "host of the connection, and value"}, {"lock", "key"}, {"event", "what becomes of the key"}, {"lease", "its expiry"}}
}
