package redis

import "strings"

// optionWord returns an option in capitals; "" for a number, which is never an option.
func optionWord(a *Arg) string {
	if a.IsNum {
		return ""
	}
	return strings.ToUpper(a.Text)
}

// options are the conditions that EXPIRE and ZADD share, and two more of ZADD.
type options uint8

const (
	optNX   options = 1 << iota // only if there is no expiry, or no such member
	optXX                       // only if there is one
	optGT                       // only to a greater value
	optLT                       // only to a smaller value
	optCH                       // ZADD: count changed members, too
	optINCR                     // ZADD: add to the score
)

var optionBits = map[string]options{
	"NX": optNX, "XX": optXX, "GT": optGT, "LT": optLT, "CH": optCH, "INCR": optINCR,
}

// has reports whether any of the given options is set.
func (o options) has(any options) bool { return o&any != 0 }

// parseInt reads an argument as Redis reads integers: no blanks, no plus sign, no
// leading zeros (string2ll in util.c).
func parseInt(a Arg) (int64, bool) {
	if a.IsNum {
		return a.Num, true
	}
	text := a.Text
	negative := text != "" && text[0] == '-'
	if negative {
		text = text[1:]
	}
	if text == "0" {
		return 0, !negative
	}
	if text == "" || len(text) > 19 || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	var n uint64
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d) // 19 digits fit into 64 bits
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// addOverflows reports whether a+b leaves the range of int64.
func addOverflows(a, b int64) bool {
	sum := a + b
	return (sum > a) != (b > 0) && b != 0
}

// span converts a range of positions, both ends included and negative ones counted
// from the end, to the bounds of a slice of n elements (lrangeCommand).
func span(first, last int64, n int) (from, to int) {
	size := int64(n)
	if first < 0 {
		first = max(first+size, 0)
	}
	if last < 0 {
		last += size
	}
	last = min(last, size-1)
	if first > last {
		return 0, 0
	}
	return int(first), int(last + 1)
}

// sameText reports whether two values are the same bytes.
func sameText(a, b *Arg) bool {
	if a.IsNum && b.IsNum {
		return a.Num == b.Num
	}
	return a.String() == b.String()
}

// Unmodelled is the value of a panic over a feature that the model does not have.
type Unmodelled string

const unmodelledPrefix = "redis: the model does not have "

func (u Unmodelled) Error() string { return unmodelledPrefix + string(u) }

// NotModelled tells the kernel that the panic is no bug.
func (Unmodelled) NotModelled() {}

// unmodelled ends the run: a model that silently differs from the real server
// would make every verdict about the lock worthless.
func unmodelled(what string) { panic(Unmodelled(what)) }
