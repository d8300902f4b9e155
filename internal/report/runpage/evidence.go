package runpage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// evidence is what a reader needs to trust a verdict, or not to.
type evidence struct {
	Locks       []string // the columns of the tables
	Checks      evidenceRows
	Assumptions evidenceRows
	Faults      evidenceRows
	Events      []lockEvents
	Limits      []string // what this run does not show
	Streams     []string // of random numbers
	Facts       []pair   // versions and hashes, and the files beside the report
	SeedSplit   string   // what the streams are
}

// evidenceRow is a fact about every lock's run.
type evidenceRow struct {
	Name  string
	Cells []page.Cell
}

type evidenceRows []evidenceRow

// add puts a cell into the column of a lock, counted from 1, of the row of a name. What earlier locks have no
// cell of was not planned for them.
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
	Says   string // how many rows for how many events
	Table  []eventRow
	Prefix string // of the ids of its steps
	More   string // why the table is not complete
}

// filesOfRun are the files beside a report; the last one only where servers were real.
var filesOfRun = []pair{
	{"history.jsonl", "every event, one per line: the only thing that was judged"},
	{"result.json", "the verdicts for programs"},
	{"scenario.yaml", "the scenario with every default spelled out"},
	{"stores/", "what the servers logged, with a note where a long log was cut; none of it was judged"},
}

// evidenceOf gathers the evidence of all locks.
func evidenceOf(b *bundle.Bundle, stories []story, v *pageView, d richness) evidence {
	e := evidence{
		Limits: limitsOf(b, stories, v.language), Streams: streamsOf(b, v.language),
		SeedSplit: say.SeedIsSplit.With(say.Verbatim(strconv.FormatUint(b.Seed, 10))).In(v.language),
	}
	fact := func(name string, value say.Part) {
		e.Facts = append(e.Facts, pair{say.Text(name).In(v.language), value.In(v.language)})
	}
	fact("form of the history", say.Schema.With(history.CurrentSchema))
	fact("form of the result", say.Schema.With(bundle.ResultSchema))
	fact("judged by", say.JudgedBy.With(say.Number(len(v.Properties)), say.ListOf(v.Properties)))
	fact("program, Go and system", say.Text("in env.json of the run directory: a report has the same bytes wherever it is made"))
	if v.Hash != "" {
		fact("hash of the history", say.Verbatim(v.Hash))
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
			cell := page.Cell{Class: "kept", Sign: "✓", Text: stories[i].nice(p.Figure)}
			if !p.Held {
				cell.Class, cell.Sign = "broken", "✗"
			}
			e.Assumptions.add(column, stories[i].nice(say.Stop.With(p.Text)), cell, v.language)
		}
		for _, f := range faultLog(&r.Judgement, v.language) {
			cell := page.Cell{Text: sanitize.Sentence(f.Fired.In(v.language))}
			if f.Fired.Empty() {
				cell = page.Cell{Class: "unknown", Sign: "?", Text: say.Text("never fired").In(v.language)}
			}
			e.Faults.add(column, fmt.Sprintf("%d. %s", f.Number, f.Text), cell, v.language)
		}
		e.Events = append(e.Events, newLockEvents(r, &stories[i], &v.Runs[i], d))
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
	lo, hi := bundle.Window(h, st.steps, bundle.MaxEverything)
	more := 0
	e.Table, more = eventTable(h, st, lo, hi, d.table, v.told)
	e.Says = say.RowsForEvents.With(say.Verbatim(v.Lock), say.Number(len(e.Table)), all).In(st.language)
	switch {
	case int(hi-lo)+1 < len(h.Events):
		e.More = say.OnlyEvents.With(say.Number(lo+1), say.Number(hi+1), all).In(st.language)
	case more > 0:
		e.More = say.RowsLeftOut.With(say.Number(more)).In(st.language)
	}
	return e
}

// limitsOf says what a run cannot show, from what was not in it.
func limitsOf(b *bundle.Bundle, stories []story, l say.Language) []string {
	var out []string
	add := func(p say.Phrase) { out = append(out, sanitize.Text(p.In(l), sanitize.MaxLine)) }
	add(say.Text("One seed is one order of events. What was kept here may break with another seed: play many with --times 1000."))
	switch {
	case b.Backend == history.Bubble:
		add(say.Text("The servers are models; the lock is real code in virtual time. A pause stopped its connections and its calls, but its timers went on firing, and it shared one clock with everybody."))
	case history.Simulated(b.Backend):
		add(say.Text("The servers are models, compared with real ones by random commands. A model is still not the server: --backend process plays on real ones where they are installed."))
	default:
		add(say.Text("When a real server executed a command cannot be seen. Grants are derived from what the clients saw, and only where that leaves no doubt. A real run cannot be repeated bit for bit."))
	}
	untried := map[string]int{}
	runs := 0
	for i := range b.Histories() {
		runs++
		for _, p := range stories[i].assumptions {
			if p.Held {
				untried[p.Text.English()]++
			}
		}
	}
	if runs > 0 {
		var held say.Remarks
		for _, p := range stories[bundle.ReferenceOf(b)].assumptions {
			if untried[p.Text.English()] == runs {
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
	}
	return out
}

// streamsOf names the random streams that the seed was split into.
func streamsOf(b *bundle.Bundle, l say.Language) []string {
	if b.Backend != history.Sim {
		return nil
	}
	if h := b.AnyHistory(); h != nil {
		out := []string{say.Text("the network of the servers").In(l)}
		for _, n := range h.Header.Nodes {
			if n.Role == history.RoleClient || n.Role == history.RoleProbe {
				out = append(out, say.StreamsOfClient.With(say.Name(sanitize.Text(n.Name, sanitize.MaxName))).In(l))
			}
			if len(out) > maxClients {
				return append(out, say.Text("and so on for every client").In(l))
			}
		}
		return out
	}
	return nil
}

// faultView is a planned fault and when it fired, which is empty when it never did.
type faultView struct {
	Number int
	Text   string
	Fired  say.Phrase
}

// faultLog lists the planned faults and when they fired.
func faultLog(j *checker.Judgement, l say.Language) []faultView {
	h := j.History
	times := map[int64]say.List{}
	if h != nil {
		for _, i := range h.Milestones() {
			if e := &h.Events[i]; e.Kind == history.FaultBegan && len(times[e.Value]) < 4 {
				times[e.Value] = append(times[e.Value], say.Seconds(e.At))
			}
		}
	}
	var out []faultView
	for _, f := range j.Faults {
		v := faultView{Number: f.Number, Text: sanitize.Text(say.Both{English: cmp.Or(f.Told, f.Text), Chinese: f.TextChinese}.In(l), sanitize.MaxLine)}
		if f.Text == "" {
			v.Text = sanitize.Text(f.Verb, sanitize.MaxName)
		}
		when := times[int64(f.Number)]
		if n := len(when); n > 0 && f.Times > n {
			when = append(when, say.Verbatim("..."))
		}
		switch {
		case f.InVain:
			v.Fired = say.WithoutEffect.With(when)
		case f.Times > 0:
			v.Fired = say.FiredAt.With(say.Times(f.Times), when)
		}
		out = append(out, v)
	}
	return out
}
