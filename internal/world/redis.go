package world

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Redis is one endpoint as one client sees it: a server, or the primary of a
// replicated group wherever it is at the moment. Redlock gets five of them.
type Redis interface {
	// Do sends one command and waits for its reply, at most for the response
	// timeout of the scenario or until ctx ends. The error of the reply is
	// ErrTimeout, ErrConnection, an error of ctx, or a ServerError.
	Do(ctx context.Context, cmd Cmd) Reply
	// Dial opens a connection of its own to the server that Do would ask now, and
	// stays with that server. WAIT needs one: it speaks of what had been written when
	// its own connection was last used. On a real server it takes a round trip, and
	// fails as Do does.
	Dial(ctx context.Context) (RedisConn, error)
	// Subscribe listens to a channel. It returns when the server has confirmed.
	Subscribe(ctx context.Context, channel string) (Subscription, error)
}

// RedisConn is one connection to one server.
type RedisConn interface {
	// Do is Redis.Do on this connection; ErrConnection once it is broken.
	Do(ctx context.Context, cmd Cmd) Reply
	Close()
}

// Subscription is a channel that somebody listens to. Messages are pulled; those
// that come while nobody waits are kept. What is published while the connection
// is broken is lost, as always with Redis.
type Subscription interface {
	// Next waits for the next message; ErrConnection when the connection broke.
	Next(ctx context.Context) (string, error)
	Close()
}

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

// Cmd is one Redis command, a small value. It is built to read like the command
// line: Set(key, token).NX().PX(30*time.Second). Once made it never changes: it can
// be sent many times, and several commands may grow from the same one.
type Cmd struct {
	Name    string // upper case: SET, EVAL
	Script  *Script
	list    *argList // nil without arguments
	n       int      // how many of list are this command's
	numKeys uint8    // for scripts: how many of the arguments are keys
}

// argList holds the arguments of a command and of those that it grew from. Each of
// them sees the arguments that it had; only the longest one may grow in place.
type argList struct{ args []Arg }

// newArgList returns an empty list with room for the arguments of most commands, so
// that one is one allocation, however many steps it is built in.
func newArgList(script bool, keys int) *argList {
	if script && keys > 1 {
		l := &struct {
			argList
			room [8]Arg // of Redisson's unlock: three keys, a channel's command, a message, a time, an owner
		}{}
		l.args = l.room[:0]
		return &l.argList
	}
	if script {
		l := &struct {
			argList
			room [3]Arg // a key, a token, a time
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

// Command starts a command that has no helper of its own.
func Command(name string, texts ...string) Cmd {
	c := Cmd{Name: name}
	return c.texts(texts)
}

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

// with returns the command with one argument more.
func (c Cmd) with(a Arg) Cmd {
	if c.list == nil || len(c.list.args) != c.n { // another command has grown already
		grown := newArgList(c.Script != nil, c.NumKeys())
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

// Owner returns the word by which the server knows whose entry a script may change,
// see Script.Owner; "" for a command that may change any entry.
func (c *Cmd) Owner() string {
	if c.Script == nil || c.Script.Owner == 0 {
		return ""
	}
	return c.Arg(c.NumKeys() + c.Script.Owner - 1).String()
}

// NumKeys returns how many of a script's arguments are keys.
func (c *Cmd) NumKeys() int { return int(c.numKeys) }

// Same reports whether two commands are one, sent again: copies of each other. Those
// that were built apart are not, though they may have the same words: comparing words
// costs as much as writing them out.
func (c *Cmd) Same(other *Cmd) bool {
	return c.list == other.list && c.n == other.n && c.Script == other.Script &&
		(c.list != nil || c.Name == other.Name)
}

// Patience is how long a server may keep the command on purpose, which is for how much
// longer a client waits for its reply: the timeout of WAIT. Client libraries do so too
// (setReadTimeout in go-redis).
func (c *Cmd) Patience() time.Duration {
	if c.Name == "WAIT" && c.Len() == 2 {
		return time.Duration(c.Arg(1).Num) * time.Millisecond
	}
	return 0
}

// Args returns the full argument list with the name, as a client library wants it.
func (c *Cmd) Args() []any {
	out := make([]any, 0, c.n+3)
	out = append(out, c.Name)
	if c.Script != nil {
		out = append(out, c.Script.Source, int(c.numKeys))
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

// AppendText appends what String returns.
func (c *Cmd) AppendText(buf []byte) []byte {
	buf = append(buf, c.Name...)
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
func (c Cmd) EX(ttl time.Duration) Cmd { return c.Text("EX").Num(Seconds(ttl)) }

// PX adds the option PX with whole milliseconds.
func (c Cmd) PX(ttl time.Duration) Cmd { return c.Text("PX").Num(Millis(ttl)) }

// SetNX is SETNX key value.
func SetNX(key, value string) Cmd { return Command("SETNX", key, value) }

// Get is GET key.
func Get(key string) Cmd { return Command("GET", key) }

// Del is DEL key.
func Del(key string) Cmd { return Command("DEL", key) }

// Expire is EXPIRE key with whole seconds.
func Expire(key string, ttl time.Duration) Cmd {
	return Command("EXPIRE", key).Num(Seconds(ttl))
}

// Script is a Lua script with the name under which reports show it. Make one
// per source, at package level: its address is its identity.
type Script struct {
	Name   string // one short word: unlock
	Source string
	// Owner says which of its arguments, counted from 1 as in ARGV, is compared with the
	// entry's owner: the script leaves every entry alone that has another one. 0: it may
	// change any entry.
	Owner int
}

// Eval is EVAL of a script with one key; add its arguments with Text and Num.
func Eval(s *Script, key string) Cmd { return EvalKeys(s, key) }

// EvalKeys is EVAL of a script with several keys; add its arguments with Text and Num.
func EvalKeys(s *Script, keys ...string) Cmd {
	c := Cmd{Name: "EVAL", Script: s, numKeys: uint8(len(keys))}
	return c.texts(keys)
}

// Wait is WAIT: until the given number of replicas has confirmed the writes of
// this connection, or the timeout is over.
func Wait(replicas int64, timeout time.Duration) Cmd {
	return Command("WAIT").Num(replicas).Num(Millis(timeout))
}

// Seconds returns a duration as whole seconds; it panics on a fraction.
func Seconds(d time.Duration) int64 { return whole(d, time.Second) }

// Millis returns a duration as whole milliseconds; it panics on a fraction.
func Millis(d time.Duration) int64 { return whole(d, time.Millisecond) }

func whole(d, unit time.Duration) int64 {
	if d%unit != 0 {
		panic(fmt.Sprintf("%v is not a whole number of %v: the registry should have refused it", d, unit))
	}
	return int64(d / unit)
}

// ReplyKind is the type of a reply.
type ReplyKind uint8

// The types of replies.
const (
	ReplyNil    ReplyKind = iota // nil
	ReplyStatus                  // a status such as OK, in Str
	ReplyInt                     // an integer, in Int
	ReplyBulk                    // a string, in Str
	ReplyArray                   // a list, see Elements
	ReplyError                   // an error of the server or of the way to it, in Err
)

// Reply is the answer to a command. The zero Reply is nil.
type Reply struct {
	Kind ReplyKind
	Int  int64
	Str  string
	Err  error
	list *[]Reply // of an array: one word, for replies are passed on many times and few are arrays
}

// ServerError is an error that the server itself sent, such as
// "WRONGTYPE Operation against a key holding the wrong kind of value".
type ServerError string

// Error returns the server's text.
func (e ServerError) Error() string { return string(e) }

// Constructors of replies.

// OK is the status OK.
func OK() Reply { return Reply{Kind: ReplyStatus, Str: "OK"} }

// Int is an integer reply.
func Int(n int64) Reply { return Reply{Kind: ReplyInt, Int: n} }

// Bulk is a string reply.
func Bulk(s string) Reply { return Reply{Kind: ReplyBulk, Str: s} }

// List is an array of replies.
func List(elements []Reply) Reply { return Reply{Kind: ReplyArray, list: &elements} }

// Failed is a reply that failed.
func Failed(err error) Reply { return Reply{Kind: ReplyError, Err: err} }

// IsOK reports whether the reply is the status OK.
func (r Reply) IsOK() bool { return r.Kind == ReplyStatus && r.Str == "OK" }

// IsInt reports whether the reply is the integer n.
func (r Reply) IsInt(n int64) bool { return r.Kind == ReplyInt && r.Int == n }

// IsNil reports whether the reply is nil: no such key, or a condition not met.
func (r Reply) IsNil() bool { return r.Kind == ReplyNil }

// Elements returns the replies in an array; nil for any other reply.
func (r Reply) Elements() []Reply {
	if r.list == nil {
		return nil
	}
	return *r.list
}

// String returns the reply as redis-cli prints it, on one line.
func (r Reply) String() string {
	switch r.Kind {
	case ReplyNil:
		return "(nil)"
	case ReplyStatus:
		return r.Str
	case ReplyInt:
		return "(integer) " + strconv.FormatInt(r.Int, 10)
	case ReplyBulk:
		return strconv.Quote(r.Str)
	case ReplyArray:
		parts := make([]string, len(r.Elements()))
		for i, e := range r.Elements() {
			parts[i] = e.String()
		}
		return "[" + strings.Join(parts, " ") + "]"
	default:
		return "(error) " + r.Err.Error()
	}
}
