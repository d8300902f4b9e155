package redis

import (
	"strconv"
	"strings"
)

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
func parseInt(a Arg) (n int64, ok bool) {
	if a.IsNum {
		return a.Num, true
	}
	digits := strings.TrimPrefix(a.Text, "-")
	if a.Text != "0" && (digits == "" || digits[0] < '1' || digits[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseInt(a.Text, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
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
