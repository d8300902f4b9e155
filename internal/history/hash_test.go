package history

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// Stored results contain hashes, so they must not change with a Go version, a platform or a
// refactoring. This value was made with libxxhash, from bytes that were put together outside of
// this program.
func TestHashIsStable(t *testing.T) {
	const want = "05529922e760febe8e1cb9fa5ea55ab9"
	must.Equal(t, testHistory().Hash().String(), want)
}

func TestHashIgnoresHowTextsWereInterned(t *testing.T) {
	want := testHistory().Hash()
	h := New(testHeader())
	h.Intern("never used")
	h.Intern("lock")
	for _, e := range testHistory().Events {
		e.Text = h.Intern(testHistory().Text(e.Text))
		h.Add(e)
	}
	must.Equalf(t, h.Hash(), want, "the order of interning changed the hash")
	h.Header.Schema, h.Header.Entry, h.Header.Keys, h.Header.Alone, h.Header.AloneAt = 77, Unfollowed, "a", "A", 1500
	must.Equalf(t, h.Hash(), want, "the schema, or how the lock was watched, changed the hash")
	h.Events[0].Text = 9999
	before := h.Hash()
	h.Events[0].Text = 0
	must.Equalf(t, h.Hash(), before, "an unknown text is not the empty text")
}

// Every change of a hashed field changes the hash.
func TestHashSeesEveryChange(t *testing.T) {
	changes := map[string]func(h *History){
		"nothing":      func(*History) {},
		"scenario":     func(h *History) { h.Header.Scenario += "x" },
		"lock":         func(h *History) { h.Header.Lock += "x" },
		"shift":        func(h *History) { h.Header.Scenario += "s"; h.Header.Lock = h.Header.Lock[1:] },
		"seed":         func(h *History) { h.Header.Seed-- },
		"backend":      func(h *History) { h.Header.Backend = "docker" },
		"scale":        func(h *History) { h.Header.ScalePPM++ },
		"lease":        func(h *History) { h.Header.Lease++ },
		"fence":        func(h *History) { h.Header.Fence = "writes" },
		"node name":    func(h *History) { h.Header.Nodes[0].Name = "X" },
		"node role":    func(h *History) { h.Header.Nodes[0].Role = RoleProbe },
		"fewer nodes":  func(h *History) { h.Header.Nodes = h.Header.Nodes[:4] },
		"fault number": func(h *History) { h.Header.Faults[1].Number = 3 },
		"fault verb":   func(h *History) { h.Header.Faults[1].Verb = "drop" },
		"fault text":   func(h *History) { h.Header.Faults[1].Text = "drop" },
		"fewer faults": func(h *History) { h.Header.Faults = h.Header.Faults[:1] },
		"fewer events": func(h *History) { h.Events = h.Events[:3] },
		"order":        func(h *History) { h.Events[1], h.Events[2] = h.Events[2], h.Events[1] },
		"at":           func(h *History) { h.Events[3].At++ },
		"clock":        func(h *History) { h.Events[0].Clock++ },
		"no clock":     func(h *History) { h.Events[0].Clock = 0 },
		"node":         func(h *History) { h.Events[0].Node = 2 },
		"peer":         func(h *History) { h.Events[0].Peer = 0 },
		"peer, owner":  func(h *History) { h.Events[0].Peer, h.Events[0].Owner = 0, 4 },
		"token":        func(h *History) { h.Events[0].Token = 1 },
		"value":        func(h *History) { h.Events[0].Value = 1 },
		"cause":        func(h *History) { h.Events[1].Cause = NoCause },
		"kind":         func(h *History) { h.Events[0].Kind = Replied },
		"text":         func(h *History) { h.Events[0].Text = h.Intern("OK") },
		"same text":    func(h *History) { h.Events[0].Text = h.Events[1].Text },
		"no text":      func(h *History) { h.Events[0].Text = 0 },
		"long text":    func(h *History) { h.Events[0].Text = h.Intern(strings.Repeat("x", 3*hashBuffer)) },
		"longer text":  func(h *History) { h.Events[0].Text = h.Intern(strings.Repeat("x", 3*hashBuffer+1)) },
	}
	seen := map[Hash]string{}
	for name, change := range changes {
		h := testHistory()
		change(h)
		sum := h.Hash()
		if other, twice := seen[sum]; twice {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[sum] = name
	}
}

// sampleRun is a history with the mix of events of a simulated run: per four
// commands on the wire one grant, one belief and one access to the resource.
func sampleRun(events int) *History {
	h := New(testHeader())
	kinds := []Kind{Waits, Sent, Executed, Granted, Replied, Acquired, Sent, Executed, Replied, ReadDone, WriteAccepted, Releasing}
	for i := range events {
		kind := kinds[i%len(kinds)]
		e := Event{At: Instant(i) * 1_234_567, Clock: int64(i)*1_234_569 + 10, Node: 1, Kind: kind, Cause: NoCause}
		switch kind {
		case Sent, Executed, Replied:
			e.Node, e.Peer, e.Cause = NodeID(1+i%3), 4, int32(i)-1
			e.Text = h.Intern(fmt.Sprintf("SET lock token-%d NX PX 10000", i%100))
		case Granted:
			e.Node, e.Peer, e.Owner, e.Value = 4, 1, 1, 10_000_000_000
			e.Text = h.Intern("lock")
		case ReadDone, WriteAccepted:
			e.Node, e.Peer, e.Value, e.Token = 5, 2, int64(i), 33
		}
		h.Add(e)
	}
	return h
}

func BenchmarkHash3000Events(b *testing.B) {
	h := sampleRun(3000)
	b.ReportAllocs()
	for b.Loop() {
		h.Hash()
	}
}

// Every field of Event is stored, hashed and compared.
func TestEveryFieldOfAnEventCounts(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Event]()) {
		h := testHistory()
		h.Intern("OK")
		switch v := reflect.ValueOf(&h.Events[2]).Elem().FieldByIndex(f.Index); {
		case v.CanInt():
			v.SetInt(v.Int() + 1)
		default:
			v.SetUint(v.Uint() + 1)
		}
		if h.Hash() == testHistory().Hash() {
			t.Errorf("%s: the hash does not see it", f.Name)
		}
		if d := FirstDifference(h, testHistory()); d == nil || d.Index != 2 || len(d.Fields) != 1 {
			t.Errorf("%s: the difference is %+v", f.Name, d)
		}
		var stored strings.Builder
		must.Do(t, WriteJSONL(&stored, h))
		back := must.Get(readOne(strings.NewReader(stored.String())))(t)
		must.Equalf(t, back.Hash(), h.Hash(), "%s: it is not stored", f.Name)
	}
}

func TestFirstDifference(t *testing.T) {
	make := func(change func(h *History)) *History {
		h := &History{Header: Header{Scenario: "story", Lock: "a", Seed: 1}}
		for i := range 3 {
			h.Events = append(h.Events, Event{At: Instant(i), Kind: Acquired, Cause: NoCause})
		}
		change(h)
		return h
	}
	whole := make(func(*History) {})
	for name, tt := range map[string]struct {
		change func(h *History)
		index  int
		fields []string
	}{
		"header": {func(h *History) { h.Header.Seed, h.Events[0].At = 2, 7 }, -1, []string{"seed"}},
		"event":  {func(h *History) { h.Events[1].At, h.Events[1].Token = 7, 7 }, 1, []string{"true time", "token"}},
		"end":    {func(h *History) { h.Events = h.Events[:2] }, 2, []string{"the number of events"}},
	} {
		got := FirstDifference(whole, make(tt.change))
		if got == nil || got.Index != tt.index || !slices.Equal(got.Fields, tt.fields) {
			t.Errorf("%s: %+v, want %d and %q", name, got, tt.index, tt.fields)
		}
	}
	if got := FirstDifference(whole, make(func(*History) {})); got != nil {
		t.Errorf("two equal histories: %+v", got)
	}
}
