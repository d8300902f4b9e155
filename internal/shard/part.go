package shard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Work is one command, with all that decides its result.
type Work struct {
	Version  string          `json:"version"` // of the program
	Command  string          `json:"command"` // search
	Scenario *Scenario       `json:"scenario,omitempty"`
	Options  json.RawMessage `json:"options"` // of the command, and the hashes of what else it reads
}

// Scenario is the file that a work is about.
type Scenario struct {
	File string   `json:"file"` // what people call it
	Text string   `json:"text"`
	Set  []string `json:"set,omitempty"` // its changes, as --set has them
}

// NewWork describes a work. options is anything that JSON can say.
func NewWork(version, command string, scenario *Scenario, options any) (*Work, error) {
	data, err := json.Marshal(options)
	return &Work{Version: version, Command: command, Scenario: scenario, Options: data}, err
}

// Hash tells works apart.
func (w *Work) Hash() string { return hashOf(w) }

func hashOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data, whose raw JSON has been read
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ReadWork reads a work that somebody has stored as JSON.
func ReadWork(data []byte) (*Work, error) {
	w := &Work{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(w); err != nil {
		return nil, err
	}
	if w.Command == "" || w.Options == nil {
		return nil, errors.New("it says nothing of a command")
	}
	return w, nil
}

// Differs says in what two works differ, "" when they are one.
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

// Part is what one shard of a work has come to, or several of them.
type Part struct {
	Schema  int      `json:"schema"`
	Work    *Work    `json:"work"`
	Hash    string   `json:"work_hash"`
	Shards  int      `json:"shards"`  // that the work is divided into
	Results []Result `json:"results"` // by the number of their shard
	Sum     string   `json:"sum"`     // of all else

	file string // where it was read; "" when it was not
}

// Result is what one shard has come to.
type Result struct {
	Shard int             `json:"shard"` // its number
	Data  json.RawMessage `json:"data"`  // what the command makes of it

	file string
}

// schema is the version of the form of a part.
const schema = 1

// NewPart is what one shard has come to: anything that JSON can say.
func NewPart(w *Work, s Shard, result any) (*Part, error) {
	data, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	s = s.whole()
	return &Part{Schema: schema, Work: w, Hash: w.Hash(), Shards: s.Of, Results: []Result{{Shard: s.Number, Data: data}}}, nil
}

// Is reports whether the part is that of one shard of a work, and of no other.
func (p *Part) Is(w *Work, s Shard) bool {
	s = s.whole()
	return p.Hash == w.Hash() && p.Shards == s.Of && len(p.Results) == 1 && p.Results[0].Shard == s.Number
}

// Store is the file of a part.
func (p *Part) Store() []byte {
	stored := *p
	stored.Sum = ""
	stored.Sum = hashOf(&stored)
	data, err := json.Marshal(&stored)
	if err != nil {
		panic(err) // as in hashOf
	}
	return append(data, '\n')
}

// Read reads the file of a part, which must be as it was stored.
func Read(file string, data []byte) (*Part, error) {
	p := &Part{file: file}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%s is no part, or half of one (%w): make it again with --shard", file, err)
	}
	switch {
	case p.Schema != schema:
		return nil, fmt.Errorf("%s has form %d of a part, and this program reads form %d: make and merge all parts with one version", file, p.Schema, schema)
	case p.Work == nil || p.Shards < 1 || p.Shards > Most || len(p.Results) == 0:
		return nil, fmt.Errorf("%s is no part: it says nothing of a work or of shards", file)
	case p.Hash != p.Work.Hash() || !bytes.Equal(bytes.TrimSpace(data), bytes.TrimSpace(p.Store())):
		return nil, fmt.Errorf("%s is not as it was written: make this part again", file)
	}
	for i := range p.Results {
		r := &p.Results[i]
		r.file = file
		if r.Shard < 1 || r.Shard > p.Shards || i > 0 && r.Shard <= p.Results[i-1].Shard {
			return nil, fmt.Errorf("%s is no part: it speaks of shard %d of %d", file, r.Shard, p.Shards)
		}
	}
	return p, nil
}

// ErrDiverged is a shard that was played twice and has come to two results.
var ErrDiverged = errors.New("the same shard has come to two results")

// Merge makes one part of several, in whatever order they come.
func Merge(parts []*Part) (*Part, error) {
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *Part) int { return cmp.Compare(a.file, b.file) })
	all := &Part{Schema: schema, Work: parts[0].Work, Hash: parts[0].Hash, Shards: parts[0].Shards, file: parts[0].file}
	for _, p := range parts {
		if how := all.Work.Differs(p.Work); how != "" {
			return nil, fmt.Errorf("%s and %s are parts of different work: %s", all.file, p.file, how)
		}
		if p.Shards != all.Shards {
			return nil, fmt.Errorf("%s divides the work into %d shards and %s into %d: divide it in one way", all.file, all.Shards, p.file, p.Shards)
		}
		all.Results = append(all.Results, p.Results...)
	}
	slices.SortStableFunc(all.Results, func(a, b Result) int { return a.Shard - b.Shard })
	for i := 1; i < len(all.Results); i++ {
		a, b := &all.Results[i-1], &all.Results[i]
		switch {
		case a.Shard != b.Shard:
		case !bytes.Equal(a.Data, b.Data):
			return nil, fmt.Errorf("%w: shard %d/%d is one thing in %s and another in %s", ErrDiverged, a.Shard, all.Shards, a.file, b.file)
		default:
			return nil, fmt.Errorf("%s and %s both hold shard %d/%d: leave one of them out", a.file, b.file, a.Shard, all.Shards)
		}
	}
	return all, nil
}

// Missing says which shards a part lacks, nil when it has all.
func (p *Part) Missing() error {
	has := make(map[int]bool, len(p.Results))
	for _, r := range p.Results {
		has[r.Shard] = true
	}
	var lacks []string
	for k := 1; k <= p.Shards; k++ {
		if has[k] {
			continue
		}
		last := k
		for last < p.Shards && !has[last+1] {
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
		p.Shards, strings.Join(lacks, ", "))
}

// Results are what the shards of a part have come to, by their numbers.
func Results[R any](p *Part) ([]R, error) {
	out := make([]R, len(p.Results))
	for i := range p.Results {
		d := json.NewDecoder(bytes.NewReader(p.Results[i].Data))
		d.DisallowUnknownFields()
		if err := d.Decode(&out[i]); err != nil {
			return nil, fmt.Errorf("%s: shard %d/%d does not hold what %s has come to: %w", p.Results[i].file, p.Results[i].Shard, p.Shards, p.Work.Command, err)
		}
	}
	return out, nil
}
