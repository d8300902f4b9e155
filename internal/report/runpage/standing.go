package runpage

import (
	"fmt"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// standing is who believes what after a step: the table that the reader steps
// through. The script of the page gets it as JSON, therefore the short names.
type standing struct {
	Clients []string   `json:"clients"`
	Steps   [][]string `json:"steps"` // per step: one text per client, then the store, then the highest token
}

// maxStanding is how many clients the table has.
const maxStanding = 10

// standingOf follows the beliefs of the clients through the steps.
func standingOf(h *history.History, steps []explain.Step, l say.Language) standing {
	var ids []history.NodeID
	var out standing
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleClient && len(ids) < maxStanding {
			ids = append(ids, history.NodeID(i+1))
			out.Clients = append(out.Clients, clean.Text(n.Name, clean.MaxHeadName))
		}
	}
	f := follower{parties: make([]following, len(h.Header.Nodes)+1)}
	milestones := h.Milestones()
	next := 0
	for _, s := range steps {
		for ; next < len(milestones) && milestones[next] <= s.Event; next++ {
			f.take(&h.Events[milestones[next]])
		}
		row := make([]string, 0, len(ids)+2)
		for _, id := range ids {
			row = append(row, f.parties[id].words(l))
		}
		token := say.Text("none").In(l)
		if f.token != 0 {
			token = fmt.Sprint(f.token)
		}
		out.Steps = append(out.Steps, append(row, clean.Text(s.Store.In(l), clean.MaxLine), token))
	}
	return out
}

// follower is the state of a walk through the milestones.
type follower struct {
	parties []following // by NodeID
	token   int64       // highest seen at the resource
}

type following struct{ believes, waits, frozen, dead bool }

func (p following) words(l say.Language) string {
	text := "not mine"
	switch {
	case p.dead:
		return say.Text("dead").In(l)
	case p.believes:
		text = "mine"
	case p.waits:
		text = "waits"
	}
	return say.Standing.With(say.Text(text), say.Flag(p.frozen)).In(l)
}

func (f *follower) take(e *history.Event) {
	if int(e.Node) >= len(f.parties) {
		return
	}
	p := &f.parties[e.Node]
	switch e.Kind {
	case history.Waits:
		p.waits, p.dead = true, false
	case history.Acquired:
		p.believes, p.waits = true, false
	case history.GaveUp, history.Finished:
		p.waits = false
	case history.Releasing, history.LostLease:
		p.believes = false
	case history.Froze, history.Thawed:
		p.frozen = e.Kind == history.Froze
	case history.Crashed:
		*p = following{dead: true}
	case history.Restarted:
		*p = following{}
	case history.ReadDone, history.WriteAccepted:
		f.token = max(f.token, e.Token)
	}
}
