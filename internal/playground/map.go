package playground

import (
	"context"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Row asks for a row of the map, or for a part of it: the outcomes of a lock with one lease and
// some lengths of the story's one pause. The page asks for one part after another while it is idle,
// with few lengths in each, so that a drag that begins meanwhile does not wait for long.
type Row struct {
	Lock   int     `json:"lock"`   // index
	Lease  int64   `json:"lease"`  // ms
	Pauses []int64 `json:"pauses"` // ms
}

// The values of a map, besides the verdicts kept and unknown. Two: two clients believed that they
// held the lock, and the data are whole. Harm: any other break.
const (
	mapTwo  = "two"
	mapHarm = "harm"
)

// maxRowRuns is the largest number of runs in a row.
const maxRowRuns = 40

func (g *Playground) row(ctx context.Context, p *plan.Plan, row *Row) (f Frame) {
	if row.Lock < 0 || row.Lock >= len(p.Locks) || len(row.Pauses) > maxRowRuns || !onePause(p) {
		return Frame{Problems: []string{"there is no such row"}}
	}
	p.Locks = p.Locks[row.Lock : row.Lock+1]
	p.Lease = time.Duration(row.Lease) * time.Millisecond
	pause := p.First("pause")
	for _, ms := range row.Pauses {
		*pause = faults.Make(pause.Number, pause.Spec(), pause.Args, pause.Trigger, faults.End{For: max(time.Duration(ms)*time.Millisecond, grain)})
		q, err := parse(scenario.Resolved(p))
		if err != nil {
			return Frame{Problems: problemsOf(err)}
		}
		out := run.One(ctx, g.world(MaxLocks), asking(q), q.Locks[0], q.Seed)
		if out.Err != nil {
			return Frame{Problems: problemsOf(out.Err)}
		}
		r := playedOf(out, q, say.English)
		f.Map = append(f.Map, r.harm())
	}
	return f
}

// onePause reports whether a plan has a map: its only fault is a pause of fixed length.
func onePause(p *plan.Plan) bool {
	f := p.First("pause")
	return len(p.Faults) == 1 && p.Chaos == nil && f != nil && f.End.For > 0
}

// harm is the value of a run in a map.
func (r *played) harm() string {
	if v := r.verdict(); v != checker.Broken {
		return string(v)
	}
	for _, f := range r.Judgement.Findings {
		if f.Verdict == checker.Broken && f.Property != checker.MutualExclusionID {
			return mapHarm
		}
	}
	return mapTwo
}
