package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
)

// full is a complete description.
func full() Store {
	return Store{
		ID: "tin", Section: "tin", Place: 1000, Node: "can", Title: "Tin", About: "A cluster of Tin.", Topology: Quorum, Requests: []string{"PUT"},
		Settings: []Setting{{Name: "seal", Doc: "How long a can is sealed.", Example: "1s", Default: time.Second}},
		New:      func(Setup) Model { return nil },
	}
}

// Register rejects an incomplete description and names the missing part.
func TestIncompleteStores(t *testing.T) {
	complete := full()
	if err := complete.Check(); err != nil {
		t.Fatalf("a complete description: %v", err)
	}
	for name, tt := range map[string]struct {
		forget func(*Store)
		want   string
	}{
		"ID":                     {func(s *Store) { s.ID = "" }, "a store has no ID"},
		"Node":                   {func(s *Store) { s.Node = "" }, `the store "tin" says nothing of what its servers are called (Node)`},
		"Title":                  {func(s *Store) { s.Title = "" }, "says nothing of its name (Title)"},
		"About":                  {func(s *Store) { s.About = "" }, "says nothing of what its servers are (About)"},
		"Requests":               {func(s *Store) { s.Requests = nil }, "says nothing of what its locks send (Requests)"},
		"capitals":               {func(s *Store) { s.Requests = []string{"put"} }, `calls a request "put", and the names of requests are in capitals (Requests)`},
		"Topology":               {func(s *Store) { s.Topology = 0 }, "says nothing of how its servers stand to each other (Topology)"},
		"New":                    {func(s *Store) { s.New = nil }, "says nothing of its model (New)"},
		"IdleDoc":                {func(s *Store) { s.Topology, s.Settings = Replicated, nil }, "says nothing of what its time for idle sessions is called (IdleDoc)"},
		"a setting's name":       {func(s *Store) { s.Settings[0].Name = "" }, "says nothing of the name, the text, an example or the default of a setting (Settings)"},
		"a setting's text":       {func(s *Store) { s.Settings[0].Doc = "" }, "of a setting (Settings)"},
		"a setting's example":    {func(s *Store) { s.Settings[0].Example = "" }, "of a setting (Settings)"},
		"a setting's default":    {func(s *Store) { s.Settings[0].Default = 0 }, "of a setting (Settings)"},
		"too many settings":      {func(s *Store) { s.Settings = slices.Repeat(s.Settings, MaxSettings+1) }, "has 3 settings, and there is room for 2"},
		"settings of no quorum":  {func(s *Store) { s.Topology, s.IdleDoc = Replicated, "x" }, "has settings, and only servers of a quorum have some"},
		"a place of its own":     {func(s *Store) { s.Place = 999 }, `the stores "zinc" and "tin" have the same place in lists (Place); 1000 is free`},
		"a section of its own":   {func(s *Store) { s.Section = "zinc" }, `the stores "zinc" and "tin" are called the same in scenarios (Section)`},
		"that it is there twice": {func(s *Store) { s.ID = "zinc" }, `the store "zinc" is registered twice`},
	} {
		t.Run(name, func(t *testing.T) {
			defer func(was []*Store) { registry = was }(registry)
			registry = []*Store{{ID: "zinc", Section: "zinc", Place: 999, Topology: Quorum}}
			s := full()
			tt.forget(&s)
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, tt.want) {
					t.Errorf("said %q, want %q", said, tt.want)
				}
			}()
			Register(s)
		})
	}
}

func TestNamesOfServers(t *testing.T) {
	defer func(was []*Store) { registry = was }(registry)
	registry = nil
	Register(full())
	s := Of("tin")
	must.Equalf(t, strings.Join(s.Names(3), " "), "can-1 can-2 can-3", "three servers are")
	if all := s.Names(15); len(all) != 15 || all[14] != "can-15" {
		t.Errorf("fifteen servers are %v", all)
	}
	if Of("zinc") != nil {
		t.Error("an unknown store is known")
	}
}

// Value panics for an answer of the wrong type, which is a bug of a port, and returns the zero
// value only with an error.
func TestAnswersOfRequests(t *testing.T) {
	if v, err := Value[int](nil, ports.ErrTimeout); v != 0 || err != ports.ErrTimeout {
		t.Errorf("%v, %v", v, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a text is accepted as a number")
		}
	}()
	defer func() { _, _ = Value[int]("text", nil) }()
	if v, _ := Value[string]("text", nil); v != "text" {
		t.Errorf("%q", v)
	}
}
