package faults

import (
	"cmp"
	"slices"
	"time"
)

// Scheduler runs f after d of true time.
type Scheduler interface {
	After(d time.Duration, f func())
}

// Engine begins and ends the faults of one run. It has no locks: a world serialises its calls.
type Engine struct {
	faults []Fault
	state  []faultState
	world  World
	sched  Scheduler
	wanted [momentCount]bool
	healed bool
	clocks []ClockChange // by time

	// Watch, if not nil, is called with every moment before any fault begins.
	Watch func(Moment)

	holder      string         // the client that acquired last
	that        string         // the client whose moment the latest fault has waited for
	firstHolder string         // the first client that ever acquired
	begun       int            // how many faults have begun
	observed    int            // how many moments
	rounds      map[string]int // begun, by client; nil when no fault asks
	heldByOther bool           // a client other than firstHolder has acquired
}

// faultState is what the engine remembers about one fault.
type faultState struct {
	seen       int        // occurrences of the trigger's moment
	begun      bool       // at least once
	from       int        // Engine.observed when it began first
	acted      bool       // it has changed something
	missed     bool       // its moment came, but its target was not there
	active     bool       // begun and not ended
	since      Activation // the last one
	until      int        // occurrences of End.Until's moment since it began
	generation int        // counts begins, so that a late timer does not end a newer one
	order      int        // among the begins of all faults
}

// NewEngine makes an engine for the faults of one run.
func NewEngine(fs []Fault, w World, s Scheduler) *Engine {
	e := &Engine{}
	e.Reset(fs, w, s)
	return e
}

// Reset prepares the engine for another run. Nothing of the previous run may still call it.
func (e *Engine) Reset(fs []Fault, w World, s Scheduler) {
	*e = Engine{faults: fs, state: append(e.state[:0], make([]faultState, len(fs))...), world: w, sched: s}
	e.wantAll()
}

// wantAll finds the moments that faults still wait for.
func (e *Engine) wantAll() {
	e.wanted = [momentCount]bool{}
	for i := range e.faults {
		f := &e.faults[i]
		if !e.state[i].over(&f.Trigger) {
			e.want(&f.Trigger)
		}
		if u := f.End.Until; u != nil {
			e.want(u)
		}
		if namesHolder(f) {
			e.wanted[Acquires] = true
		}
	}
}

// over reports whether the trigger's moment has come for the last time.
func (s *faultState) over(t *Trigger) bool { return t.Nth > 0 && s.seen >= t.Nth }

func (e *Engine) want(t *Trigger) {
	if t.Moment != NoMoment {
		e.wanted[t.Moment] = true
	}
	if t.Round > 0 {
		e.wanted[StartsWaiting] = true
		if e.rounds == nil {
			e.rounds = map[string]int{}
		}
	}
}

// namesHolder reports whether a fault names the holder, which the engine then has to follow.
func namesHolder(f *Fault) bool {
	return slices.ContainsFunc(f.Names(), func(name string) bool { return name == TheHolder || name == NextHolder })
}

// Start arms the triggers that are instants. It is called at true time 0.
func (e *Engine) Start() {
	for i := range e.faults {
		t := &e.faults[i].Trigger
		if t.Moment != NoMoment {
			continue
		}
		if t.Every > 0 {
			e.repeat(i, t.Every)
			continue
		}
		e.sched.After(t.At, func() { e.begin(i, Activation{}) })
	}
}

func (e *Engine) repeat(i int, every time.Duration) {
	e.sched.After(every, func() {
		if e.healed {
			return
		}
		e.begin(i, Activation{})
		e.repeat(i, every)
	})
}

// WantsKind reports whether a fault waits for this kind of moment, or Watch is set.
func (e *Engine) WantsKind(kind MomentKind) bool {
	return (e.wanted[kind] || e.Watch != nil) && !e.healed
}

// Wants reports whether a fault waits for such a moment. A world for which reporting is expensive
// need not report the others.
func (e *Engine) Wants(kind MomentKind, client, command, script string) bool {
	if !e.WantsKind(kind) {
		return false
	}
	if !kind.OnWire() {
		return true
	}
	m := Moment{Kind: kind, Subject: client, Call: Call{Command: command}, Script: script}
	for i := range e.faults {
		f := &e.faults[i]
		if f.Trigger.onWireOf(&m) || (f.End.Until != nil && f.End.Until.onWireOf(&m)) {
			return true
		}
	}
	return false
}

// onWireOf compares a trigger with a moment on the wire, apart from who holds the lock.
func (t *Trigger) onWireOf(m *Moment) bool {
	if t.Moment != m.Kind || !t.names(m) {
		return false
	}
	switch t.Subject {
	case AnyClient, TheHolder, NextHolder, ThatClient:
		return true
	}
	return t.Subject == m.Subject
}

// names reports whether the trigger waits for the command of a moment on the wire.
func (t *Trigger) names(m *Moment) bool {
	return t.Command == m.Call.Command || t.Command == m.Script || t.Command == AnyCommand || t.Command == m.Part.String()
}

// Observe notes that a client has reached a moment. Faults that wait for it act before Observe
// returns.
func (e *Engine) Observe(m Moment) {
	if e.healed {
		return
	}
	if e.Watch != nil {
		e.Watch(m)
	}
	e.follow(m)
	e.observed++
	for i := range e.faults {
		f, s := &e.faults[i], &e.state[i]
		// The end comes first, for a moment that both ends a fault and begins it again.
		if u := f.End.Until; s.active && u != nil && e.matches(u, &m) {
			s.until++
			if s.until == max(u.Nth, 1) {
				e.later(u.After, func() { e.end(i) })
			}
		}
		if e.matches(&f.Trigger, &m) {
			s.seen++
			if f.Trigger.Nth == 0 || s.seen == f.Trigger.Nth {
				at := Activation{Subject: m.Subject, Call: m.Call}
				e.later(f.Trigger.After, func() { e.begin(i, at) })
				e.wantAll()
			}
		}
	}
}

// later runs f after d; at once for 0, before the client goes on.
func (e *Engine) later(d time.Duration, f func()) {
	if d == 0 {
		f()
		return
	}
	e.sched.After(d, f)
}

// follow keeps track of the rounds, and of the holder by the clients' belief.
func (e *Engine) follow(m Moment) {
	if m.Kind == StartsWaiting && e.rounds != nil {
		e.rounds[m.Subject]++
	}
	if m.Kind != Acquires {
		return
	}
	e.holder = m.Subject
	e.firstHolder = cmp.Or(e.firstHolder, m.Subject)
	e.heldByOther = e.heldByOther || e.firstHolder != m.Subject
}

// matches reports whether a trigger waits for a moment.
func (e *Engine) matches(t *Trigger, m *Moment) bool {
	if t.Moment != m.Kind {
		return false
	}
	if m.Kind.OnWire() && !t.names(m) || t.Round > 0 && e.rounds[m.Subject] != t.Round || !e.counts(t) {
		return false
	}
	switch t.Subject {
	case AnyClient:
		return true
	case TheHolder:
		return m.Subject == e.holder
	case NextHolder:
		return m.Subject == e.holder && e.heldByOther && m.Subject != e.firstHolder
	case ThatClient:
		return m.Subject == e.that
	}
	return t.Subject == m.Subject
}

// counts reports whether the fault that a trigger counts from has begun at an earlier moment, or
// does not exist.
func (e *Engine) counts(t *Trigger) bool {
	if t.AfterFault == 0 {
		return true
	}
	i := slices.IndexFunc(e.faults, func(f Fault) bool { return f.Number == t.AfterFault })
	return i < 0 || e.state[i].begun && e.state[i].from < e.observed
}

func (e *Engine) begin(i int, at Activation) {
	f, s := &e.faults[i], &e.state[i]
	if e.healed || s.active {
		return
	}
	at.Fault = f.Number
	e.that = cmp.Or(at.Subject, e.that)
	at.Target = e.resolve(f.Target)
	at.Sides = e.resolveSides(f.Args.Sides)
	if f.Target != "" && at.Target == "" || len(at.Sides) != len(f.Args.Sides) {
		s.missed = true // no client has ever held the lock
		return
	}
	if !s.begun {
		s.begun, s.from = true, e.observed
	}
	e.world.FaultBegan(f.Number, at.Target)
	acted := s.acted
	f.Verb.spec.Begin(e.world, f.Args, at)
	s.since = at
	if f.Verb.spec.Keeps && e.other(i) >= 0 {
		s.acted = acted // the other one acts, as long as it lasts
	}
	if f.End == (End{}) {
		return
	}
	e.begun++
	s.active, s.until, s.order = true, 0, e.begun
	s.generation++
	generation := s.generation
	if f.End.For > 0 {
		e.sched.After(f.End.For, func() {
			if e.state[i].generation == generation {
				e.end(i)
			}
		})
	}
}

func (e *Engine) resolve(target string) string {
	switch target {
	case ThatClient:
		return e.that
	case TheHolder, NextHolder:
		return e.holder
	case ThePrimary:
		return e.world.Resolve(target)
	}
	return target
}

// resolveSides resolves the nodes of all sides; nil when no client holds the lock, or the holder is
// on two sides.
func (e *Engine) resolveSides(sides [][]string) [][]string {
	out := make([][]string, 0, len(sides))
	var placed []string
	for _, side := range sides {
		var nodes []string
		for _, name := range side {
			node := e.resolve(name)
			if node == "" || slices.Contains(placed, node) {
				return nil
			}
			nodes = append(nodes, node)
		}
		placed = append(placed, nodes...)
		out = append(out, nodes)
	}
	return out
}

func (e *Engine) end(i int) {
	f, s := &e.faults[i], &e.state[i]
	if !s.active {
		return
	}
	s.active = false
	e.world.FaultEnded(f.Number, s.since.Target)
	if j := e.other(i); f.Verb.spec.Keeps && j >= 0 {
		f.Verb.spec.Begin(e.world, e.faults[j].Args, e.state[j].since)
	} else if f.Verb.spec.End != nil {
		f.Verb.spec.End(e.world, s.since)
	}
}

// other returns the latest of the active faults that have the verb and the target of fault i,
// or -1.
func (e *Engine) other(i int) int {
	found := -1
	for j := range e.faults {
		s := &e.state[j]
		same := e.faults[j].Verb == e.faults[i].Verb && s.since.Target == e.state[i].since.Target
		if s.active && same && (found < 0 || s.order > e.state[found].order) {
			found = j
		}
	}
	return found
}

// Heal begins the final quiet period: it ends every active fault except those that last forever,
// and lets no other begin.
func (e *Engine) Heal() {
	for i := range e.faults {
		if !e.faults[i].End.Forever {
			e.end(i)
		}
	}
	e.healed = true
}

// Acted is called by the world when a fault has changed something: a process was frozen, a message
// was held back.
func (e *Engine) Acted(fault int) {
	for i := range e.faults {
		if e.faults[i].Number == fault {
			e.state[i].acted = true
		}
	}
}

// WithoutEffect returns, at the end of a run, the numbers of the faults that have begun and changed
// nothing, or for less than least, and of those whose target was not there.
func (e *Engine) WithoutEffect(least time.Duration) []int {
	e.judgeClocks(least)
	var out []int
	for i := range e.faults {
		if f, s := &e.faults[i], &e.state[i]; (s.begun || s.missed) && (!s.acted || f.shorter(least)) {
			out = append(out, f.Number)
		}
	}
	return out
}
