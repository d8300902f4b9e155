package strip

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Limits of rows.
const (
	fewClients  = 10 // up to this number, each client has a row
	mostClients = 2  // rows for more clients than that: the first holders
	mostServers = 6
)

// Options control the picture of a run.
type Options struct {
	Language say.Language
	// AllClients gives every client a row, for a page on which a reader can put faults on them.
	// Otherwise only clients that held the lock or were hit by a fault have one.
	AllClients bool
	Wrong      explain.False // the assumption behind the first violation, for the cause
	Cursor     bool          // the page has a time cursor, which needs the promised ends at each instant
}

// Of makes the picture of a judged run.
func Of(j *checker.Judgement, bars *bundle.Bars, o Options) *Strip {
	h := j.History
	r := &reader{
		j: j, h: h, bars: bars, wrong: o.Wrong, cursor: o.Cursor, language: o.Language, leases: bars.Timeline.Leases(), colour: bundle.ColoursOf(h).Of,
		strip: &Strip{Impact: j.Impact()}, row: make([]int, len(h.Header.Nodes)+1),
	}
	r.rows(o.AllClients)
	r.beliefs()
	r.entries()
	r.states()
	r.resource()
	r.bands()
	r.lines()
	r.strip.Cause = r.cause()
	return r.strip
}

// reader fills the picture of a run.
type reader struct {
	j        *checker.Judgement
	h        *history.History
	bars     *bundle.Bars
	leases   []*timeline.Entry
	colour   func(history.NodeID) int
	strip    *Strip
	row      []int // by NodeID: index into the rows plus one
	others   int   // the row of all clients without a row of their own, plus one
	wrong    explain.False
	cursor   bool
	language say.Language
}

// rows gives a row to each client and server in the picture.
func (r *reader) rows(all bool) {
	part := make([]bool, len(r.row))
	for _, list := range [][]bundle.Bar{r.bars.Beliefs, r.bars.Grants, r.bars.Freezes, r.bars.FaultSpans} {
		for _, b := range list {
			if int(b.Node) < len(part) {
				part[b.Node] = true
			}
		}
	}
	many, first := len(r.h.NodesOf(history.RoleClient)) > fewClients, r.first()
	servers := 0
	for i, n := range r.h.Header.Nodes {
		id := history.NodeID(i + 1)
		switch n.Role {
		case history.RoleClient:
			if !part[id] && !all {
				continue
			}
			if many && !slices.Contains(first, id) {
				if r.others == 0 {
					r.others = r.add(Row{Name: say.Text("others").In(r.language)})
				}
				r.row[id] = r.others
				continue
			}
		case history.RoleStore:
			if servers++; !part[id] || servers > mostServers {
				continue
			}
		default:
			continue
		}
		row := Row{Name: r.name(id), Role: string(n.Role)}
		if all {
			row.Node = n.Name
		}
		r.row[id] = r.add(row)
	}
}

func (r *reader) add(row Row) int {
	r.strip.Rows = append(r.strip.Rows, row)
	return len(r.strip.Rows)
}

func (r *reader) first() (ids []history.NodeID) {
	for _, b := range r.bars.Beliefs {
		if len(ids) < mostClients && !slices.Contains(ids, b.Node) {
			ids = append(ids, b.Node)
		}
	}
	return ids
}

func (r *reader) name(id history.NodeID) string {
	return sanitize.Text(say.Name(r.h.Name(id)).In(r.language), sanitize.MaxHeadName)
}

func (r *reader) letter(id history.NodeID) string {
	return sanitize.Text(say.Name(r.h.Name(id)).In(r.language), 2)
}

func (r *reader) bar(node history.NodeID, b Bar) {
	if row := r.rowOf(node); row != nil {
		row.Bars = append(row.Bars, b)
	}
}

// rowOf returns the row of a node, or nil.
func (r *reader) rowOf(node history.NodeID) *Row {
	if int(node) >= len(r.row) || r.row[node] == 0 {
		return nil
	}
	return &r.strip.Rows[r.row[node]-1]
}

func (r *reader) lasts(b bundle.Bar) (from, to int64) {
	to = int64(r.h.End())
	if b.To >= 0 {
		to = int64(r.h.Events[b.To].At)
	}
	return int64(r.h.Events[b.From].At), to
}

// beliefs adds the beliefs, with a label on the first one of each client.
func (r *reader) beliefs() {
	labelled := make([]bool, len(r.row))
	for _, b := range r.bars.Beliefs {
		from, to := r.lasts(b)
		bar := Bar{From: from, To: to, Look: Believes, Client: r.colour(b.Owner)}
		if int(b.Node) < len(labelled) && !labelled[b.Node] && (r.others == 0 || r.row[b.Node] != r.others) {
			labelled[b.Node] = true
			bar.Label = say.ThinksItHolds.With(say.Name(r.name(b.Owner))).In(r.language)
		}
		r.bar(b.Node, bar)
	}
}

// states adds the effects of faults on nodes: frozen, cut off, down, or another one.
func (r *reader) states() {
	said := map[Look]bool{}
	state := func(node history.NodeID, from, to int64, look Look, label string) {
		if said[look] {
			label = ""
		}
		said[look] = true
		r.bar(node, Bar{From: from, To: to, Look: look, Label: label})
	}
	for _, b := range r.bars.Freezes {
		from, to := r.lasts(b)
		state(b.Node, from, to, Frozen, say.Text("frozen").In(r.language))
	}
	for _, b := range r.bars.FaultSpans {
		from, to := r.lasts(b)
		if b.Cut {
			state(b.Node, from, to, CutOff, say.Text("cut off").In(r.language))
		} else {
			state(b.Node, from, to, Struck, "")
		}
	}
	for _, d := range r.bars.Timeline.Deaths {
		state(d.Node, int64(d.From), int64(d.To), Down, say.Text("down").In(r.language))
	}
}

// resource adds a row with every write. A write is stale if it proves a violation.
func (r *reader) resource() {
	stale := map[*history.Event]bool{}
	for _, id := range []string{checker.NoStaleWriteID, checker.NoLostUpdateID} {
		for _, v := range r.j.Finding(id).Violations {
			stale[r.proof(&v)] = true
		}
	}
	row := Row{Name: say.Text("resource").In(r.language)}
	said := map[Look]bool{}
	for _, e := range r.bars.Timeline.Each(history.WriteAccepted, history.WriteRefused) {
		if r.h.Role(e.Peer) == history.RoleProbe {
			continue
		}
		m := Mark{At: int64(e.At), Look: Wrote, Client: r.colour(e.Peer), Letter: r.letter(e.Peer)}
		var label say.Phrase
		switch {
		case e.Kind == history.WriteRefused:
			m.Look, label = Refused, say.Text("refused")
		case stale[e] && r.strip.Impact == checker.ImpactDamaged:
			m.Look, label = Stale, say.OverwritesIt.With()
		case stale[e]:
			m.Look, label = Late, say.OverwritesIt.With()
		}
		if !said[m.Look] && !label.Empty() {
			m.Label = label.In(r.language)
			said[m.Look] = true
		}
		row.Marks = append(row.Marks, m)
	}
	if len(row.Marks) > 0 {
		r.add(row)
	}
}

// bandLabels are the labels of violations that are bands, where the name of the property says less.
var bandLabels = map[string]say.Phrase{
	checker.MutualExclusionID: say.Text("two inside"),
	checker.ProgressID:        say.WordStuck.With(),
}

func (r *reader) bands() {
	for _, f := range r.j.Findings {
		for _, v := range f.Violations {
			switch f.Property {
			case checker.OwnerOnlyReleaseID:
				r.foreign(&v)
			case checker.NoStaleWriteID, checker.NoLostUpdateID: // marks of the resource
			default:
				look, label := f.Property, bandLabels[f.Property].In(r.language)
				if label == "" { // a stored finding may have any name
					look, label = "other", sanitize.Line(say.Property(f.Property).In(r.language))
				}
				r.strip.Bands = append(r.strip.Bands, Band{int64(v.From), int64(v.To), look, label})
			}
		}
	}
}

// foreign marks where a client released the lock of another one, in the row of the server.
func (r *reader) foreign(v *checker.Violation) {
	row, label := r.rowOf(r.proof(v).Node), ""
	if row == nil {
		return
	}
	if !slices.ContainsFunc(row.Marks, func(m Mark) bool { return m.Look == Foreign }) {
		label = say.Text("wrong owner").In(r.language)
	}
	row.Marks = append(row.Marks, Mark{At: int64(v.From), Look: Foreign, Letter: "✗", Label: label})
}

// proof is the last event that proves a violation; an empty one without proof.
func (r *reader) proof(v *checker.Violation) *history.Event {
	if n := len(v.Events); n > 0 && v.Events[n-1] >= 0 && int(v.Events[n-1]) < len(r.h.Events) {
		return &r.h.Events[v.Events[n-1]]
	}
	return &history.Event{}
}

// LastDrawnEvent is the instant of the last event that is drawn before the final quiet period.
func LastDrawnEvent(t *timeline.Timeline) (last history.Instant) {
	for _, e := range t.Each(
		history.Healed, history.Acquired, history.Releasing, history.Released, history.GaveUp, history.WriteAccepted, history.WriteRefused,
		history.FaultBegan, history.FaultEnded, history.Crashed, history.Expired,
	) {
		if e.Kind == history.Healed {
			break
		}
		last = e.At
	}
	return last
}

// ScaleOf is the common axis of runs below each other. It ends at the last event drawn, or a lease
// after a run got stuck.
func ScaleOf(list ...*checker.Judgement) Scale {
	s := Scale{To: 1}
	for i, j := range list {
		h := j.History
		s.To = max(s.To, int64(LastDrawnEvent(timeline.Of(h))))
		for _, v := range j.Finding(checker.ProgressID).Violations {
			s.To = max(s.To, int64(v.From.Add(h.Header.Lease)))
		}
		if i == 0 || s.Lease == h.Header.Lease {
			s.Lease = h.Header.Lease
		} else {
			s.Lease = 0
		}
	}
	s.To += s.To / 40
	return s
}

// Aligned draws runs with events below each other over one axis, at most so many, each with a flag
// where its story diverges from the one that it is compared with. It returns how many runs there
// are.
func Aligned(stories []bundle.Story, most int, l say.Language) (drawn string, all int) {
	var list []*Strip
	var judged []*checker.Judgement
	for i := range stories {
		t := &stories[i]
		j := &t.Run.Judgement
		if j.History == nil || len(j.History.Events) == 0 {
			continue
		}
		if all++; all > most {
			continue
		}
		s := Of(j, t.Bars, Options{Language: l, Wrong: t.Wrong})
		s.Name = sanitize.Text(t.Name, sanitize.MaxName)
		if t.Differs >= 0 && t.Differs < len(t.Steps) {
			s.Lines = append(s.Lines, Line{At: int64(t.Steps[t.Differs].At), Label: say.Text("diverges here").In(l)})
		}
		list, judged = append(list, s), append(judged, j)
	}
	if len(list) == 0 {
		return "", 0
	}
	return HTML(list, ScaleOf(judged...), l), all
}
