package campaign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Work is one command, with all that determines its result.
type Work struct {
	Version  string          `json:"version"` // of the program
	Command  string          `json:"command"` // search
	Scenario *Scenario       `json:"scenario,omitempty"`
	Options  json.RawMessage `json:"options"` // of the command, and the hashes of its other input
}

// Scenario is the file that a work is about.
type Scenario struct {
	File string   `json:"file"` // as users name it
	Text string   `json:"text"`
	Set  []string `json:"set,omitempty"` // its changes by --set
}

// NewWork describes a work. options is any JSON value.
func NewWork(version, command string, scenario *Scenario, options any) (*Work, error) {
	data, err := json.Marshal(options)
	return &Work{Version: version, Command: command, Scenario: scenario, Options: data}, err
}

// Hash identifies a work.
func (w *Work) Hash() string { return hashOf(w) }

func hashOf(v any) string {
	sum := sha256.Sum256(encoded(v))
	return hex.EncodeToString(sum[:])
}

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data; its raw JSON is valid already
	}
	return data
}

// ReadWork reads a work that was stored as JSON.
func ReadWork(data []byte) (*Work, error) {
	w := &Work{}
	if err := strictly(data, w); err != nil {
		return nil, err
	}
	if w.Command == "" || w.Options == nil {
		return nil, errors.New("it says nothing of a command")
	}
	return w, nil
}

// Differs says how two works differ, "" when they are equal.
func (w *Work) Differs(o *Work) string {
	scenario := func(w *Work) Scenario {
		if w.Scenario == nil {
			return Scenario{}
		}
		return *w.Scenario
	}
	a, b := scenario(w), scenario(o)
	switch {
	case w.Command != o.Command:
		return fmt.Sprintf("one is of %s and the other of %s", w.Command, o.Command)
	case w.Version != o.Version:
		return fmt.Sprintf("version %s of the program made one and version %s the other", w.Version, o.Version)
	case a.File != b.File:
		return fmt.Sprintf("one is of %s and the other of %s", a.File, b.File)
	case a.Text != b.Text:
		return a.File + " was changed in between"
	case !slices.Equal(a.Set, b.Set):
		return fmt.Sprintf("the changes of %s differ: %q and %q", a.File, a.Set, b.Set)
	case !bytes.Equal(w.Options, o.Options):
		return fmt.Sprintf("the options differ: %s and %s", w.Options, o.Options)
	}
	return ""
}

// strictly decodes one JSON value without unknown fields, and with nothing after it.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows it")
	}
	return nil
}
