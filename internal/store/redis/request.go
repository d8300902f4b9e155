package redis

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/ports"
)

// Arg is one argument of a command: a text or a whole number.
type Arg struct {
	Text  string
	Num   int64
	IsNum bool
}

// String returns the argument as it goes over the wire.
func (a Arg) String() string {
	if a.IsNum {
		return strconv.FormatInt(a.Num, 10)
	}
	return a.Text
}

// Cmd is one Redis command, a small immutable value. It is built to read like the
// command line: Set(key, token).NX().PX(30*time.Second). It can be sent many times, and
// several commands may be built from the same one.
type Cmd struct {
	name    string // upper case: SET, EVAL
	Script  *Script
	list    *argList      // nil without arguments
	n       int           // how many of list are this command's
	numKeys int           // for scripts: how many of the arguments are keys
	lease   time.Duration // see Lasting
}

// argList holds the arguments of a command and of those that it was built from. Each of
// these has the first n; only the longest one may append in place.
type argList struct{ args []Arg }

// newArgList returns an empty list with room for the arguments of most commands, so
// that building one in several steps is one allocation.
func newArgList(script bool, keys int) *argList {
	if script && keys > 1 {
		l := &struct {
			argList
			room [8]Arg // of Redisson's unlock: three keys, a channel's command, a message, a time, an owner
		}{}
		l.args = l.room[:0]
		return &l.argList
	}
	l := &struct {
		argList
		room [5]Arg // SET key token PX time NX
	}{}
	l.args = l.room[:0]
	return &l.argList
}

// Command starts a command that has no constructor of its own.
func Command(name string, texts ...string) Cmd { return Cmd{name: name}.texts(texts) }

// Named returns the command with another name: EVALSHA.
func (c Cmd) Named(name string) Cmd {
	c.name = name
	return c
}

// Lasting returns a command whose value says for how long the entry counts. Redis does not end it.
func (c Cmd) Lasting(lease time.Duration) Cmd {
	c.lease = lease
	return c
}

// Name is the command in capitals.
func (c *Cmd) Name() string { return c.name }

// texts adds texts to a command that has no arguments yet.
func (c Cmd) texts(texts []string) Cmd {
	if len(texts) > 0 {
		c.list, c.n = newArgList(c.Script != nil, len(texts)), len(texts)
		for _, t := range texts {
			c.list.args = append(c.list.args, Arg{Text: t})
		}
	}
	return c
}

// with returns the command with one more argument.
func (c Cmd) with(a Arg) Cmd {
	if c.list == nil || len(c.list.args) != c.n { // another command has appended
		grown := newArgList(c.Script != nil, c.numKeys)
		grown.args = append(grown.args, c.Arguments()...)
		c.list = grown
	}
	c.list.args = append(c.list.args, a)
	c.n++
	return c
}

// Text appends a text argument.
func (c Cmd) Text(s string) Cmd { return c.with(Arg{Text: s}) }

// Num appends a number.
func (c Cmd) Num(v int64) Cmd { return c.with(Arg{Num: v, IsNum: true}) }

// Len returns the number of arguments after the name (a script's text and its
// count of keys are not among them).
func (c *Cmd) Len() int { return c.n }

// Arg returns the i-th argument after the name, counted from 0.
func (c *Cmd) Arg(i int) Arg { return c.list.args[i] }

// Arguments returns all arguments after the name. They belong to the command: the
// caller must not change them.
func (c *Cmd) Arguments() []Arg {
	if c.list == nil {
		return nil
	}
	return c.list.args[:c.n]
}

// Owner returns the word that identifies whose entry a script may change (see
// Script.Owner); "" for a command that may change any entry.
func (c *Cmd) Owner() string {
	if c.Script == nil || c.Script.Owner == 0 {
		return ""
	}
	return c.Arg(c.numKeys + c.Script.Owner - 1).String()
}

// Same reports whether two commands are copies of each other, as when one is sent again.
// Those built separately are not, even with the same words: comparing words costs as much
// as writing them out.
func (c *Cmd) Same(other *Cmd) bool {
	return c.list == other.list && c.n == other.n && c.Script == other.Script &&
		(c.list != nil || c.name == other.name)
}

// Patience is how long a server may hold the command on purpose: the timeout of WAIT. A
// client waits that much longer for the reply, as client libraries do (setReadTimeout in
// go-redis).
func (c *Cmd) Patience() time.Duration {
	if c.name == "WAIT" && c.Len() == 2 {
		return time.Duration(c.Arg(1).Num) * time.Millisecond
	}
	return 0
}

// Args returns the full argument list with the name, as a client library wants it.
func (c *Cmd) Args() []any {
	out := make([]any, 0, c.n+3)
	out = append(out, c.name)
	if c.Script != nil {
		out = append(out, c.Script.Source, c.numKeys)
	}
	for _, a := range c.Arguments() {
		if a.IsNum {
			out = append(out, a.Num)
		} else {
			out = append(out, a.Text)
		}
	}
	return out
}

// String returns the command as one would type it; a script by its name.
func (c *Cmd) String() string {
	var room [128]byte // for most commands
	return string(c.AppendText(room[:0]))
}

// AppendText implements ports.Request: what String returns.
func (c *Cmd) AppendText(buf []byte) []byte {
	buf = append(buf, c.name...)
	if c.Script != nil {
		buf = append(append(buf, ' '), c.Script.Name...)
	}
	for _, a := range c.Arguments() {
		buf = append(buf, ' ')
		if a.IsNum {
			buf = strconv.AppendInt(buf, a.Num, 10)
		} else {
			buf = append(buf, a.Text...)
		}
	}
	return buf
}

// Set is SET key value.
func Set(key, value string) Cmd { return Command("SET", key, value) }

// NX adds the option NX: only if the key does not exist.
func (c Cmd) NX() Cmd { return c.Text("NX") }

// EX adds the option EX with whole seconds. It panics on a fraction: the
// registry refuses such a lease before anything runs (Variant.LeaseUnit).
func (c Cmd) EX(ttl time.Duration) Cmd { return c.Text("EX").Num(ports.Seconds(ttl)) }

// PX adds the option PX with whole milliseconds.
func (c Cmd) PX(ttl time.Duration) Cmd { return c.Text("PX").Num(ports.Millis(ttl)) }

// SetNX is SETNX key value.
func SetNX(key, value string) Cmd { return Command("SETNX", key, value) }

// Get is GET key.
func Get(key string) Cmd { return Command("GET", key) }

// Del is DEL key.
func Del(key string) Cmd { return Command("DEL", key) }

// Expire is EXPIRE key with whole seconds.
func Expire(key string, ttl time.Duration) Cmd {
	return Command("EXPIRE", key).Num(ports.Seconds(ttl))
}

// Script is a Lua script with its name in reports. Make one per source, at package
// level: its address is its identity.
type Script struct {
	Name   string // one short word: unlock
	Source string
	// Owner is the argument, counted from 1 as in ARGV, that the script compares with the
	// owner of an entry before it changes that. 0: it may change any entry.
	Owner int

	program atomic.Pointer[program] // once it has been compiled
	once    sync.Once
	gives   bool // what Frees has found, once
}

// Eval is EVAL of a script with one key; add its arguments with Text and Num.
func Eval(s *Script, key string) Cmd { return EvalKeys(s, key) }

// EvalKeys is EVAL of a script with several keys; add its arguments with Text and Num.
func EvalKeys(s *Script, keys ...string) Cmd {
	return Cmd{name: "EVAL", Script: s, numKeys: len(keys)}.texts(keys)
}

// Wait is WAIT: until the given number of replicas has confirmed the writes of
// this connection, or the timeout is over.
func Wait(replicas int64, timeout time.Duration) Cmd {
	return Command("WAIT").Num(replicas).Num(ports.Millis(timeout))
}

var _ ports.Request = (*Cmd)(nil)
