package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/each"
)

// ExploredSchema is the schema of a stored walk. Since 2 it has each story of a lock once.
const ExploredSchema = 2

// storedSet and storedSingle are a set and a single fault in a file: their stories are indices into
// the lock's list.
type (
	storedSet struct {
		Kinds  []string `json:"kinds"`
		Within int      `json:"within,omitempty"`
		Story  int      `json:"story"`
	}
	storedSingle struct {
		Single
		Breaks map[string]int `json:"breaks"`
	}
)

// storedLock is a lock in a file.
type storedLock struct {
	*plainLock
	Stories []Shown                `json:"stories"`
	Breaks  map[string][]storedSet `json:"breaks"`
	Singles []storedSingle         `json:"singles"`
}

type plainLock ExploredLock // without methods

// add returns the index of a story in the list.
func (x *storedLock) add(s *Shown) int {
	for i := range x.Stories {
		if x.Stories[i].Same(s) {
			return i
		}
	}
	one := *s
	if one.Name = ""; one.Faults != nil {
		one.Text = "" // derived from the faults
	}
	x.Stories = append(x.Stories, one)
	return len(x.Stories) - 1
}

// MarshalJSON writes each story of the lock once.
func (l *ExploredLock) MarshalJSON() ([]byte, error) {
	x := storedLock{plainLock: (*plainLock)(l), Stories: []Shown{}, Breaks: map[string][]storedSet{}, Singles: []storedSingle{}}
	for _, w := range checker.Outcomes() {
		way := w.String()
		if l.Breaks[way] != nil {
			x.Breaks[way] = each.Map(l.Breaks[way], func(s CutSet) storedSet { return storedSet{s.Kinds, s.Within, x.add(&s.Shown)} })
		}
	}
	for _, s := range l.Singles {
		one := storedSingle{Single: s, Breaks: map[string]int{}}
		for _, way := range checker.Outcomes() {
			if shown := s.By(way); shown != nil {
				one.Breaks[way.String()] = x.add(shown)
			}
		}
		x.Singles = append(x.Singles, one)
	}
	return encode(&x)
}

// encode is json.Marshal without HTML escapes, and with a line break.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// UnmarshalJSON also names the stories.
func (l *ExploredLock) UnmarshalJSON(data []byte) error {
	x := storedLock{plainLock: (*plainLock)(l)}
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	var err error
	story := func(i int) Shown {
		if i < 0 || i >= len(x.Stories) {
			err = fmt.Errorf("%s has no story %d", l.Lock, i)
			return Shown{}
		}
		return x.Stories[i]
	}
	l.Breaks, l.Singles = map[string][]CutSet{}, []Single{}
	for name, sets := range x.Breaks { // order: each way has its own place
		l.Breaks[wayOf(name)] = nil
		if sets != nil {
			l.Breaks[wayOf(name)] = each.Map(sets, func(s storedSet) CutSet { return CutSet{s.Kinds, s.Within, story(s.Story)} })
		}
	}
	for _, s := range x.Singles {
		s.Single.Breaks = map[string]*Shown{}
		for name, i := range s.Breaks { // order: each way has its own place
			shown := story(i)
			s.Single.Breaks[wayOf(name)] = &shown
		}
		l.Singles = append(l.Singles, s.Single)
	}
	l.NameStories()
	return err
}

// wayOf is today's name of a way of breaking.
func wayOf(name string) string {
	if way, ok := checker.WayNamed(name); ok {
		return way.String()
	}
	return name
}

// ReadExplored reads a stored walk.
func ReadExplored(data []byte) (*Explored, error) {
	return read(data, "is no result of simulate explore", "no locks, or another schema than 2", func(x *Explored) bool {
		return x.Schema == ExploredSchema && len(x.Locks) > 0
	})
}

// JSON is the result with a line for each lock. version is that of the program; "" omits it.
func (x *Explored) JSON(version string) ([]byte, error) {
	var b bytes.Buffer
	var failed error
	one := func(v any) []byte {
		line, err := encode(v)
		failed = errors.Join(failed, err)
		return bytes.TrimSpace(line)
	}
	fmt.Fprintf(&b, "{\"schema\":%d", ExploredSchema)
	if version != "" {
		fmt.Fprintf(&b, ",\"version\":%s", one(version))
	}
	fmt.Fprintf(&b, ",\n\"scope\":%s,\n\"locks\":[", one(x.Scope))
	for i := range x.Locks {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n%s", one(&x.Locks[i]))
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), failed
}
