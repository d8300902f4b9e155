package redis

import (
	"strconv"

	"lockstep/internal/world"
)

// routine is a script as Go functions. What scripts of locks are made of, commands, comparisons, a loop over a
// queue, takes a third of the time that Lua needs for it, and a walk of the fault space plays the same few scripts
// millions of times. translate makes it of the part of Lua that it knows; what is beyond that is left to Lua, and so
// is a run in which anything goes wrong, since Lua knows the words of each error. Lua then begins anew and is given
// the answers that the routine has had: it has executed the first commands that Lua executes, in that order, and none
// twice. Store.LuaOnly leaves everything to Lua; tests play the same histories both ways.
type routine struct {
	body   block
	places int // of a frame: each variable and each expression has its own
}

// The parts of a routine. What an expression returns stands until it is asked again, and nobody changes it.
type (
	expression func(f *frame) *value
	statement  func(f *frame) control
	block      []statement
)

// control is how it goes on after a statement.
type control uint8

const (
	goesOn control = iota
	breaks
	returns
)

// frame is one run of a routine.
type frame struct {
	store      *Store
	keys, args []world.Arg
	places     []value
	argv       []world.Arg   // of the commands whose arguments are being looked at
	given      []world.Reply // what commands were answered
	result     value
	left       int  // rounds of loops, and calls
	lost       bool // it is a case for Lua; no command is executed any more
}

// mostRounds bounds the loops and the calls of a routine. Lua has a budget of instructions for those that go on.
const mostRounds = 10_000

// run executes the routine, whose result is then in the frame. It returns false when it is a case for Lua.
func (r *routine) run(f *frame, s *Store, keys, args []world.Arg) bool {
	f.store, f.keys, f.args = s, keys, args
	f.result, f.left, f.lost, f.argv = value{}, mostRounds, false, f.argv[:0]
	if len(f.places) < r.places {
		f.places = make([]value, r.places)
	}
	r.body.run(f)
	return !f.lost
}

func (b block) run(f *frame) control {
	for _, s := range b {
		if how := s(f); how != goesOn {
			return how
		}
	}
	return goesOn
}

// again reports whether a loop may go round once more, or a function be called.
func (f *frame) again() bool {
	f.left--
	return !f.lost && f.left > 0 || f.leave()
}

// leave makes the run a case for Lua.
func (f *frame) leave() bool {
	f.lost = true
	return false
}

// kindOfValue is a type of Lua, or a part of one.
type kindOfValue uint8

const (
	isNil kindOfValue = iota
	isFalse
	isTrue
	isNumber
	isText
	isDigits // a text that is a whole number as Redis writes it
	isStatus // a table with a text under ok
	isList   // a table of values that are not nil
)

// value is a value of Lua.
type value struct {
	kind   kindOfValue
	number float64
	whole  int64 // of digits
	text   string
	list   *[]value
}

func (v *value) holds() bool { return v.kind > isFalse }

// The values that need no place.
var nothing, no, yes = &value{}, &value{kind: isFalse}, &value{kind: isTrue}

func truth(b bool) *value {
	if b {
		return yes
	}
	return no
}

func (v *value) setNumber(n float64) *value {
	v.kind, v.number = isNumber, n
	return v
}

func (v *value) setText(s string) *value {
	v.kind, v.text = isText, s
	return v
}

// setArgument makes it an argument of the script.
func (v *value) setArgument(a *world.Arg) *value {
	if a.IsNum {
		v.kind, v.whole = isDigits, a.Num
		return v
	}
	return v.setText(a.Text)
}

// string is the text of a text.
func (v *value) string() string {
	if v.kind == isDigits {
		return strconv.FormatInt(v.whole, 10)
	}
	return v.text
}

func (v *value) isText() bool { return v.kind == isText || v.kind == isDigits }

// argument is the value as an argument of redis.call.
func (v *value) argument(f *frame) world.Arg {
	switch v.kind {
	case isText:
		return world.Arg{Text: v.text}
	case isDigits:
		return world.Arg{Num: v.whole, IsNum: true}
	case isNumber:
		return numberArg(v.number)
	}
	f.leave()
	return world.Arg{}
}

// equals is ==. Whether two tables are one is left to Lua.
func (v *value) equals(o *value, f *frame) bool {
	switch {
	case v.kind == isDigits && o.kind == isDigits:
		return v.whole == o.whole
	case v.isText() && o.isText():
		return v.string() == o.string()
	case v.kind >= isStatus && o.kind >= isStatus:
		return f.leave()
	case v.kind == isNumber && o.kind == isNumber:
		return v.number == o.number
	}
	return v.kind == o.kind
}

// setReply makes it what a script sees of a reply, see fromReply.
func (v *value) setReply(r *world.Reply, f *frame) {
	switch r.Kind {
	case world.ReplyInt:
		v.setNumber(float64(r.Int))
	case world.ReplyBulk:
		v.setText(r.Str)
	case world.ReplyStatus:
		v.kind, v.text = isStatus, r.Str
	case world.ReplyArray:
		elements := r.Elements()
		if len(elements) > mostRounds { // more than a reply may have, perhaps
			f.leave()
			return
		}
		list := make([]value, len(elements))
		for i := range elements {
			list[i].setReply(&elements[i], f)
		}
		v.kind, v.list = isList, &list
	case world.ReplyError:
		f.leave()
	default:
		v.kind = isFalse
	}
}

// reply is what a script returns, see toReply.
func (v *value) reply() world.Reply {
	switch v.kind {
	case isTrue:
		return world.Int(1)
	case isNumber:
		return world.Int(truncate(v.number))
	case isText, isDigits:
		return world.Bulk(v.string())
	case isStatus:
		return world.Reply{Kind: world.ReplyStatus, Str: statusLine(v.text)}
	case isList:
		if len(*v.list) == 0 {
			return world.List(nil)
		}
		elements := make([]world.Reply, len(*v.list))
		for i := range elements {
			elements[i] = (*v.list)[i].reply()
		}
		return world.List(elements)
	}
	return world.Reply{}
}

// add puts a value at the end of a list. Lists in lists, which could go in circles, and holes are left to Lua.
func (f *frame) add(list *[]value, v *value) {
	if v.kind == isNil || v.kind == isList || len(*list) >= mostRounds {
		f.leave()
		return
	}
	*list = append(*list, *v)
}

// call is redis.call and redis.pcall, for the arguments in f.argv from one on. c is nil for a command that the
// server does not know; sound says that all checks but the server's have been made.
func (f *frame) call(c *command, sound bool, from int, out *value) {
	if f.lost {
		return
	}
	var reply world.Reply
	if sound && (!c.write || f.store.refuses() == nil) {
		reply = f.store.run(c, f.argv[from:])
	} else {
		reply = f.store.scripted(c, f.argv[from:])
	}
	f.given = append(f.given, reply)
	out.setReply(&reply, f)
}

// asNumber is the value as an operand of arithmetic. What Lua would make of a text is left to it.
func (v *value) asNumber(f *frame) float64 {
	if v.kind != isNumber {
		f.leave()
	}
	return v.number
}

// toNumber is tonumber.
func (v *value) toNumber(f *frame, out *value) *value {
	switch v.kind {
	case isNumber:
		return v
	case isDigits:
		return out.setNumber(float64(v.whole))
	case isText:
		if n, ok := parseLuaNumber(v.text, 10); ok {
			return out.setNumber(n)
		}
	default:
		f.leave()
	}
	return nothing
}

// position is the value as a position among so many things, from 0; -1 when it is none.
func (v *value) position(n int) int {
	if i := int(v.number); v.kind == isNumber && float64(i) == v.number && i >= 1 && i <= n {
		return i - 1
	}
	return -1
}

// at is v[i].
func (v *value) at(i *value, f *frame) *value {
	if v.kind != isList || i.kind != isNumber {
		f.leave()
		return nothing
	}
	if n := i.position(len(*v.list)); n >= 0 {
		return &(*v.list)[n]
	}
	return nothing
}

// length is #v.
func (v *value) length(f *frame, out *value) *value {
	switch v.kind {
	case isText, isDigits:
		return out.setNumber(float64(len(v.string())))
	case isList:
		return out.setNumber(float64(len(*v.list)))
	}
	f.leave()
	return nothing
}

// argumentAt is KEYS[i] and ARGV[i].
func argumentAt(all []world.Arg, i int, out *value) *value {
	if i < 0 || i >= len(all) {
		return nothing
	}
	return out.setArgument(&all[i])
}

// luaTypes are what type tells.
var luaTypes = [...]string{isNil: "nil", isFalse: "boolean", isTrue: "boolean", isNumber: "number",
	isText: "string", isDigits: "string", isStatus: "table", isList: "table"}
