package runpage

import (
	"fmt"

	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// beliefTable is the belief of each client after each step, as JSON for the script of the page.
type beliefTable struct {
	Clients []string   `json:"clients"`
	Steps   [][]string `json:"steps"` // per step: one text per client, then the store, then the highest token
}

// maxClients limits the clients of the table.
const maxClients = 10

func beliefTableOf(t *timeline.Timeline, steps []explain.Step, l say.Language) beliefTable {
	ids := t.NodesOf(history.RoleClient)
	ids = ids[:min(len(ids), maxClients)]
	out := beliefTable{Clients: each.Map(ids, func(id history.NodeID) string {
		return sanitize.Text(t.Name(id), sanitize.MaxHeadName)
	})}
	now, token, milestones, next := t.Begin(), int64(0), t.Milestones(), 0
	for _, s := range steps {
		for ; next < len(milestones) && milestones[next] <= s.Event; next++ {
			e := t.At(milestones[next])
			now.Before(e)
			now.Apply(milestones[next], e)
			if e.Kind == history.ReadDone || e.Kind == history.WriteAccepted {
				token = max(token, e.Token)
			}
		}
		row := each.Map(ids, func(id history.NodeID) string { return wordsFor(now, id, l) })
		highest := say.Text("none").In(l)
		if token != 0 {
			highest = fmt.Sprint(token)
		}
		out.Steps = append(out.Steps, append(row, sanitize.Text(s.Store.In(l), sanitize.MaxLine), highest))
	}
	return out
}

func wordsFor(now *timeline.State, id history.NodeID, l say.Language) string {
	text, c := "not mine", now.Client(id)
	switch {
	case now.IsDown(id):
		return say.Text("dead").In(l)
	case c.Believes:
		text = "mine"
	case c.Waits:
		text = "waits"
	}
	return say.Standing.With(say.Text(text), say.Flag(now.StandsStill(id))).In(l)
}
