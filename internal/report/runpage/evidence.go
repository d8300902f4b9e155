package runpage

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// evidence is the information that a reader needs to trust or doubt a verdict.
type evidence struct {
	Locks       []string // the columns of the tables
	Checks      evidenceRows
	Assumptions evidenceRows
	Faults      evidenceRows
	Events      []lockEvents
	Limits      []string // what this run does not show
	Facts       []pair   // versions, hashes, and the files beside the report
}

// evidenceRow is a fact about the run of each lock.
type evidenceRow struct {
	Name  string
	Cells []page.Cell
}

type evidenceRows []evidenceRow

// add adds a cell in a column, counted from 1, to the row of a name. Missing cells in earlier
// columns mean that it was not planned for those locks.
func (t *evidenceRows) add(column int, name string, cell page.Cell, l say.Language) {
	i := slices.IndexFunc(*t, func(r evidenceRow) bool { return r.Name == name })
	if i < 0 {
		i = len(*t)
		*t = append(*t, evidenceRow{Name: name})
	}
	row := &(*t)[i]
	for len(row.Cells) < column-1 {
		row.Cells = append(row.Cells, page.Cell{Text: say.Text("not planned").In(l)})
	}
	row.Cells = append(row.Cells, cell)
}

// lockEvents is the table of one lock's events.
type lockEvents struct {
	Lock   string
	Says   string // the numbers of rows and events
	Table  []eventRow
	Prefix string // of the ids of its steps
	More   string // why the table is incomplete
}

// filesOfRun are the files beside a report; only runs on real servers have the last one.
var filesOfRun = []pair{
	{"history.jsonl", "every event, one per line: the only input to the verdicts"},
	{"result.json", "the verdicts for programs"},
	{"scenario.yaml", "the scenario with every default spelled out"},
	{"stores/", "what the servers logged, with a note where a long log was cut; none of it was judged"},
}

func (v *pageView) evidence() evidence {
	b, stories := v.Bundle, v.stories
	e := evidence{Limits: limitsOf(b, stories, v.language)}
	fact := func(name string, value say.Part) {
		e.Facts = append(e.Facts, pair{say.Text(name).In(v.language), value.In(v.language)})
	}
	fact("form of the history", say.Schema.With(history.CurrentSchema))
	fact("form of the result", say.Schema.With(bundle.ResultSchema))
	fact("judged by", say.JudgedBy.With(say.Number(len(v.Properties)), say.ListOf(v.Properties)))
	fact("program, Go and system", say.Text("in env.json of the run directory: a report has the same bytes wherever it is made"))
	if b.Hash != "" {
		fact("hash of the history", say.Verbatim(sanitize.Text(b.Hash, sanitize.MaxLine)))
	}
	for _, f := range filesOfRun {
		if f.Name != "stores/" || b.Logs {
			e.Facts = append(e.Facts, pair{f.Name, say.Text(f.Value).In(v.language)})
		}
	}
	for i := range b.Histories() {
		r := &b.Runs[i]
		e.Locks = append(e.Locks, v.Runs[i].Lock)
		column := len(e.Locks)
		for _, c := range bundle.ChecksOf(&r.Judgement) {
			cell := page.Cell{Class: "kept", Sign: "✓", Text: say.Text("yes").In(v.language)}
			if !c.OK {
				cell = page.Cell{Class: "unknown", Sign: "?", Text: say.No.With(c.Note).In(v.language)}
			}
			e.Checks.add(column, say.Text(c.Text).In(v.language), cell, v.language)
		}
		for _, p := range stories[i].assumptions {
			cell := page.Cell{Class: "kept", Sign: "✓", Text: stories[i].sentence(p.Figure)}
			if !p.Held {
				cell.Class, cell.Sign = "broken", "✗"
			}
			e.Assumptions.add(column, stories[i].sentence(say.Stop.With(p.Text)), cell, v.language)
		}
		times := firingTimes(r.Judgement.History)
		for k := range r.Judgement.Faults {
			f := &r.Judgement.Faults[k]
			text := sanitize.Text(faults.Sentence(f.Values, f.Text).In(v.language), sanitize.MaxLine)
			if f.Text == "" {
				text = sanitize.Text(f.Verb, sanitize.MaxName)
			}
			e.Faults.add(column, fmt.Sprintf("%d. %s", f.Number, text), firedCell(f, times[int64(f.Number)], v.language), v.language)
		}
		e.Events = append(e.Events, newLockEvents(r, &stories[i], &v.Runs[i], v.detail))
	}
	return e
}

func newLockEvents(r *bundle.Run, st *story, v *runView, d richness) lockEvents {
	h := r.Judgement.History
	e, all := lockEvents{Lock: v.Lock, Prefix: v.Prefix}, say.Number(len(h.Events))
	if d.table == 0 || len(h.Events) == 0 {
		e.More = say.TableLeftOut.With(say.Verbatim(v.Lock), all).In(st.language)
		return e
	}
	lo, hi := tabled(h, st)
	more := 0
	e.Table, more = eventTable(r.Timeline(), st, lo, hi, d.table, v.stepNumber)
	e.Says = say.RowsForEvents.With(say.Verbatim(v.Lock), say.Number(len(e.Table)), all).In(st.language)
	switch {
	case int(hi-lo)+1 < len(h.Events):
		e.More = say.OnlyEvents.With(say.Number(lo+1), say.Number(hi+1), all).In(st.language)
	case more > 0:
		e.More = say.RowsLeftOut.With(say.Number(more)).In(st.language)
	}
	return e
}

// limitsOf lists what a run cannot show.
func limitsOf(b *bundle.Bundle, stories []story, l say.Language) []string {
	var out []string
	add := func(p say.Phrase) { out = append(out, sanitize.Text(p.In(l), sanitize.MaxLine)) }
	add(say.Text("One seed is one order of events. What was kept here may break with another seed: play many with --times 1000."))
	switch {
	case b.Backend == history.Bubble:
		add(say.Text("The servers are models; the lock is real code in virtual time. A pause stopped its connections and its calls, but its timers kept firing, and all processes shared one clock."))
	case history.Simulated(b.Backend):
		add(say.Text("The servers are models, compared with real ones by random commands. A model is still not the server: --backend process plays on real ones where they are installed."))
	default:
		add(say.Text("The moment at which a real server executes a command is not visible. Grants are derived from what the clients saw, and only where that leaves no doubt. A real run cannot be repeated bit for bit."))
	}
	if first, h := b.First(); h != nil {
		var held say.Remarks
		for _, p := range stories[first].assumptions {
			everywhere := true
			for i := range b.Histories() {
				everywhere = everywhere && slices.ContainsFunc(stories[i].assumptions, func(o bundle.Assumption) bool {
					return o.Held && o.Text.English() == p.Text.English()
				})
			}
			if everywhere {
				held = append(held, p.Text)
			}
		}
		if len(held) > 0 {
			out = append(out, sanitize.Sentence(say.NotTestedAgainst.With(held).In(l)))
		}
	}
	for i := range b.Runs {
		for _, f := range b.Runs[i].Judgement.Findings {
			if f.Verdict == checker.Unknown {
				add(say.UnknownIsNotKept.With(say.Verbatim(b.Runs[i].Lock), say.Property(f.Property), f.Reason))
			}
		}
	}
	if p := b.Plan; p != nil && (p.Workload.Fence == "" || p.Workload.Fence == "none") {
		add(say.Text("The resource took every write: it compared no tokens."))
		return out
	}
	for i, h := range b.Histories() {
		if b.Plan != nil && b.Runs[i].Judgement.Acquired > 0 && !checker.HandsOutTokens(h) {
			add(say.NoTokensToCompare.With(say.Verbatim(b.Runs[i].Lock)))
		}
	}
	return out
}

// maxFirings limits the times of a fault in the fault log.
const maxFirings = 4

// firingTimes lists, by number, when the faults fired.
func firingTimes(h *history.History) map[int64]say.List {
	times := map[int64]say.List{}
	for _, i := range h.Milestones() {
		if e := &h.Events[i]; e.Kind == history.FaultBegan && len(times[e.Value]) < maxFirings {
			times[e.Value] = append(times[e.Value], say.Seconds(e.At))
		}
	}
	return times
}

func firedCell(f *checker.FiredFault, times say.List, l say.Language) page.Cell {
	if n := len(times); n > 0 && f.Times > n {
		times = append(times, say.Verbatim("..."))
	}
	fired := say.FiredAt.With(say.Times(f.Times), times)
	switch {
	case f.NoEffect:
		fired = say.WithoutEffect.With(times)
	case f.Times == 0:
		return page.Cell{Class: "unknown", Sign: "?", Text: say.Text("never fired").In(l)}
	}
	return page.Cell{Text: sanitize.Sentence(fired.In(l))}
}
