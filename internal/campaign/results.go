package campaign

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Results are the results of some units of a work, each with its key. They are stored as lines of
// JSON: a header, which says what is played, and a line for each unit. Those of Open are a file, and
// new ones are appended to it. Nil has none and keeps none.
type Results struct {
	Work   *Work
	Shards int // the number of shards, which are the units; 0: the units are something else

	hash string // of the work
	file string // where they were read; "" for none

	mu    sync.Mutex
	lines map[string]*Line
	open  *os.File // nil: in memory
	size  int64    // of its complete lines; 0: the header is not written yet
}

// Line is the result of one unit of a work. It is valid for this work only.
type Line struct {
	Key  string          `json:"key"`    // of a shard its String
	Data json.RawMessage `json:"result"` // in the form of the command
	Sum  string          `json:"sum"`    // of the work, the key and the data
	File string          `json:"-"`      // where it was read, for errors; "" for none
}

// header is the first line of a file.
type header struct {
	Results int    `json:"results"` // the version of the form
	Work    *Work  `json:"work"`
	Hash    string `json:"hash"`
	Shards  int    `json:"shards,omitempty"`
}

// form is the version of the file format.
const form = 1

// NewResults returns empty results of a work.
func NewResults(w *Work, shards int) *Results {
	return &Results{Work: w, Shards: shards, hash: w.Hash(), lines: map[string]*Line{}}
}

// NewLine returns the line for a result, which can be any JSON value.
func NewLine(w *Work, key string, result any) (*Line, error) {
	data, err := json.Marshal(result)
	return &Line{Key: key, Data: data, Sum: hashOf([]any{w.Hash(), key, json.RawMessage(data)})}, err
}

// stored is a line of a file.
func stored(v any) []byte { return append(encoded(v), '\n') }

// Store returns the line for files and queues.
func (l *Line) Store() []byte { return stored(l) }

// Decode decodes the result strictly.
func (l *Line) Decode(v any) error {
	if err := strictly(l.Data, v); err != nil {
		return fmt.Errorf("%s: what it says of %s is of something else: %w", cmp.Or(l.File, justPlayed), l.Key, err)
	}
	return nil
}

// ReadLine reads a line of the work with a hash. It must be unchanged. file is where it was.
func ReadLine(file, hash string, data []byte) (*Line, error) {
	l := &Line{File: file}
	if err := strictly(data, l); err != nil {
		return nil, fmt.Errorf("it is no result: %w", err)
	}
	if l.Sum != hashOf([]any{hash, l.Key, l.Data}) || !bytes.Equal(data, l.Store()) {
		return nil, errors.New("it was changed after it was written, or is of different work")
	}
	return l, nil
}

// Read reads a file of results. An incomplete last line, left by a killed writer, is ignored.
func Read(file string, data []byte) (*Results, error) {
	var r *Results
	number := 0
	for line := range bytes.Lines(data) {
		if number++; line[len(line)-1] != '\n' {
			break
		}
		if number == 1 {
			var err error
			if r, err = readHeader(file, line); err != nil {
				return nil, err
			}
			continue
		}
		l, err := ReadLine(file, r.hash, line)
		if err == nil {
			err = r.Put(l)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not as it was written, in line %d (%w): remove the line, "+
				"and what it was of is played again", file, number, err)
		}
	}
	if r == nil {
		return nil, notResults(file, errors.New("its end is missing"))
	}
	return r, nil
}

func notResults(file string, why error) error {
	return fmt.Errorf("%s is no file of results, or half of one (line 1: %w): make it again, or name another file", file, why)
}

func readHeader(file string, line []byte) (*Results, error) {
	var h header
	err := strictly(line, &h)
	switch {
	case err == nil && h.Results != form:
		return nil, fmt.Errorf("%s has form %d of results, and this program reads form %d: make and merge all parts with one version", file, h.Results, form)
	case err == nil && (h.Work == nil || h.Shards < 0 || h.Shards > Most):
		err = errors.New("it does not say of which work and shards it is")
		fallthrough
	case err != nil:
		return nil, notResults(file, err)
	}
	r := NewResults(h.Work, h.Shards)
	if r.file = file; h.Hash != r.hash || !bytes.Equal(line, r.header()) {
		return nil, fmt.Errorf("%s is not as it was written, in line 1: make it again, or name another file", file)
	}
	return r, nil
}

// justPlayed is the name of the file of a line that was not read.
const justPlayed = "what was just played"

// ErrDiverged is a unit that was played twice with different results.
var ErrDiverged = errors.New("the same work has two results")

// Put adds the result of a unit, also to the file if there is one. The same again changes nothing; a
// different one is ErrDiverged. After an error nothing is changed.
func (r *Results) Put(l *Line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.lines[l.Key]; known != nil {
		if !bytes.Equal(known.Data, l.Data) {
			return fmt.Errorf("%w: %s is one thing in %s and another in %s", ErrDiverged, l.Key,
				cmp.Or(known.File, justPlayed), cmp.Or(l.File, justPlayed))
		}
		return nil
	}
	if s, err := Parse(l.Key, func(string) string { return "" }); r.Shards > 0 && (err != nil || s.Of != r.Shards || s.String() != l.Key) {
		return fmt.Errorf("it is of shard %q of %d", l.Key, r.Shards)
	}
	if err := r.store(l); err != nil {
		return err
	}
	r.lines[l.Key] = l
	return nil
}

// Keep puts the result of a unit, any JSON value.
func (r *Results) Keep(key string, result any) error {
	if r == nil {
		return nil
	}
	l, err := NewLine(r.Work, key, result)
	if err != nil {
		return err
	}
	return r.Put(l)
}

// Get returns the result of a unit; nil when it is unknown.
func (r *Results) Get(key string) *Line {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines[key]
}

// Lines returns all results in the order of their keys: shards by their numbers.
func (r *Results) Lines() []*Line {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.lines), func(a, b *Line) int {
		return cmp.Or(cmp.Compare(len(a.Key), len(b.Key)), strings.Compare(a.Key, b.Key))
	})
}

// Len returns the number of known units.
func (r *Results) Len() int { return len(r.lines) }

func (r *Results) header() []byte {
	return stored(header{Results: form, Work: r.Work, Hash: r.hash, Shards: r.Shards})
}

// Store returns the file of the results.
func (r *Results) Store() []byte {
	out := r.header()
	for _, l := range r.Lines() {
		out = append(out, l.Store()...)
	}
	return out
}

// Of reports whether they are of this work, with this number of shards.
func (r *Results) Of(w *Work, shards int) bool { return r.hash == w.Hash() && r.Shards == shards }

// Merge combines results, in any order: all units in any of them.
func Merge(all []*Results) (*Results, error) {
	all = slices.SortedFunc(slices.Values(all), func(a, b *Results) int { return cmp.Compare(a.file, b.file) })
	out := NewResults(all[0].Work, all[0].Shards)
	for _, r := range all {
		if how := out.Work.Differs(r.Work); how != "" {
			return nil, fmt.Errorf("%s and %s are parts of different work: %s", all[0].file, r.file, how)
		}
		if r.Shards != out.Shards {
			return nil, fmt.Errorf("%s divides the work into %d shards and %s into %d: divide it in one way",
				all[0].file, out.Shards, r.file, r.Shards)
		}
		for _, l := range r.Lines() {
			if err := out.Put(l); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Missing returns an error that lists the missing shards, nil when there are none.
func (r *Results) Missing() error {
	has := func(k int) bool { return r.lines[Shard{k, r.Shards}.String()] != nil }
	var lacks []string
	for k := 1; k <= r.Shards; k++ {
		if has(k) {
			continue
		}
		last := k
		for last < r.Shards && !has(last+1) {
			last++
		}
		text := strconv.Itoa(k)
		if last > k {
			text += " to " + strconv.Itoa(last)
		}
		lacks = append(lacks, text)
		k = last
	}
	if len(lacks) == 0 {
		return nil
	}
	const most = 10
	if len(lacks) > most {
		lacks = append(lacks[:most], "and others")
	}
	return fmt.Errorf("of %d shards these are missing: %s. Make their parts with --shard, or merge what there is into one part with --partial",
		r.Shards, strings.Join(lacks, ", "))
}

// All returns the decoded results in the order of Lines.
func All[R any](r *Results) ([]R, error) {
	out := make([]R, 0, len(r.lines))
	for _, l := range r.Lines() {
		var one R
		if err := l.Decode(&one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

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

func hashOf(v any) string { return fmt.Sprintf("%x", sha256.Sum256(encoded(v))) }

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
		return nil, errors.New("it has no command")
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
