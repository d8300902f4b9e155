package tour

import (
	"context"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	pictures "lockstep/internal/report/strip"
	"lockstep/internal/timeline"
)

// Each column of a picture shows the state of the history in the middle of the column.
func TestThePictureIsTheHistory(t *testing.T) {
	const width = 66
	for _, l := range allLessons(t) {
		for _, r := range []*Run{&l.Run, &l.Switch.Run} {
			p := must.Get(Play(context.Background(), r, 1))(t)
			h := p.Judgement.History
			s := newStrip(pictures.Of(&p.Judgement, bundle.BarsOf(timeline.Of(h)), pictures.Options{AllClients: true}), 0, h.End(), width)
			holds := history.Holds(h)
			inside := func(at history.Instant, id history.NodeID) (n int) {
				for _, hold := range holds {
					if hold.Start <= at && at < hold.End && (id == 0 || id == hold.Client) && h.Role(hold.Client) == history.RoleClient {
						n++
					}
				}
				return n
			}
			for c := range width {
				at := history.Instant(int64(h.End()) * int64(2*c+1) / (2 * width))
				for _, lane := range s.lanes {
					cell := lane.cells[c]
					if lane.Role != string(history.RoleClient) {
						continue
					}
					if (cell == nothing || cell == frozen) && inside(at, h.Node(lane.Name)) > 0 {
						t.Fatalf("%s, %s: at %v %s holds, and its lane has %c", l.Name, r.Lock, at, lane.Name, cell)
					}
				}
				if inside(at, 0) > 1 && s.overlap[c] != together {
					t.Fatalf("%s, %s: two are inside at %v", l.Name, r.Lock, at)
				}
			}
			broken := false
			for _, f := range p.Judgement.Findings {
				for _, v := range f.Violations {
					broken = broken || f.Property == "mutual-exclusion" && v.From < h.End()
				}
			}
			if len(s.lanes) == 0 || broken != s.used[together] {
				t.Errorf("%s, %s: %d lanes; two holders inside: %v, drawn: %v", l.Name, r.Lock, len(s.lanes), broken, s.used[together])
			}
		}
	}
}

// A lane fills exactly the columns that its bars touch.
func TestALaneHasItsBars(t *testing.T) {
	h := history.New(history.Header{Nodes: []history.Node{{Name: "A", Role: history.RoleClient}, {Name: "B", Role: history.RoleClient}, {Name: "redis-1", Role: history.RoleStore}}})
	add := func(at history.Instant, kind history.Kind, node, owner string) {
		e := history.Event{At: at, Kind: kind, Node: h.Node(node), Cause: history.NoCause, Text: h.Intern("lock")}
		if owner != "" {
			e.Owner = h.Node(owner)
			e.Peer = e.Owner
		}
		h.Add(e)
	}
	add(10, history.Granted, "redis-1", "A")
	add(10, history.Acquired, "A", "")
	add(20, history.Froze, "A", "")
	add(40, history.Expired, "redis-1", "A")
	add(50, history.Granted, "redis-1", "B")
	add(50, history.Acquired, "B", "")
	add(60, history.Thawed, "A", "")
	add(70, history.Releasing, "A", "")
	add(90, history.Removed, "redis-1", "B")
	add(90, history.Releasing, "B", "")
	add(99, history.Crashed, "B", "")
	j := checker.Judge(h)
	s := newStrip(pictures.Of(&j, bundle.BarsOf(timeline.Of(h)), pictures.Options{}), 0, 100, 10)
	want := []string{".=####=...", ".....====x", ".AAA.BBBB."}
	if len(s.lanes) != len(want) || string(s.overlap) != "     ^^   " {
		t.Fatalf("%d lanes, overlap %q", len(s.lanes), string(s.overlap))
	}
	for i, l := range s.lanes {
		if string(l.cells) != want[i] {
			t.Errorf("%s: %s, want %s", l.Name, string(l.cells), want[i])
		}
	}
}
