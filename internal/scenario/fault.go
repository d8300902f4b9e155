package scenario

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// leastEvery keeps a repeated fault from filling the whole run.
const leastEvery = time.Millisecond

const faultExample = "a fault such as {when: A is in its critical section, pause: A, for: 15s}"

// faults reads the list of faults.
func (r *reader) faults(n *node, p *plan.Plan) {
	items, ok := r.list(n, "faults", "one fault per line, each after a dash")
	if !ok {
		return
	}
	if len(items) > MostFaults {
		r.problemf(items[MostFaults], "a scenario has at most %d faults, this one has %d", MostFaults, len(items))
		return
	}
	for i, item := range items {
		if f, ok := r.fault(item, i+1, p); ok {
			p.Faults = append(p.Faults, f)
		}
	}
}

// parts are the keys of one fault, by kind.
type parts struct {
	at       *node // where the fault starts
	spec     faults.Spec
	verb     *entry
	triggers []entry
	ends     []entry
	params   group // parameters of the verb
	after    *entry
	open     *faults.Open // what is drawn
	unclear  bool         // some key was not understood, so it may be the missing one
}

// fault reads one fault.
func (r *reader) fault(n *node, number int, p *plan.Plan) (faults.Fault, bool) {
	before := len(r.problems)
	s, ok := r.sort(n)
	if !ok {
		return faults.Fault{}, false
	}
	trigger := r.trigger(s, number, p.Clients)
	end := r.end(s, number, p.Clients)
	args := r.arguments(s)
	r.timeToRepeat(s, trigger, p)
	if s.spec.Replica {
		r.needReplica(s, p)
	}
	if s.spec.Promoter && args.Value != "" && args.Value != p.Redis.Failover.By {
		r.problemf(s.verb.value, "the rest of this scenario leaves the promotion to the %s: servers and all faults must agree on one", p.Redis.Failover.By)
	}
	if len(r.problems) > before {
		return faults.Fault{}, false
	}
	f := faults.Make(number, s.spec, args, trigger, end)
	r.whichClient(s, &f, p)
	f.Line = s.verb.key.line
	if len(s.open.Ranges) > 0 || s.open.ChancePPM < faults.Always {
		f.Open = s.open
	}
	return f, true
}

// sort finds the one verb of a fault and groups the other keys.
func (r *reader) sort(n *node) (s parts, ok bool) {
	entries, ok := r.entries(n, "a fault", faultExample)
	if !ok {
		return s, false
	}
	s.at, s.params = n, group{}
	s.open = &faults.Open{Ranges: map[string]plan.Range{}, ChancePPM: faults.Always}
	var rest []entry
	for _, e := range entries {
		spec, isVerb := faults.Lookup(e.key.text)
		switch {
		case slices.Contains(faults.TriggerKeys, e.key.text):
			s.triggers = append(s.triggers, e)
		case slices.Contains(faults.EndKeys, e.key.text):
			s.ends = append(s.ends, e)
		case e.key.text == faults.AfterKey:
			s.after = &e
		case e.key.text == faults.ChanceKey:
			r.chance(e.value, s.open)
		case !isVerb:
			rest = append(rest, e)
		case s.verb != nil:
			s.unclear = true
			r.problemf(e.key, "a fault has one verb, this one has %s and %s: make two faults of it", s.spec.Name, spec.Name)
		default:
			s.verb, s.spec = &e, spec
		}
	}
	if s.verb == nil {
		r.noVerb(n, rest)
		return s, false
	}
	for _, e := range rest {
		if !hasParam(s.spec, e.key.text) {
			s.unclear = true
			r.unknownParam(e.key, s.spec)
			continue
		}
		s.params[e.key.text] = e
	}
	return s, true
}

// noVerb reports a fault without a verb.
func (r *reader) noVerb(n *node, rest []entry) {
	verbs := verbNames()
	others := faults.Keys()
	meant := 0
	for _, e := range rest {
		key := e.key.text
		if best := Nearest(key, others); best != "" && Nearest(key, verbs) == "" {
			r.problemf(e.key, "unknown key %s in a fault: did you mean %q?", quote(key), best)
			continue
		}
		if slices.ContainsFunc(faults.All(), func(s faults.Spec) bool { return hasParam(s, key) }) {
			continue
		}
		meant++
		r.problemf(e.key, "unknown fault %s: %s", quote(key), suggest(key, verbs))
	}
	if meant == 0 {
		r.problemf(n, "this fault does nothing: add a verb, such as \"pause: A\"; the verbs are %s", strings.Join(verbs, ", "))
	}
}

func verbNames() []string {
	return each.Map(faults.All(), func(s faults.Spec) string { return s.Name })
}

func hasParam(spec faults.Spec, name string) bool {
	return slices.ContainsFunc(spec.Params, func(p faults.Param) bool { return p.Name == name })
}

func (r *reader) unknownParam(key *node, spec faults.Spec) {
	if percentileForm.MatchString(key.text) {
		r.problemf(key, "%s comes after a comma, which separates keys here: put the percentiles in quotes, such as \"%s\"", quote(key.text), percentilesExample)
		return
	}
	known := faults.Keys()
	if !spec.Ends {
		known = append([]string{faults.AfterKey, faults.ChanceKey}, faults.TriggerKeys...)
	}
	for _, p := range spec.Params {
		known = append(known, p.Name)
	}
	r.problemf(key, "unknown key %s beside %s: %s", quote(key.text), spec.Name, suggest(key.text, known))
}

// trigger reads when a fault begins.
func (r *reader) trigger(s parts, number int, clients []string) faults.Trigger {
	var t faults.Trigger
	if len(s.triggers) == 0 {
		if !s.unclear {
			r.problemf(s.at, "when does this fault happen? add one of \"when: A is in its critical section\", \"at: 2s\", \"every: 5s\"")
		}
		return t
	}
	for _, e := range s.triggers[1:] {
		r.problemf(e.key, "a fault has one trigger, this one has %s and %s: remove one", s.triggers[0].key.text, e.key.text)
	}
	switch e := s.triggers[0]; e.key.text {
	case "at":
		t.At = r.durationOrRange(e.value, "at", "at: 2s", 0, "at", s.open.Ranges)
	case "every":
		t.Every = r.durationOrRange(e.value, "every", "every: 5s", leastEvery, "every", s.open.Ranges)
	case "when":
		t, _ = r.moment(e.value, "when", number, clients, true)
	}
	if s.after != nil {
		if s.triggers[0].key.text != "when" {
			r.problemf(s.after.key, "after counts from a moment: use it beside when, or give the right time in %s", s.triggers[0].key.text)
		} else {
			t.After = r.durationOrRange(s.after.value, faults.AfterKey, "after: 40ms", 0, faults.AfterKey, s.open.Ranges)
		}
	}
	if s.spec.OnWire {
		r.wireTrigger(s, t)
	}
	return t
}

// wireTrigger checks the trigger of a verb that acts on one command: it must name a command, and
// not come when the request or reply has already travelled. A request leaves just before the client
// "sends" it.
func (r *reader) wireTrigger(s parts, t faults.Trigger) {
	name, first := s.spec.Name, s.triggers[0]
	half := strings.TrimSpace(s.verb.value.text)
	switch {
	case first.key.text != "when" || t.Moment != faults.NoMoment && !t.Moment.OnWire():
		r.problemf(first.value, "%s acts on one command: it needs a moment of that command, such as \"when: A sends SET\"", name)
	case t.Moment == faults.HasReply,
		half == faults.RequestHalf.String() && t.Moment == faults.Sends,
		half == faults.RequestHalf.String() && t.Moment == faults.HasExecuted:
		r.problemf(first.value, "it is too late to %s the %s at this moment: write \"when: %s is about to send %s\"", name, half, t.Subject, t.Command)
	case t.After > 0:
		r.problemf(s.after.key, "%s acts on the command of its moment and cannot wait: remove after", name)
	}
}

// end reads when a fault ends.
func (r *reader) end(s parts, number int, clients []string) faults.End {
	var end faults.End
	name := s.spec.Name
	if len(s.ends) == 0 {
		if s.spec.Ends && !s.unclear {
			r.problemf(s.verb.key, "how long does this %s last? add one of \"for: 15s\", \"until: B acquires\", \"forever: true\"", name)
		}
		return end
	}
	first := s.ends[0]
	if !s.spec.Ends {
		r.problemf(first.key, "%s is over as soon as it has happened: remove %s", name, first.key.text)
		return end
	}
	for _, e := range s.ends[1:] {
		r.problemf(e.key, "a fault has one end, this one has %s and %s: remove one", first.key.text, e.key.text)
	}
	switch first.key.text {
	case "for":
		end.For = r.durationOrRange(first.value, "for", "for: 15s", 1, "for", s.open.Ranges)
	case "until":
		if t, ok := r.moment(first.value, "until", number, clients, false); ok {
			end.Until = &t
		}
	case "forever":
		_, end.Forever = r.choice(first.value, "forever", "true")
	}
	return end
}

// chance reads how likely a fault happens.
func (r *reader) chance(n *node, open *faults.Open) {
	ppm, ok := r.percent(n, faults.ChanceKey, "chance: 5%")
	switch {
	case ok && ppm == 0:
		r.problemf(n, "a fault with a chance of %s never happens: write chance: 5%%, or remove it", quote(n.text))
	case ok:
		open.ChancePPM = ppm
	}
}

// timeToRepeat checks that a fault that is drawn repeatedly can strike at least once, and not more
// often than a run can have faults.
func (r *reader) timeToRepeat(s parts, t faults.Trigger, p *plan.Plan) {
	open := len(s.open.Ranges) > 0 || s.open.ChancePPM < faults.Always
	if t.Every == 0 || !open || r.clientsUnclear {
		return
	}
	at, most, end := s.triggers[0].value, chaos.MostFaults, p.WorkEnd()
	each := t.Every
	if every, ok := s.open.Ranges["every"]; ok {
		each = max(every.Mean(), leastEvery)
	}
	switch {
	case end <= t.Every:
		r.problemf(at, "this fault has no time: the work of %d clients can be done after %s, and the fault may come only after %s; repeat more often, work longer, or make every shorter", len(p.Clients), faults.Duration(end), faults.Duration(t.Every))
	case int64(end/each)*s.open.ChancePPM/faults.Always > int64(most):
		r.problemf(at, "this fault would strike about %d times until %s, and %d is the most: make every longer, or the work shorter", int64(end/each)*s.open.ChancePPM/faults.Always, faults.Duration(end), most)
	}
}

// whichClient reports a fault that refers to "that client" when nothing identifies one.
func (r *reader) whichClient(s parts, f *faults.Fault, p *plan.Plan) {
	hasMoment := func(f faults.Fault) bool { return f.Trigger.Moment != faults.NoMoment }
	own := hasMoment(*f) && f.Trigger.Subject != faults.ThatClient
	if own || slices.ContainsFunc(p.Faults, hasMoment) || !slices.Contains(f.Names(), faults.ThatClient) {
		return
	}
	r.problemf(s.at, "that client is the one whose moment a fault waits for, and neither this fault nor one before it waits for any: write for example \"when: any client sends SET\"")
}
