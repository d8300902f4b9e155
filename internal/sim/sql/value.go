package sql

import (
	"strconv"
	"strings"

	"lockstep/internal/world"
)

type valueKind uint8

const (
	valueNull   valueKind = iota
	valueNumber           // num
	valueMilli            // a decimal number: num thousandths
	valueText             // text
	valueTime             // num milliseconds of the server's wall clock since 1970
	valueHash             // the hash of text; only equality is known of it
)

// value is what an expression or a column has. The servers compute with decimal
// numbers where a fraction can come out; three digits behind the point are enough
// for times in milliseconds.
type value struct {
	kind valueKind
	num  int64
	text string
}

func number(n int64) value { return value{kind: valueNumber, num: n} }

func truth(b bool) value {
	if b {
		return number(1)
	}
	return number(0)
}

// fromWorld and toWorld convert arguments and results.
func fromWorld(v world.SQLValue) value {
	switch {
	case v.Null:
		return value{}
	case v.IsNum:
		return number(v.Num)
	}
	return value{kind: valueText, text: v.Text}
}

func toWorld(v value) world.SQLValue {
	switch v.kind {
	case valueNull:
		return world.SQLValue{Null: true}
	case valueNumber:
		return world.SQLNum(v.num)
	case valueMilli:
		digits := strconv.FormatInt(1000+abs(v.num)%1000, 10)[1:]
		sign := ""
		if v.num < 0 {
			sign = "-"
		}
		return world.SQLText(sign + strconv.FormatInt(abs(v.num)/1000, 10) + "." + digits)
	case valueTime, valueHash:
		return world.SQLNum(v.num)
	}
	return world.SQLText(v.text)
}

func abs(n int64) int64 { return max(n, -n) }

// numeric reports whether one can compute with a value.
func (v value) numeric() bool { return v.kind == valueNumber || v.kind == valueMilli }

// milli is a numeric value in thousandths.
func (v value) milli() int64 {
	if v.kind == valueNumber {
		return v.num * 1000
	}
	return v.num
}

// rounded is a numeric value as a whole number, halves away from zero.
func (v value) rounded() int64 {
	if v.kind == valueNumber {
		return v.num
	}
	half := int64(500)
	if v.num < 0 {
		half = -half
	}
	return (v.num + half) / 1000
}

// compute is arithmetic; false when the operands are not numbers, or when the
// result would be NULL.
func (f Flavour) compute(op byte, a, b value) (v value, ok bool) {
	if !a.numeric() || !b.numeric() {
		return value{}, false
	}
	whole := a.kind == valueNumber && b.kind == valueNumber
	switch op {
	case '*':
		if whole {
			return number(a.num * b.num), true
		}
		if a.kind == valueNumber {
			a, b = b, a
		}
		if b.kind == valueNumber {
			return value{kind: valueMilli, num: a.num * b.num}, true
		}
		return value{kind: valueMilli, num: a.num * b.num / 1000}, true
	case '/':
		if b.num == 0 {
			return value{}, false
		}
		if whole && f == PostgreSQL {
			return number(a.num / b.num), true
		}
		return value{kind: valueMilli, num: a.milli() * 1000 / b.milli()}, true
	case '-':
		if whole {
			return number(a.num - b.num), true
		}
		return value{kind: valueMilli, num: a.milli() - b.milli()}, true
	}
	if whole {
		return number(a.num + b.num), true
	}
	return value{kind: valueMilli, num: a.milli() + b.milli()}, true
}

// compare orders two values of the same type; ok is false when one is NULL or
// the types differ. MySQL's texts are compared as its default collations do,
// without regard to case and to blanks at the end.
func (f Flavour) compare(a, b value) (order int, ok bool) {
	switch {
	case a.numeric() && b.numeric():
		return sign(a.milli() - b.milli()), true
	case a.kind == valueText && b.kind == valueText:
		return strings.Compare(f.fold(a.text), f.fold(b.text)), true
	case a.kind == valueHash && b.kind == valueHash:
		return strings.Compare(a.text, b.text), true
	}
	return 0, false
}

// fold is what a text is compared by.
func (f Flavour) fold(text string) string {
	if f == MySQL {
		return strings.ToLower(strings.TrimRight(text, " "))
	}
	return text
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// hashOf stands for hashtext of PostgreSQL: FNV-1a, 32 bits. The real function
// gives other numbers; locks use them only to tell one name from another.
func hashOf(text string) value {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return value{kind: valueHash, num: int64(int32(h)), text: text}
}

// toText is a value as text.
func toText(v value) string {
	w := toWorld(v)
	if w.IsNum {
		return strconv.FormatInt(w.Num, 10)
	}
	return w.Text
}
