package storetest

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	_ "lockstep/internal/locks" // they name the stores
	"lockstep/internal/store"
)

// foreign is a request of no store.
type foreign struct{}

func (foreign) AppendText(buf []byte) []byte { return append(buf, "FOREIGN"...) }
func (foreign) Op() history.Op               { return history.Op{Name: "FOREIGN"} }

// Every model satisfies what comparisons with servers do not check.
func TestEveryModelIsComplete(t *testing.T) {
	for _, s := range store.All() {
		if s.New != nil {
			complete(t, s)
		}
	}
}

func complete(t testing.TB, s *store.Store) {
	t.Helper()
	setup := store.Setup{Lock: store.Entry{Key: "lock"}}
	for i, set := range s.Settings {
		setup.Settings[i] = set.Default
		if set.Of != nil {
			setup.Settings[i] = set.Of(patience)
		}
	}
	m := s.New(setup)
	m.Output() // of the set-up
	now := store.Clock{Wall: patience, Mono: patience}
	for _, does := range []struct {
		name string
		it   func()
	}{
		{"Closed", func() { m.Closed(now, Conn) }},
		{"Tick", func() { m.Tick(now) }},
		{"Lead", func() { m.Lead(now) }},
		{"Evict", func() {
			if s.EvictFrom(m, now, "lock") {
				t.Errorf("%s is empty, and an operator has dropped something", s.Title)
			}
		}},
		{"Kept", func() {
			if kept := m.Kept(Conn.Client); len(kept) > 0 {
				t.Errorf("%s is empty, and keeps %+v", s.Title, kept)
			}
		}},
	} {
		if said := panics(does.it); said != "" {
			t.Errorf("%s is empty, and %s panics: %s", s.Title, does.name, said)
		}
		out := m.Output()
		if len(out.Changes)+len(out.Answers)+len(out.Pushes)+len(out.Drops)+len(out.Effects) > 0 {
			t.Errorf("%s is empty, and %s lets out %+v", s.Title, does.name, out)
		}
		if due, is := m.Due(); is {
			t.Errorf("something is due in %s at %v, and it is empty", s.Title, due)
		}
	}
	sentence := strings.Trim(strings.SplitAfter(fmt.Sprintf("%T", m), ".")[0], "*.") + ": a request of another store: FOREIGN"
	if said := panics(func() { m.Exec(now, 1, Conn, foreign{}) }); said != sentence {
		t.Errorf("%s refuses the request of another store with %q, want %q", s.Title, said, sentence)
	}
}

// panics returns the panic of a function, "" if it does not panic.
func panics(does func()) (said string) {
	defer func() {
		if got := recover(); got != nil {
			said = fmt.Sprint(got)
		}
	}()
	does()
	return ""
}

// The failure names what is missing.
func TestIncompleteModels(t *testing.T) {
	for _, tt := range []struct {
		model store.Model
		want  string
	}{
		{&echo{}, ""},
		{&echo{due: 1}, "something is due in Echo at 1ns, and it is empty"},
		{keepsAll{&echo{}}, "Echo is empty, and keeps [{Key:lock"},
		{evicts{&echo{}}, "Echo is empty, and an operator has dropped something"},
		{breaks{&echo{}}, "Echo is empty, and Lead panics: leads what?"},
		{tells{&echo{}}, "Echo is empty, and Closed lets out"},
		{takesAll{&echo{}}, `Echo refuses the request of another store with "", want "storetest: a request of another store: FOREIGN"`},
	} {
		failsWith(t, fmt.Sprintf("%T", tt.model), tt.want, func(t testing.TB) {
			complete(t, &store.Store{ID: "echo", Title: "Echo", New: func(store.Setup) store.Model { return tt.model }})
		})
	}
}

type (
	keepsAll struct{ *echo }
	evicts   struct{ *echo }
	breaks   struct{ *echo }
	tells    struct{ *echo }
	takesAll struct{ *echo }
)

func (keepsAll) Kept(history.NodeID) []store.Entry { return []store.Entry{{Key: "lock"}} }
func (evicts) Evict(store.Clock, string) bool      { return true }
func (breaks) Lead(store.Clock)                    { panic("leads what?") }
func (m tells) Closed(_ store.Clock, c store.Conn) { m.Out.Drops = append(m.Out.Drops, c) }
func (takesAll) Exec(store.Clock, uint64, store.Conn, store.Op) (store.Answer, bool) {
	return store.Answer{}, true
}
