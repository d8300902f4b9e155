package sql

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

type valueKind uint8

const (
	valueNull     valueKind = iota
	valueNumber             // num
	valueMilli              // a decimal number: num thousandths
	valueText               // text
	valueTime               // num microseconds of the server's wall clock since 1970
	valueInterval           // num microseconds
	valueHash               // the hash of text; only equality is known of it
	valueBool               // of PostgreSQL: num is 1 for true
)

// value is the value of an expression or a column. The servers compute with decimal
// numbers where the result can have a fraction; three digits after the point are enough
// for times in milliseconds.
type value struct {
	kind      valueKind
	precision uint8 // fractional digits of a time's seconds, in MySQL
	zoned     bool  // a time of PostgreSQL with a time zone
	num       int64
	text      string
}

func number(n int64) value { return value{kind: valueNumber, num: n} }

// given is a value from outside.
func (f Flavour) given(v Value) value {
	switch {
	case v.Null:
		return value{}
	case v.IsBool:
		return f.truth(v.Num != 0)
	case v.IsNum:
		return number(v.Num)
	}
	return value{kind: valueText, text: v.Text}
}

// toWorld is a value as a client gets it.
func toWorld(v value) Value {
	switch v.kind {
	case valueNull:
		return Value{Null: true}
	case valueNumber, valueHash:
		return Num(v.num)
	case valueMilli:
		text := fmt.Sprintf("%d.%03d", abs(v.num)/1000, abs(v.num)%1000)
		if v.num < 0 {
			text = "-" + text
		}
		return Text(text)
	case valueTime:
		return Time(v.num)
	case valueBool:
		return Bool(v.num != 0)
	}
	return Text(v.text)
}

func abs(n int64) int64 { return max(n, -n) }

// numeric reports whether a value is a number.
func (v value) numeric() bool { return v.kind == valueNumber || v.kind == valueMilli }

// milli is a numeric value in thousandths; false when these are too many.
func (v value) milli() (int64, bool) {
	if v.kind == valueNumber {
		return times(v.num, 1000)
	}
	return v.num, true
}

// parts are the whole number in a numeric value and the thousandths after its point,
// which have its sign.
func (v value) parts() (whole, thousandths int64) {
	if v.kind == valueNumber {
		return v.num, 0
	}
	return v.num / 1000, v.num % 1000
}

// times and plus compute; false when the result does not fit.
func times(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	n := a * b
	return n, n/b == a && (a != -1 || b != math.MinInt64) && (b != -1 || a != math.MinInt64)
}

func plus(a, b int64) (int64, bool) {
	n := a + b
	return n, (n > a) == (b > 0)
}

// rounded is a numeric value as a whole number, halves away from zero.
func (v value) rounded() int64 {
	whole, thousandths := v.parts()
	return whole + thousandths/500
}

// compute is arithmetic; false when the operands are not numbers, when the result would
// be NULL, and when a number does not fit.
func (f Flavour) compute(op string, a, b value) (value, bool) {
	if !a.numeric() || !b.numeric() {
		return value{}, false
	}
	whole := a.kind == valueNumber && b.kind == valueNumber
	if whole && (op != "/" || f == PostgreSQL) {
		n, ok := arithmetic(op, a.num, b.num)
		return number(n), ok
	}
	if op == "*" {
		n, ok := times(a.num, b.num)
		if a.kind == valueMilli && b.kind == valueMilli {
			n /= 1000
		}
		return value{kind: valueMilli, num: n}, ok
	}
	x, xFits := a.milli()
	y, yFits := b.milli()
	if op == "/" && xFits {
		x, xFits = times(x, 1000)
	}
	if !xFits || !yFits {
		return value{}, false
	}
	n, ok := arithmetic(op, x, y)
	return value{kind: valueMilli, num: n}, ok
}

// arithmetic computes with whole numbers.
func arithmetic(op string, a, b int64) (int64, bool) {
	switch op {
	case "*":
		return times(a, b)
	case "/":
		if b == 0 || b == -1 && a == math.MinInt64 {
			return 0, false
		}
		return a / b, true
	case "-":
		if b == math.MinInt64 {
			return 0, false
		}
		return plus(a, -b)
	}
	return plus(a, b)
}

// compare orders two values of the same type; ok is false when one is NULL or
// the types differ. MySQL's texts are compared as its default collations do,
// without regard to case and to blanks at the end.
func (f Flavour) compare(a, b value) (order int, ok bool) {
	switch {
	case a.numeric() && b.numeric():
		aWhole, aRest := a.parts()
		bWhole, bRest := b.parts()
		return cmp.Or(cmp.Compare(aWhole, bWhole), cmp.Compare(aRest, bRest)), true
	case a.kind == valueText && b.kind == valueText:
		return strings.Compare(f.fold(a.text), f.fold(b.text)), true
	case a.kind == b.kind && (a.kind == valueBool || a.kind == valueTime || a.kind == valueInterval):
		return cmp.Compare(a.num, b.num), true
	case a.kind == valueHash && b.kind == valueHash:
		return strings.Compare(a.text, b.text), true
	}
	return 0, false
}

// fold is the form of a text in which it is compared.
func (f Flavour) fold(text string) string {
	if f == MySQL {
		return strings.ToLower(strings.TrimRight(text, " "))
	}
	return text
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
