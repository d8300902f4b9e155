package report

import (
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// evidence is what a reader needs to trust a verdict, or not to.
type evidence struct {
	Locks    []string // the columns of the tables
	Checks   []evidenceRow
	Premises []evidenceRow
	Faults   []evidenceRow
	Events   []lockEvents
	Limits   []string // what this run does not show
	Streams  []string // of luck
	Files    []pair   // beside the report
	Facts    []pair   // versions and hashes
}

// evidenceRow is a fact about every lock's run.
type evidenceRow struct {
	Name  string
	Cells []cellView
}

// lockEvents is the table of one lock's events.
type lockEvents struct {
	Lock   string
	Events int
	Table  []eventRow
	Prefix string // of the ids of its steps
	More   string // why the table is not complete
}

// evidenceOf gathers the evidence of all locks.
func evidenceOf(b *Bundle, stories []story, v *pageView, d richness) evidence {
	e := evidence{
		Limits: limitsOf(b, stories), Streams: streamsOf(b),
		Facts: []pair{
			{"form of the history", fmt.Sprintf("schema %d", history.CurrentSchema)},
			{"form of the result", fmt.Sprintf("schema %d", resultSchema)},
			{"judged by", countOf(len(v.Properties), "property", "properties") + ": " + strings.Join(v.Properties, ", ")},
			{"program, Go and system", "in env.json of the run directory: a report has the same bytes wherever it is made"},
		},
		Files: []pair{
			{"history.jsonl", "every event, one per line: the only thing that was judged"},
			{"result.json", "the verdicts for programs"},
			{"scenario.yaml", "the scenario with every default spelled out"},
			{"plots/", "the figures as files"},
		},
	}
	if b.Logs {
		e.Files = append(e.Files, pair{"stores/", "what the servers logged, with a note where a long log was cut; nothing of it was judged"})
	}
	if v.Hash != "" {
		e.Facts = append(e.Facts, pair{"hash of the history", v.Hash})
	}
	for i := range b.Runs {
		r := &b.Runs[i]
		if r.Judgement.History == nil {
			continue
		}
		e.Locks = append(e.Locks, v.Runs[i].Lock)
		e.Checks = addChecks(e.Checks, checksOf(&r.Judgement))
		e.Premises = addPremises(e.Premises, &stories[i])
		e.Faults = addFaults(e.Faults, &r.Judgement, len(e.Locks), stories[i].language)
		e.Events = append(e.Events, newLockEvents(r, &stories[i], &v.Runs[i], d))
	}
	return e
}

// row returns the row of a name, a new one when there is none.
func rowOf(rows []evidenceRow, name string) ([]evidenceRow, *evidenceRow) {
	for i := range rows {
		if rows[i].Name == name {
			return rows, &rows[i]
		}
	}
	rows = append(rows, evidenceRow{Name: name})
	return rows, &rows[len(rows)-1]
}

func addChecks(rows []evidenceRow, checks []check) []evidenceRow {
	for _, c := range checks {
		cell := cellView{"kept", "✓", "yes"}
		if !c.OK {
			cell = cellView{"unknown", "?", "no: " + c.Note}
		}
		var row *evidenceRow
		rows, row = rowOf(rows, c.Text)
		row.Cells = append(row.Cells, cell)
	}
	return rows
}

func addPremises(rows []evidenceRow, st *story) []evidenceRow {
	for _, p := range st.premises {
		cell := cellView{"kept", "✓", st.nice(p.Figure)}
		if !p.Held {
			cell = cellView{"broken", "✗", st.nice(p.Figure)}
		}
		var row *evidenceRow
		rows, row = rowOf(rows, st.nice(say.Stop.With(p.Text)))
		row.Cells = append(row.Cells, cell)
	}
	return rows
}

// addFaults adds the fault log of one lock as column number column, counted from 1.
func addFaults(rows []evidenceRow, j *checker.Judgement, column int, l say.Language) []evidenceRow {
	for _, f := range faultLog(j, l) {
		cell := cellView{Text: f.Fired + " at " + f.At}
		if f.Fired == "" {
			cell = cellView{"unknown", "?", "never fired"}
		}
		cell.Text = nice(cell.Text)
		var row *evidenceRow
		rows, row = rowOf(rows, fmt.Sprintf("%d. %s", f.Number, f.Text))
		for len(row.Cells) < column-1 {
			row.Cells = append(row.Cells, cellView{Text: "not planned"})
		}
		row.Cells = append(row.Cells, cell)
	}
	return rows
}

func newLockEvents(r *Run, st *story, v *runView, d richness) lockEvents {
	h := r.Judgement.History
	e := lockEvents{Lock: v.Lock, Prefix: v.Prefix, Events: len(h.Events)}
	if d.table == 0 || len(h.Events) == 0 {
		e.More = fmt.Sprintf("%s: the table of its %d events is left out to keep this page small; all of them are in history.jsonl.", v.Lock, len(h.Events))
		return e
	}
	lo, hi := window(h, st.steps, maxEverything)
	more := 0
	e.Table, more = eventTable(h, st.steps, lo, hi, d.table, v.told)
	switch {
	case int(hi-lo)+1 < len(h.Events):
		e.More = fmt.Sprintf("Showing only events %d to %d of %d, around what broke first; all of them are in history.jsonl.", lo+1, hi+1, len(h.Events))
	case more > 0:
		e.More = fmt.Sprintf("%d later rows are left out to keep this page small; all events are in history.jsonl.", more)
	}
	return e
}

// limitsOf says what a run cannot show, from what was not in it.
func limitsOf(b *Bundle, stories []story) []string {
	var out []string
	add := func(s string) { out = append(out, s) }
	add("One seed is one order of events. What was kept here may break with another seed: play many with --times 1000.")
	if history.Simulated(b.Backend) {
		add("The servers are models. They are compared with real ones by random commands, but a model is not the server; --backend process plays on real ones where they are installed.")
	} else {
		add("Nobody can see when a real server executed a command. Grants are derived from what the clients saw, and only where that leaves no doubt. A real run cannot be repeated bit by bit.")
	}
	untried := map[string]int{}
	runs := 0
	for i := range stories {
		if stories[i].measures == nil {
			continue
		}
		runs++
		for _, p := range stories[i].premises {
			if p.Held {
				untried[p.Text.English()]++
			}
		}
	}
	for i := range stories {
		if stories[i].measures == nil {
			continue
		}
		var held say.Remarks
		for _, p := range stories[i].premises {
			if untried[p.Text.English()] == runs {
				held = append(held, p.Text)
			}
		}
		if len(held) > 0 {
			add(stories[i].nice(say.NotTestedAgainst.With(held)))
		}
		break
	}
	for i := range b.Runs {
		for _, f := range b.Runs[i].Judgement.Findings {
			if f.Verdict == checker.Unknown {
				add(clean(say.UnknownIsNotKept.With(say.Verbatim(b.Runs[i].Lock), say.Verbatim(f.Property), f.Reason).In(stories[i].language), maxLine))
			}
		}
	}
	if p := b.Plan; p != nil && (p.Workload.Fence == "" || p.Workload.Fence == "none") {
		add("The resource took every write: it compared no tokens.")
	}
	return out
}

// streamsOf names the streams of luck that the seed was split into.
func streamsOf(b *Bundle) []string {
	if !history.Simulated(b.Backend) {
		return nil
	}
	for i := range b.Runs {
		h := b.Runs[i].Judgement.History
		if h == nil {
			continue
		}
		out := []string{"the network of the servers"}
		for _, n := range h.Header.Nodes {
			if n.Role == history.RoleClient || n.Role == history.RoleProbe {
				name := clean(n.Name, maxName)
				out = append(out, "luck of "+name+" (its tokens), habits of "+name+" (its work), network of "+name)
			}
			if len(out) > maxStanding {
				return append(out, "and so on for every client")
			}
		}
		return out
	}
	return nil
}

// faultLog lists the planned faults and when they fired.
func faultLog(j *checker.Judgement, l say.Language) []faultView {
	h := j.History
	times := map[int64][]string{}
	if h != nil {
		for _, i := range h.Milestones() {
			if e := &h.Events[i]; e.Kind == history.FaultBegan && len(times[e.Value]) < 4 {
				times[e.Value] = append(times[e.Value], e.At.String())
			}
		}
	}
	var out []faultView
	for _, f := range j.Faults {
		v := faultView{Number: f.Number, Text: clean(say.Both{English: f.Text, Chinese: f.TextChinese}.In(l), maxLine), At: strings.Join(times[int64(f.Number)], ", ")}
		if f.Text == "" {
			v.Text = clean(f.Verb, maxName)
		}
		switch {
		case f.Times == 1:
			v.Fired = "once"
		case f.Times > 1:
			v.Fired = fmt.Sprintf("%d times", f.Times)
		}
		if f.Times > len(times[int64(f.Number)]) && v.At != "" {
			v.At += ", ..."
		}
		if f.InVain {
			v.Fired = "without effect"
		}
		out = append(out, v)
	}
	return out
}
