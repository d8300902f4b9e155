// Package jsonline reads the JSON of one line at a time, strictly: for stored histories and for
// logs, which come from anywhere.
package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Scanner reads the JSON of one line. Unlike encoding/json it refuses a lone surrogate, shows its
// caller both of two equal keys, and is fast. Most errors name the column, in bytes from 1.
type Scanner struct {
	in []byte // valid UTF-8
	at int
}

// maxDepth is how deeply the values of unknown fields may nest.
const maxDepth = 32

// Reset begins a line, which has to be valid UTF-8.
func (s *Scanner) Reset(line []byte) { s.in, s.at = line, 0 }

func (s *Scanner) space() {
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// Next returns the first byte of the next value, 0 at the end of the line, and does not consume it.
func (s *Scanner) Next() byte {
	s.space()
	if s.at >= len(s.in) {
		return 0
	}
	return s.in[s.at]
}

func (s *Scanner) expect(c byte) error {
	if s.Next() != c || s.at >= len(s.in) {
		return fmt.Errorf("column %d: %q expected", s.at+1, c)
	}
	s.at++
	return nil
}

// End makes sure that nothing follows.
func (s *Scanner) End() error {
	s.space()
	if s.at < len(s.in) {
		return fmt.Errorf("column %d: something follows the object", s.at+1)
	}
	return nil
}

// Object reads an object; value is called for every key and must read its value.
func (s *Scanner) Object(value func(key []byte) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	return s.list('}', func() error {
		key, err := s.Bytes()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return value(key)
	})
}

// Array reads an array; value is called for every element and must read it.
func (s *Scanner) Array(value func() error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	return s.list(']', value)
}

func (s *Scanner) list(last byte, item func() error) error {
	if s.Next() == last {
		s.at++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.Next() != ',' {
			return s.expect(last)
		}
		s.at++
	}
}

// Bytes reads a string. The bytes are valid as long as the line is.
func (s *Scanner) Bytes() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	start := s.at
	for ; s.at < len(s.in); s.at++ {
		switch c := s.in[s.at]; {
		case c == '"':
			s.at++
			return s.in[start : s.at-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return nil, fmt.Errorf("column %d: a control character in a string", s.at+1)
		}
	}
	return nil, errors.New("a string does not end")
}

// escaped reads the rest of a string whose first escape is at s.at.
func (s *Scanner) escaped(start int) ([]byte, error) {
	out := append([]byte(nil), s.in[start:s.at]...)
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '"':
			s.at++
			return out, nil
		case c < ' ':
			return nil, fmt.Errorf("column %d: a control character in a string", s.at+1)
		case c != '\\':
			out = append(out, c)
			s.at++
		default:
			r, err := s.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return nil, errors.New("a string does not end")
}

func (s *Scanner) escape() (rune, error) {
	column := s.at + 1
	if s.at+1 >= len(s.in) {
		return 0, errors.New("a string does not end")
	}
	c := s.in[s.at+1]
	s.at += 2
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c == 'u' {
		r, ok := s.hex()
		if ok && utf16.IsSurrogate(r) {
			ok = false
			if s.at+1 < len(s.in) && s.in[s.at] == '\\' && s.in[s.at+1] == 'u' {
				s.at += 2
				var low rune
				low, ok = s.hex()
				r = utf16.DecodeRune(r, low)
				ok = ok && r != utf8.RuneError
			}
		}
		if ok {
			return r, nil
		}
	}
	return 0, fmt.Errorf("column %d: not an escape of a character", column)
}

// hex reads four hexadecimal digits.
func (s *Scanner) hex() (rune, bool) {
	if s.at+4 > len(s.in) {
		return 0, false
	}
	r, err := strconv.ParseUint(string(s.in[s.at:s.at+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	s.at += 4
	return rune(r), true
}

// digits reads a number without sign or leading zeros.
func (s *Scanner) digits() (uint64, error) {
	start := s.at
	n := uint64(0)
	for ; s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9'; s.at++ {
		d := uint64(s.in[s.at] - '0')
		if n > (math.MaxUint64-d)/10 {
			return 0, fmt.Errorf("column %d: the number is too large", start+1)
		}
		n = n*10 + d
	}
	switch length := s.at - start; {
	case length == 0:
		return 0, fmt.Errorf("column %d: a number expected", start+1)
	case length > 1 && s.in[start] == '0':
		return 0, fmt.Errorf("column %d: a number with a leading zero", start+1)
	}
	return n, nil
}

// whole refuses a number that goes on with a fraction or an exponent.
func (s *Scanner) whole() error {
	if s.at < len(s.in) {
		switch s.in[s.at] {
		case '.', 'e', 'E':
			return fmt.Errorf("column %d: not a whole number", s.at+1)
		}
	}
	return nil
}

// Unsigned reads a whole number that is not negative.
func (s *Scanner) Unsigned() (uint64, error) {
	s.space()
	n, err := s.digits()
	if err == nil {
		err = s.whole()
	}
	return n, err
}

// Integer reads a whole number.
func (s *Scanner) Integer() (int64, error) {
	negative := s.minus()
	n, err := s.digits()
	if err == nil {
		err = s.whole()
	}
	if err != nil {
		return 0, err
	}
	return signed(n, negative)
}

// Small reads an integer that fits into 31 bits.
func (s *Scanner) Small() (int, error) {
	n, err := s.Integer()
	if err == nil && (n < -math.MaxInt32 || n > math.MaxInt32) {
		err = fmt.Errorf("%d is out of range", n)
	}
	return int(n), err
}

// Number returns the text of a number, or of a string without its quotes, for the caller to check;
// that of null is empty.
func (s *Scanner) Number() ([]byte, error) {
	if s.Next() == '"' {
		return s.Bytes()
	}
	start := s.at
	switch word := s.word(); {
	case string(word) == "null":
		return nil, nil
	case len(word) == 0 || word[0] > '9' || !json.Valid(word):
		return nil, fmt.Errorf("column %d: a number or a string expected", start+1)
	default:
		return word, nil
	}
}

// Boolean reads true or false.
func (s *Scanner) Boolean() (bool, error) {
	for _, word := range [2]string{"true", "false"} {
		if s.space(); bytes.HasPrefix(s.in[s.at:], []byte(word)) {
			s.at += len(word)
			return word == "true", nil
		}
	}
	return false, fmt.Errorf("column %d: true or false expected", s.at+1)
}

func (s *Scanner) minus() bool {
	if s.Next() != '-' {
		return false
	}
	s.at++
	return true
}

func signed(n uint64, negative bool) (int64, error) {
	switch {
	case negative && n == -math.MinInt64:
		return math.MinInt64, nil
	case n > math.MaxInt64:
		return 0, errors.New("the number is too large")
	case negative:
		return -int64(n), nil
	}
	return int64(n), nil
}

// Micros reads microseconds with up to three decimals as nanoseconds, whose magnitude is at most
// most.
func (s *Scanner) Micros(most uint64) (int64, error) {
	negative := s.minus()
	n, err := s.digits()
	if err != nil {
		return 0, err
	}
	if n > most/1000 {
		return 0, errors.New("the time is out of range")
	}
	n *= 1000
	if s.at < len(s.in) && s.in[s.at] == '.' {
		s.at++
		start := s.at
		for unit := uint64(100); s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9'; s.at++ {
			if unit == 0 {
				return 0, errors.New("a time with more than three decimals")
			}
			n += uint64(s.in[s.at]-'0') * unit
			unit /= 10
		}
		if s.at == start {
			return 0, errors.New("a decimal point without decimals")
		}
	}
	if err := s.whole(); err != nil {
		return 0, errors.New("a time with an exponent or two points")
	}
	return signed(n, negative)
}

// Skip reads over a value of any kind.
func (s *Scanner) Skip() error { return s.skip(0) }

// Raw reads over a value of any kind and returns its JSON.
func (s *Scanner) Raw() ([]byte, error) {
	s.space()
	start := s.at
	err := s.Skip()
	return s.in[start:s.at], err
}

func (s *Scanner) skip(depth int) error {
	if depth > maxDepth {
		return errors.New("an unknown field nests too deeply")
	}
	switch c := s.Next(); c {
	case '"':
		_, err := s.Bytes()
		return err
	case '{':
		return s.Object(func([]byte) error { return s.skip(depth + 1) })
	case '[':
		return s.Array(func() error { return s.skip(depth + 1) })
	default:
		start := s.at
		if !json.Valid(s.word()) {
			return fmt.Errorf("column %d: a value expected", start+1)
		}
		return nil
	}
}

// word reads the characters of a number, true, false or null.
func (s *Scanner) word() []byte {
	start := s.at
	for ; s.at < len(s.in); s.at++ {
		c := s.in[s.at]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != 'E' && c != '+' && c != '-' && c != '.' {
			break
		}
	}
	return s.in[start:s.at]
}
