package logline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// monitorDecoder reads what MONITOR of Redis shows: the commands, and no replies. So it plays the commands on the
// keys that are locks, as the server has: SET with NX, SETNX, DEL, PEXPIRE and such, and HINCRBY of re-entrant
// locks, from connections and from scripts. A key is a lock from its first SET with NX on. What it held before the
// first line is not known: its first holder is one for sure only when its own release has found its value.
//
// A client is the host of its connection with the value that it writes: a pool changes the one and not the other.
type monitorDecoder struct {
	keys     map[string]*entry
	command  command // that is being played
	script   *script // whose commands follow; nil outside of one
	line     int64
	emit     func(*Fields) error
	unproven []int64 // lines with a SET that may have failed
}

// command is one, with where it is from.
type command struct {
	time     []byte
	at       time.Duration // since 1970
	line     int64
	db, from string // and the address of the connection
}

// script is an EVAL, with what its commands have done so far.
type script struct {
	command
	key    string
	args   []string
	acted  bool // it has changed the key
	waited bool // it has asked who has the key
}

// entry is the value of a key, and who believes to have it.
type entry struct {
	owner     holder        // none without a value
	until     time.Duration // when it expires
	holds     int           // of a re-entrant one
	set       int64         // the line of a SET that is not proven
	believers []holder      // who has acquired it, and has not released it since
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

// Limits of what is remembered.
const (
	maxKeys      = 1 << 16
	maxBelievers = 32
)

const never = time.Duration(math.MaxInt64)

func newMonitor() *monitorDecoder { return &monitorDecoder{keys: map[string]*entry{}} }

func (d *monitorDecoder) Decode(line []byte, emit func(*Fields) error) error {
	d.emit = emit
	d.line++
	if string(line) == "OK" {
		return nil
	}
	at, rest, ok1 := bytes.Cut(line, []byte(" ["))
	source, rest, ok2 := bytes.Cut(rest, []byte("] "))
	micros, err := strconv.ParseInt(strings.Replace(string(at), ".", "", 1), 10, 64)
	if !ok1 || !ok2 || err != nil || micros < 0 || micros > int64(never)/1000 {
		return fmt.Errorf(`%s is no line of MONITOR, such as 1772359200.012345 [0 10.1.2.11:51022] "GET" "key"`, shown(line))
	}
	args, err := arguments(string(rest))
	if err != nil {
		return err
	}
	db, from, _ := strings.Cut(string(source), " ")
	if from == "lua" {
		if d.script == nil {
			return nil // of a script that began before the log
		}
		return d.play(args)
	}
	if err := d.endScript(); err != nil {
		return err
	}
	d.command = command{bytes.Clone(at), time.Duration(micros) * time.Microsecond, d.line, db, from}
	switch args[0] {
	case "eval", "evalsha", "fcall":
		d.begin(args)
		return nil
	}
	return d.play(args)
}

// arguments splits those of a command, and writes the command small.
func arguments(text string) (args []string, err error) {
	for text != "" {
		prefix, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, fmt.Errorf("an argument in quotation marks expected at %s", shown([]byte(text)))
		}
		arg, err := strconv.Unquote(prefix)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown([]byte(prefix)), err)
		}
		args = append(args, arg)
		text = strings.TrimPrefix(text[len(prefix):], " ")
	}
	if len(args) == 0 {
		return nil, errors.New("a command expected")
	}
	args[0] = strings.ToLower(args[0])
	return args, nil
}

// begin begins a script.
func (d *monitorDecoder) begin(args []string) {
	if len(args) < 4 {
		return
	}
	keys, err := strconv.Atoi(args[2])
	if err != nil || keys < 1 || keys > len(args)-3 {
		return
	}
	d.script = &script{command: d.command, key: args[3], args: args[3+keys:]}
}

// endScript tells of a script that has changed nothing. Who names the value of a former holder has found out that it
// has the lock no more; who asks for the key of another one waits.
func (d *monitorDecoder) endScript() error {
	s := d.script
	d.script = nil
	if s == nil || s.acted {
		return nil
	}
	e := d.keys[s.name(s.key)]
	if e == nil {
		return nil
	}
	for _, value := range s.args {
		if i := slices.IndexFunc(e.believers, func(h holder) bool { return h.value == value }); i >= 0 {
			h := e.believers[i]
			e.believers = slices.Delete(e.believers, i, i+1)
			return d.tell(&s.command, s.key, h, "lost", "")
		}
	}
	for _, value := range s.args {
		if _, err := strconv.Atoi(value); err != nil && s.waited {
			return d.tell(&s.command, s.key, holder{value, s.from}, "waiting", "")
		}
	}
	return nil
}

// name is that of a key, with its database when it is not the first one.
func (c *command) name(key string) string {
	if c.db == "0" {
		return key
	}
	return c.db + " " + key
}

// play plays a command, of a connection or of a script.
func (d *monitorDecoder) play(args []string) error {
	if len(args) < 2 {
		return nil
	}
	e := d.keys[d.command.name(args[1])]
	if e != nil && d.command.at >= e.until {
		*e = entry{until: never, believers: e.believers}
	}
	switch args[0] {
	case "set":
		nx, lease := setOptions(args)
		switch {
		case nx:
			return d.acquire(args[1], holder{args[2], d.command.from}, lease)
		case e != nil && len(args) > 2 && e.owner.value == args[2]:
			return d.extend(args[1], e, lease)
		case e != nil:
			return ErrUnread
		}
	case "setnx":
		if len(args) > 2 {
			return d.acquire(args[1], holder{args[2], d.command.from}, "")
		}
	case "hincrby":
		if n, err := strconv.Atoi(args[len(args)-1]); len(args) == 4 && err == nil && d.script != nil {
			return d.reenter(args[1], holder{args[2], d.command.from}, n)
		}
	case "expire", "pexpire":
		if e != nil && len(args) > 2 {
			return d.extend(args[1], e, args[2]+units[args[0]])
		}
	case "del", "unlink":
		return d.remove(args[1:])
	case "pttl", "exists", "hexists", "ttl":
		if d.script != nil {
			d.script.waited = true
		}
	case "rename", "getset", "restore", "getdel", "persist", "setex", "psetex", "hdel":
		if e != nil {
			return ErrUnread
		}
	}
	return nil
}

// units are those of numbers that say when a key expires.
var units = map[string]string{"ex": "s", "px": "ms", "expire": "s", "pexpire": "ms"}

// setOptions are those of a SET.
func setOptions(args []string) (nx bool, lease string) {
	for i := 3; i < len(args); i++ {
		switch option := strings.ToLower(args[i]); option {
		case "nx":
			nx = true
		case "ex", "px":
			if i+1 < len(args) {
				lease = args[i+1] + units[option]
			}
		}
	}
	return nx, lease
}

// lock is the entry of a key, and whether what it held is known.
func (d *monitorDecoder) lock(key string) (e *entry, known bool) {
	d.act()
	key = d.command.name(key)
	if e = d.keys[key]; e != nil {
		return e, true
	}
	if len(d.keys) >= maxKeys {
		clear(d.keys)
	}
	e = &entry{until: never}
	d.keys[key] = e
	return e, false
}

// act notes that a script has changed something.
func (d *monitorDecoder) act() {
	if d.script != nil {
		d.script.acted = true
	}
}

// acquire plays a SET with NX.
func (d *monitorDecoder) acquire(key string, by holder, lease string) error {
	e, known := d.lock(key)
	if e.owner != (holder{}) {
		return d.told(key, by, "waiting", "")
	}
	e.owner, e.holds = by, 1
	if !known {
		e.set = d.command.line
		d.unproven = append(d.unproven, e.set)
	}
	return d.granted(key, e, lease)
}

// granted notes that the owner of an entry has acquired it.
func (d *monitorDecoder) granted(key string, e *entry, lease string) error {
	if len(e.believers) == maxBelievers {
		e.believers = slices.Delete(e.believers, 0, 1)
	}
	e.believers = append(e.believers, e.owner)
	d.expire(e, lease)
	return d.told(key, e.owner, "acquired", lease)
}

// reenter plays an HINCRBY in a script that has made sure that the key is free, or its client's.
func (d *monitorDecoder) reenter(key string, by holder, n int) error {
	e, _ := d.lock(key)
	if n > 0 && e.owner.value != by.value {
		e.owner, e.holds, e.until = by, n, never
		return d.granted(key, e, "")
	}
	if n < 0 && e.owner == (holder{}) { // acquired before the first line
		e.owner, e.holds = by, 1
	}
	e.holds += n
	return nil
}

func (d *monitorDecoder) extend(key string, e *entry, lease string) error {
	d.act()
	if e.owner == (holder{}) {
		return nil
	}
	d.expire(e, lease)
	return d.told(key, e.owner, "extended", lease)
}

// expire says when an entry does.
func (d *monitorDecoder) expire(e *entry, lease string) {
	e.until = never
	if span, err := time.ParseDuration(lease); err == nil && span < never-d.command.at {
		e.until = d.command.at + span
	}
}

// remove plays a DEL. One in a script that names the value has found it there. Another one may be blind: it is that
// of the connection, or of the only client of its host, which believes to have the key.
func (d *monitorDecoder) remove(keys []string) error {
	for _, key := range keys {
		e := d.keys[d.command.name(key)]
		if e == nil {
			continue
		}
		d.act()
		owner := e.owner
		e.owner, e.until = holder{}, never
		i := -1
		if d.script != nil && slices.Contains(d.script.args, owner.value) {
			i = slices.Index(e.believers, owner)
			d.unproven = slices.DeleteFunc(d.unproven, func(line int64) bool { return line == e.set })
		} else if i = slices.IndexFunc(e.believers, func(h holder) bool { return h.from == d.command.from }); i < 0 {
			here := holder{from: d.command.from}.host()
			of := func(h holder) bool { return h.host() == here }
			if i = slices.IndexFunc(e.believers, of); i >= 0 && slices.ContainsFunc(e.believers[i+1:], of) {
				i = -1
			}
		}
		if i < 0 {
			return ErrUnread
		}
		h := e.believers[i]
		e.believers = slices.Delete(e.believers, i, i+1)
		if err := d.told(key, h, "released", ""); err != nil {
			return err
		}
	}
	return nil
}

func (d *monitorDecoder) told(key string, by holder, event, lease string) error {
	return d.tell(&d.command, key, by, event, lease)
}

// tell emits an event.
func (d *monitorDecoder) tell(c *command, key string, by holder, event, lease string) error {
	return d.emit(&Fields{
		Time: c.time, Client: []byte(by.client()), Lock: []byte(c.name(key)), Event: []byte(event), Lease: []byte(lease), Line: c.line,
	})
}

func (d *monitorDecoder) End(emit func(*Fields) error) error {
	d.emit = emit
	return d.endScript()
}

// Unproven are the lines with a SET that may have failed.
func (d *monitorDecoder) Unproven() []int64 { return d.unproven }

// Whole implements Decoder: more arguments may have followed.
func (d *monitorDecoder) Whole() bool { return false }

func (d *monitorDecoder) Reads() []Read {
	return []Read{{"client", "host of the connection, and value"}, {"lock", "key"}, {"event", "what becomes of the key"}, {"lease", "its expiry"}}
}
