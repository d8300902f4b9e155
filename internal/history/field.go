package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"lockstep/internal/history/jsonline"
)

// A field is one field of a T: how it is stored, how it is hashed, and its name in a difference.
// Writer, reader, hash and difference share one list of fields.
type field[T any] struct {
	name  string // in the stored form
	words string // in a difference; "" when it is not compared
	write func(b []byte, of *T) []byte
	read  func(s *jsonline.Scanner, of *T) error
	hash  func(b []byte, of *T) []byte // nil: it is not hashed
	empty func(of *T) bool             // it is not written then; nil: never
	must  bool                         // a stored object without it is refused
	same  bool                         // it replaces the field before it; no event has both
}

// unhashed leaves the field out of hashes and differences.
func (f field[T]) unhashed() field[T] {
	f.hash, f.words = nil, ""
	return f
}

// called sets the name of the field in a difference; demanded makes it mandatory.
func (f field[T]) called(words string) field[T] {
	f.words = words
	return f
}

func (f field[T]) demanded() field[T] {
	f.must = true
	return f
}

// optional is a field that is not written when it is zero.
func optional[T any, V comparable](kind func(string, func(*T) *V) field[T], name string, at func(*T) *V) field[T] {
	f := kind(name, at)
	f.empty = func(of *T) bool { return *at(of) == *new(V) }
	return f
}

// scalar is a field of one value. hash is nil for what the hash leaves out.
func scalar[T, V any](name string, at func(*T) *V, write func([]byte, V) []byte, read func(*jsonline.Scanner) (V, error), hash func([]byte, V) []byte) field[T] {
	f := field[T]{
		name: name, words: name,
		write: func(b []byte, of *T) []byte { return write(b, *at(of)) },
		read: func(s *jsonline.Scanner, of *T) (err error) {
			*at(of), err = read(s)
			return err
		},
	}
	if hash != nil {
		f.hash = func(b []byte, of *T) []byte { return hash(b, *at(of)) }
	}
	return f
}

func text[T any, S ~string](name string, at func(*T) *S) field[T] {
	return scalar(name, at,
		func(b []byte, v S) []byte { return appendString(b, string(v)) },
		func(s *jsonline.Scanner) (S, error) { v, err := s.Bytes(); return S(v), err },
		func(b []byte, v S) []byte { return append(appendNumber(b, len(v)), v...) })
}

func integer[T any, N ~int64](name string, at func(*T) *N) field[T] {
	return scalar(name, at,
		func(b []byte, v N) []byte { return strconv.AppendInt(b, int64(v), 10) },
		func(s *jsonline.Scanner) (N, error) { v, err := s.Integer(); return N(v), err },
		appendNumber)
}

// small is an integer of 31 bits.
func small[T any](name string, at func(*T) *int) field[T] {
	return scalar(name, at, func(b []byte, v int) []byte { return strconv.AppendInt(b, int64(v), 10) }, (*jsonline.Scanner).Small, appendNumber)
}

func unsigned[T any](name string, at func(*T) *uint64) field[T] {
	return scalar(name, at, func(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }, (*jsonline.Scanner).Unsigned, appendNumber)
}

func boolean[T any](name string, at func(*T) *bool) field[T] {
	return scalar(name, at, strconv.AppendBool, (*jsonline.Scanner).Boolean, nil)
}

// list is an array of objects, no more than most; 0: any number.
func list[T, E any](name string, most int, elements []field[E], at func(*T) *[]E) field[T] {
	return field[T]{
		name: name, words: name,
		write: func(b []byte, of *T) []byte {
			b = append(b, '[')
			for i := range *at(of) {
				if i > 0 {
					b = append(b, ',')
				}
				b = appendObject(b, elements, &(*at(of))[i])
			}
			return append(b, ']')
		},
		read: func(s *jsonline.Scanner, of *T) error {
			*at(of) = nil
			return s.Array(func() error {
				if most > 0 && len(*at(of)) == most {
					return fmt.Errorf("more than %d %s", most, name)
				}
				var e E
				err := readObject(s, elements, &e)
				*at(of) = append(*at(of), e)
				return err
			})
		},
		hash: func(b []byte, of *T) []byte {
			b = appendNumber(b, len(*at(of)))
			for i := range *at(of) {
				b = appendHashed(b, elements, &(*at(of))[i])
			}
			return b
		},
	}
}

// appendObject appends an object as JSON.
func appendObject[T any](b []byte, fields []field[T], of *T) []byte {
	b = append(b, '{')
	for i := range fields {
		f := &fields[i]
		if f.empty != nil && f.empty(of) {
			continue
		}
		if b[len(b)-1] != '{' { // no value ends like that
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), `":`...)
		b = f.write(b, of)
	}
	return append(b, '}')
}

// readObject reads an object and skips unknown fields. A field that is given twice is an error: two
// readers could disagree about which one counts.
func readObject[T any](s *jsonline.Scanner, fields []field[T], of *T) error {
	next, seen := 0, 0 // the index of the field that usually follows, and a bit for each field read
	err := s.Object(func(key []byte) error {
		i := next
		for n := 0; n < len(fields) && fields[i%len(fields)].name != string(key); n++ {
			i++
		}
		if i == next+len(fields) {
			return s.Skip()
		}
		i %= len(fields)
		next = i + 1
		if err := fields[i].read(s, of); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		bit := 1 << i
		if fields[i].same {
			bit >>= 1
		}
		if seen&bit != 0 {
			return fmt.Errorf("%s appears twice", key)
		}
		seen |= bit
		return nil
	})
	for i := range fields {
		if err == nil && fields[i].must && seen&(1<<i) == 0 {
			err = errors.New(fields[i].name + " is missing")
		}
	}
	return err
}

// readLine reads an object that fills a line.
func readLine[T any](s *jsonline.Scanner, fields []field[T], of *T) error {
	if err := readObject(s, fields, of); err != nil {
		return err
	}
	return s.End()
}

func appendHashed[T any](b []byte, fields []field[T], of *T) []byte {
	for i := range fields {
		if fields[i].hash != nil {
			b = fields[i].hash(b, of)
		}
	}
	return b
}

func appendNumber[N ~int | ~int64 | ~uint64](b []byte, n N) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(n))
}

// differing names the fields in which two objects differ.
func differing[T any](fields []field[T], x, y *T) (names []string) {
	for i := range fields {
		f := &fields[i]
		if f.words == "" || len(names) > 0 && names[len(names)-1] == f.words {
			continue
		}
		none := f.empty != nil && f.empty(x)
		if none != (f.empty != nil && f.empty(y)) || !none && !bytes.Equal(f.write(nil, x), f.write(nil, y)) {
			names = append(names, f.words)
		}
	}
	return names
}
