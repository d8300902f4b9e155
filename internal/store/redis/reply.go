package redis

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/history"
)

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

// Reply is the reply to a command. The zero Reply is nil.
type Reply struct {
	Kind ReplyKind
	Int  int64
	Str  string
	Err  error
	list *[]Reply // of an array: a pointer keeps replies small, and few are arrays
}

// ServerError is an error that the server itself sent, such as
// "WRONGTYPE Operation against a key holding the wrong kind of value".
type ServerError string

// Error returns the server's text.
func (e ServerError) Error() string { return string(e) }

// Status is a status reply, on one line.
func Status(s string) Reply { return Reply{Kind: ReplyStatus, Str: s} }

// OK is the status OK.
func OK() Reply { return Status("OK") }

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

// Words returns the texts of the replies in an array: of a command on its way, its arguments.
func (r Reply) Words() (words []string) {
	for _, a := range r.Elements() {
		words = append(words, a.Str)
	}
	return words
}

// Field returns the value of a name in a list of names and values, "" for none.
func (r Reply) Field(name string) string {
	pairs := r.Elements()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].Str == name {
			return pairs[i+1].Str
		}
	}
	return ""
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

// ownCodes are the first words of the errors of Redis itself. Another one is a script's own, which
// may say that the lock is taken.
var ownCodes = strings.Fields("ERR ASK BUSY CLUSTERDOWN CROSSSLOT EXECABORT LOADING MASTERDOWN MISCONF MOVED " +
	"NOAUTH NOPERM NOREPLICAS NOSCRIPT OOM READONLY TRYAGAIN UNKILLABLE WRONGTYPE")

// Answer is what the reply means to a history. A list of one number, as a script may return,
// means that number.
func (r Reply) Answer() history.Answer {
	switch r.Kind {
	case ReplyNil:
		return history.Answer{Nil: true}
	case ReplyInt:
		return history.Number(r.Int)
	case ReplyArray:
		if all := r.Elements(); len(all) == 1 && all[0].Kind == ReplyInt {
			return all[0].Answer()
		}
	case ReplyError:
		words := serverWords(r)
		unable := len(words) > 0 && slices.Contains(ownCodes, words[0])
		return history.Answer{Refused: r.Err.Error(), Unable: unable, Redirected: len(words) > 1 && words[0] == "MOVED" || askElsewhere(r) && words != nil}
	}
	return history.Answer{}
}
