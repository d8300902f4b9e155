package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// answer is a line of a program: an answer or an event.
type answer struct {
	ID     *int64
	OK     *bool
	Err    string
	Detail string
	Token  int64
	Extend bool
	Event  string
}

// key is a key of a line, with a description of its value.
type key struct {
	name, is string
	to       func(*answer) any
}

var keys = []key{
	{"id", "a whole number, that of the request", func(a *answer) any { return &a.ID }},
	{"ok", "true or false", func(a *answer) any { return &a.OK }},
	{"err", "a text", func(a *answer) any { return &a.Err }},
	{"detail", "a text", func(a *answer) any { return &a.Detail }},
	{"token", "a whole number that is not negative", func(a *answer) any { return &a.Token }},
	{"extend", "true or false", func(a *answer) any { return &a.Extend }},
	{"event", `"lost"`, func(a *answer) any { return &a.Event }},
}

func keyNames() string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// parse reads one line, the number-th. It accepts only what the protocol says: the meaning of ID
// for id, or of two values of ok, is unknown.
func parse(number int, line []byte) (answer, error) {
	a, err := read(line)
	if err != nil {
		return a, fmt.Errorf("%w: line %d, %s: %.200s", ErrGarbage, number, shown(line), strings.ToValidUTF8(err.Error(), "?"))
	}
	return a, nil
}

func read(line []byte) (a answer, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		return a, errors.New("a line is one JSON object, and print() for people goes to standard error")
	}
	var seen []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return a, fmt.Errorf("it is no JSON: %w", err)
		}
		if err := a.set(dec, name.(string), seen); err != nil {
			return a, err
		}
		seen = append(seen, name.(string))
	}
	if _, err := dec.Token(); err != nil {
		return a, fmt.Errorf("it is no JSON: the object has no end")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("something follows the object: write each answer on a line of its own")
	}
	return a, a.complete(seen)
}

// set reads the value of a key.
func (a *answer) set(dec *json.Decoder, name string, seen []string) error {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	switch {
	case i < 0:
		return fmt.Errorf("there is no key %.40q: the keys are %s, in lower case", name, keyNames())
	case slices.Contains(seen, name):
		return fmt.Errorf("%q is there twice: write it once", name)
	}
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	if string(raw) == "null" || json.Unmarshal(raw, keys[i].to(a)) != nil {
		return fmt.Errorf("%s is %.40s, and has to be %s", name, raw, keys[i].is)
	}
	return nil
}

// complete returns an error for missing or contradictory keys.
func (a *answer) complete(seen []string) error {
	switch {
	case slices.Contains(seen, "event"):
		if a.Event != "lost" || len(seen) > 1 {
			return errors.New(`the only event is {"event":"lost"}`)
		}
	case a.ID == nil || a.OK == nil:
		return errors.New("an answer has id and ok")
	case *a.OK && a.Err != "":
		return fmt.Errorf("ok is true and err is %.40q: an answer says one of the two", a.Err)
	case a.Token < 0:
		return errors.New("a token is not negative")
	case a.Token > 0 && !*a.OK:
		return errors.New("ok is false and there is a token: only an acquired lock has one")
	}
	return nil
}

// answers returns an error if the answer does not fit a question of that kind.
func (a *answer) answers(op string) error {
	switch {
	case a.Token > 0 && op != "acquire":
		return fmt.Errorf("%w: it answers %q with a token, which belongs to acquire", ErrAnswer, op)
	case a.Extend && op != "init":
		return fmt.Errorf("%w: it answers %q with extend, which belongs to init", ErrAnswer, op)
	}
	return nil
}
