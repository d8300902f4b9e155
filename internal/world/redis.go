package world

import (
	"context"
	"fmt"
	"math/bits"
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
	// stays with that server. WAIT needs one: it speaks of the writes of its own
	// connection.
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

// maxArgs is enough for every command of the locks: the release of Redisson's fair
// lock has five keys and six arguments. maxNums bounds the numbers among them; a
// command is copied at each step of its building, so it is kept small.
const (
	maxArgs = 11
	maxNums = 4
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

// Cmd is one Redis command, a small value that allocates nothing. It is built
// to read like the command line: Set(key, token).NX().PX(30*time.Second).
type Cmd struct {
	Name    string // upper case: SET, EVAL
	Script  *Script
	texts   [maxArgs]string
	nums    [maxNums]int64 // the numbers in their order
	numeric uint16         // bit i: argument i is a number
	n       uint8
	numKeys uint8 // for scripts: how many of the arguments are keys
}

// Command starts a command that has no helper of its own.
func Command(name string, texts ...string) Cmd {
	c := Cmd{Name: name}
	for _, t := range texts {
		c = c.Text(t)
	}
	return c
}

// Text appends a text argument.
func (c Cmd) Text(s string) Cmd {
	c.texts[c.n] = s
	c.n++
	return c
}

// Num appends a number.
func (c Cmd) Num(v int64) Cmd {
	c.nums[bits.OnesCount16(c.numeric)] = v
	c.numeric |= 1 << c.n
	c.n++
	return c
}

// Len returns the number of arguments after the name (a script's text and its
// count of keys are not among them).
func (c *Cmd) Len() int { return int(c.n) }

// Arg returns the i-th argument after the name, counted from 0.
func (c *Cmd) Arg(i int) Arg {
	if c.numeric&(1<<i) == 0 {
		return Arg{Text: c.texts[i]}
	}
	return Arg{Num: c.num(i), IsNum: true}
}

// AppendArgs appends all arguments after the name.
func (c *Cmd) AppendArgs(args []Arg) []Arg {
	number := 0
	for i, text := range c.texts[:c.n] {
		if c.numeric&(1<<i) != 0 {
			args = append(args, Arg{Num: c.nums[number], IsNum: true})
			number++
		} else {
			args = append(args, Arg{Text: text})
		}
	}
	return args
}

// num returns argument i, which is a number.
func (c *Cmd) num(i int) int64 {
	before := c.numeric & (1<<i - 1)
	return c.nums[bits.OnesCount16(before)]
}

// NumKeys returns how many of a script's arguments are keys.
func (c *Cmd) NumKeys() int { return int(c.numKeys) }

// Same reports whether two commands are equal. Unlike == it looks only at the
// arguments that are there.
func (c *Cmd) Same(other *Cmd) bool {
	if c.n != other.n || c.Name != other.Name || c.Script != other.Script ||
		c.numeric != other.numeric || c.numKeys != other.numKeys {
		return false
	}
	texts := other.texts[:c.n]
	for i, text := range c.texts[:c.n] {
		if text != texts[i] {
			return false
		}
	}
	return c.numeric == 0 || c.nums == other.nums
}

// Args returns the full argument list with the name, as a client library wants it.
func (c *Cmd) Args() []any {
	out := make([]any, 0, c.n+3)
	out = append(out, c.Name)
	if c.Script != nil {
		out = append(out, c.Script.Source, int(c.numKeys))
	}
	for i := range c.Len() {
		if a := c.Arg(i); a.IsNum {
			out = append(out, a.Num)
		} else {
			out = append(out, a.Text)
		}
	}
	return out
}

// String returns the command as one would type it; a script by its name.
func (c *Cmd) String() string { return string(c.AppendText(nil)) }

// AppendText appends what String returns.
func (c *Cmd) AppendText(buf []byte) []byte {
	buf = append(buf, c.Name...)
	if c.Script != nil {
		buf = append(append(buf, ' '), c.Script.Name...)
	}
	for i := range c.Len() {
		buf = append(buf, ' ')
		if c.numeric&(1<<i) != 0 {
			buf = strconv.AppendInt(buf, c.num(i), 10)
		} else {
			buf = append(buf, c.texts[i]...)
		}
	}
	return buf
}

// Set is SET key value.
func Set(key, value string) Cmd { return Cmd{Name: "SET"}.Text(key).Text(value) }

// NX adds the option NX: only if the key does not exist.
func (c Cmd) NX() Cmd { return c.Text("NX") }

// EX adds the option EX with whole seconds. It panics on a fraction: the
// registry refuses such a lease before anything runs (Variant.LeaseUnit).
func (c Cmd) EX(ttl time.Duration) Cmd { return c.Text("EX").Num(Seconds(ttl)) }

// PX adds the option PX with whole milliseconds.
func (c Cmd) PX(ttl time.Duration) Cmd { return c.Text("PX").Num(Millis(ttl)) }

// SetNX is SETNX key value.
func SetNX(key, value string) Cmd { return Cmd{Name: "SETNX"}.Text(key).Text(value) }

// Get is GET key.
func Get(key string) Cmd { return Cmd{Name: "GET"}.Text(key) }

// Del is DEL key.
func Del(key string) Cmd { return Cmd{Name: "DEL"}.Text(key) }

// Expire is EXPIRE key with whole seconds.
func Expire(key string, ttl time.Duration) Cmd {
	return Cmd{Name: "EXPIRE"}.Text(key).Num(Seconds(ttl))
}

// Script is a Lua script with the name under which reports show it. Make one
// per source, at package level: its address is its identity.
type Script struct {
	Name   string // one short word: unlock
	Source string
}

// Eval is EVAL of a script with one key; add its arguments with Text and Num.
func Eval(s *Script, key string) Cmd {
	return Cmd{Name: "EVAL", Script: s, numKeys: 1}.Text(key)
}

// EvalKeys is EVAL of a script with several keys; add its arguments with Text and Num.
func EvalKeys(s *Script, keys ...string) Cmd {
	c := Command("EVAL", keys...)
	c.Script, c.numKeys = s, uint8(len(keys))
	return c
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
	ReplyArray                   // a list, in Array
	ReplyError                   // an error of the server or of the way to it, in Err
)

// Reply is the answer to a command. The zero Reply is nil.
type Reply struct {
	Kind  ReplyKind
	Int   int64
	Str   string
	Array []Reply
	Err   error
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

// Failed is a reply that failed.
func Failed(err error) Reply { return Reply{Kind: ReplyError, Err: err} }

// IsOK reports whether the reply is the status OK.
func (r Reply) IsOK() bool { return r.Kind == ReplyStatus && r.Str == "OK" }

// IsInt reports whether the reply is the integer n.
func (r Reply) IsInt(n int64) bool { return r.Kind == ReplyInt && r.Int == n }

// IsNil reports whether the reply is nil: no such key, or a condition not met.
func (r Reply) IsNil() bool { return r.Kind == ReplyNil }

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
		parts := make([]string, len(r.Array))
		for i, e := range r.Array {
			parts[i] = e.String()
		}
		return "[" + strings.Join(parts, " ") + "]"
	default:
		return "(error) " + r.Err.Error()
	}
}
