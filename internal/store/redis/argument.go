package redis

import (
	"strings"
)

// isOption reports whether an argument is that upper-case word in any case.
func isOption(a Arg, word string) bool {
	return !a.IsNum && len(a.Text) == len(word) && strings.EqualFold(a.Text, word)
}

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

// span turns a range of positions, both ends included and negative ones counted
// from the end, into a slice of n things (lrangeCommand).
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

// Unmodelled is what a panic says of something that the model does not have.
type Unmodelled string

const lacksWhat = "redis: the model does not have "

func (u Unmodelled) Error() string { return lacksWhat + string(u) }

// NotModelled tells the kernel that the panic is no bug.
func (Unmodelled) NotModelled() {}

// unmodelled ends the run: silently doing something else than the real server
// would make every verdict about the lock worthless.
func unmodelled(what string) { panic(Unmodelled(what)) }
