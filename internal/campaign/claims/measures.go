package claims

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Questions to a run are expressions over the names below. Their answers are numbers, times in
// nanoseconds, or a text.

// ask answers a question.
func (r *Run) ask(question string) any { return evaluate(question, r) }

// facts are the questions without arguments.
var facts = map[string]func(r *Run) any{
	"overlapped": func(r *Run) any { return truth(r.Overlapped()) },
	"foreign":    func(r *Run) any { return truth(r.ForeignRelease()) },
	"stuck":      func(r *Run) any { return truth(r.Stuck()) },
	"harmed":     func(r *Run) any { return truth(r.any(checker.Broken)) }, // not counting the resource
	"known":      func(r *Run) any { return truth(!r.any(checker.Unknown)) },
	"judged":     func(r *Run) any { return say.Both{English: r.judged()} },
	"hash":       func(r *Run) any { return say.Both{English: fmt.Sprint(r.History.Hash())} },
	"rounds":     func(r *Run) any { return int64(len(r.rounds())) },
	"rate":       func(r *Run) any { return r.rate() },
	"patience":   func(r *Run) any { return r.patience() },
	"cost":       func(r *Run) any { return r.costs("cost") },
	"requests":   func(r *Run) any { return r.costs("requests") },
	"servers":    func(r *Run) any { return int64(len(r.History.NodesOf(history.RoleStore))) },
	"revisions": func(r *Run) any {
		replies, _ := r.contradictions()
		return replies
	},
	"contradictions": func(r *Run) any {
		_, wrong := r.contradictions()
		return wrong
	},
}

func (r *Run) value(name string) any {
	if fact, ok := facts[name]; ok {
		return fact(r)
	}
	return nil
}

// questions are those with arguments, mostly patterns of events.
var questions = map[string]func(r *Run, args arguments) any{
	"broken":    func(r *Run, args arguments) any { return truth(r.Broken(args.text(0))) },
	"count":     func(r *Run, args arguments) any { return int64(len(r.events(args.text(0)))) },
	"between":   between,
	"at":        at,
	"times":     times,
	"took":      took,
	"answer":    answer,
	"refused":   refused,
	"left":      left,
	"exact":     exact,
	"overtaken": func(r *Run, args arguments) any { return r.overtaken(args.text(0)) },
	"releases":  func(r *Run, args arguments) any { return r.wakeUps(args).releases },
	"waiting":   func(r *Run, args arguments) any { return r.wakeUps(args).waiting },
	"woken":     func(r *Run, args arguments) any { return r.wakeUps(args).woken },
	"unasked":   func(r *Run, args arguments) any { return r.wakeUps(args).unasked },
}

func (r *Run) call(function string, args []any) any {
	ask, ok := questions[function]
	if !ok {
		panic(failure{fmt.Errorf("nothing is called %s()", function)})
	}
	return ask(r, args)
}

// arguments are those of a question.
type arguments []any

func (a arguments) text(i int) string {
	if i < len(a) {
		if text, ok := a[i].(say.Both); ok {
			return text.English
		}
	}
	panic(failure{fmt.Errorf("argument %d has to be a text", i+1)})
}

// instant is an argument that is a time, or the first event of a pattern; false without such an
// event.
func (a arguments) instant(r *Run, i int) (history.Instant, bool) {
	if at, ok := a[i].(int64); ok {
		return history.Instant(at), true
	}
	events := r.events("first " + a.text(i))
	if len(events) == 0 {
		return 0, false
	}
	return events[0].At, true
}

// between counts the events of a pattern from one instant until before another, or to the end.
func between(r *Run, args arguments) any {
	from, ok := args.instant(r, 1)
	until := r.History.End() + 1
	if ok && len(args) > 2 {
		until, ok = args.instant(r, 2)
	}
	n := int64(0)
	for _, e := range r.events(args.text(0)) {
		n += truth(ok && e.At >= from && e.At < until)
	}
	return n
}

// at lists the times of the events of a pattern, from the beginning of the run.
func at(r *Run, args arguments) any {
	return each.Map(r.events(args.text(0)), func(e history.Event) int64 { return int64(e.At.Duration()) })
}

// times lists, for each event of the second pattern, the time since the last event of the first.
func times(r *Run, args arguments) any {
	from, to := r.matcher(args.text(0)), r.matcher(args.text(1))
	out, last := []int64{}, history.Instant(-1)
	for _, e := range r.timeline().All() {
		if to(*e) && last >= 0 {
			out = append(out, int64(e.At.Sub(last)))
		}
		if from(*e) {
			last = e.At
		}
	}
	return out
}

// took lists how long clients waited for replies or errors. With a second pattern it is limited to
// requests sent while that request was under way.
func took(r *Run, args arguments) any {
	from, until := history.Instant(0), r.History.End()+1
	if len(args) > 1 {
		for _, meanwhile := range r.events(args.text(1)) {
			end, _ := r.end(meanwhile)
			from, until = meanwhile.At, end.At
		}
	}
	out := []int64{}
	for _, e := range r.events(args.text(0)) {
		if end, ok := r.end(e); ok && e.At >= from && e.At < until {
			out = append(out, int64(end.At.Sub(e.At)))
		}
	}
	return out
}

// answer is the answer to the first request of a pattern, or its error; of an execution it is the
// reply.
func answer(r *Run, args arguments) any {
	for _, e := range r.events("first " + args.text(0)) {
		if e.Kind == history.Sent {
			e, _ = r.end(e)
		}
		return text{say.Both{English: r.text(e)}, *r.History.Answer(e.Text)}
	}
	return none()
}

// refused reports whether the first request of a pattern got an error or no reply.
func refused(r *Run, args arguments) any {
	for _, e := range r.events("first " + args.text(0)) {
		end, _ := r.end(e)
		return truth(end.Kind == history.TimedOut || r.History.Answer(end.Text).Refused != "")
	}
	return int64(0)
}

// left lists the remaining time of the entry just before each event of a pattern.
func left(r *Run, args arguments) any {
	out, is := []int64{}, r.pattern(args.text(0))
	r.withEnds(func(e history.Event, ends history.Instant) {
		if is(e) {
			out = append(out, int64(ends.Sub(e.At)))
		}
	})
	return out
}

// exact counts the replies of a pattern that give the entry's remaining time, to the millisecond.
func exact(r *Run, args arguments) any {
	n, is := int64(0), r.pattern(args.text(0))
	r.withEnds(func(e history.Event, ends history.Instant) {
		if is(e) {
			said := r.History.Answer(e.Text)
			n += truth(said.Numeric && (time.Duration(said.Number)*time.Millisecond-ends.Sub(e.At)).Abs() <= time.Millisecond)
		}
	})
	return n
}

// withEnds goes through the events, with the end of the entry as it was before each.
func (r *Run) withEnds(do func(e history.Event, ends history.Instant)) {
	var ends history.Instant
	for _, e := range r.timeline().All() {
		do(*e, ends)
		if e.Kind == history.Granted || e.Kind == history.Extended {
			ends = e.At.Add(time.Duration(e.Value))
		}
	}
}

// judged is the verdict on the run, property by property.
func (r *Run) judged() string {
	said := fmt.Sprint(r.Letter, r.Overlap, r.Acquired)
	for i := range r.Findings {
		said += fmt.Sprint(" ", r.Findings[i].Verdict, r.Findings[i].Count)
	}
	return said
}

// rate is the number of acquisitions per second, in thousandths, with one decimal. All clients must
// have got the lock as often as they wanted.
func (r *Run) rate() int64 {
	rounds := r.rounds()
	if want := len(r.events("waits by clients")); len(rounds) < want {
		panic(failure{fmt.Errorf("%s: %d of %d times a client got the lock", r.History.Header.Lock, len(rounds), want)})
	}
	ms := rounds[len(rounds)-1].done.Duration().Milliseconds() // they are in the order of their ends
	return (int64(len(rounds))*10_000 + ms/2) / ms * 100
}

// patience lists how long clients waited for the lock.
func (r *Run) patience() []int64 {
	return each.Map(r.rounds(), func(o round) int64 { return int64(o.acquired.Sub(o.waits)) })
}

// costs are those of all rounds except a client's first, which may open a session: the time of
// acquisition and release (cost), or the number of requests.
func (r *Run) costs(of string) []int64 {
	out, known := []int64{}, map[history.NodeID]bool{}
	asks := r.events("asks")
	for _, o := range r.rounds() {
		if !known[o.client] {
			known[o.client] = true
			continue
		}
		n := int64(o.acquired.Sub(o.waits) + o.done.Sub(o.releasing))
		if of == "requests" {
			n = 0
			for _, e := range asks {
				n += truth(e.Node == o.client && (e.At >= o.waits && e.At <= o.acquired || e.At >= o.releasing && e.At <= o.done))
			}
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		panic(failure{fmt.Errorf("no client acquired twice: there is no cost to measure")})
	}
	return out
}

// overtaken counts the pairs of rounds in which the earlier one got the lock later. A round starts
// when the store has executed its first request with the command.
func (r *Run) overtaken(command string) (n int64) {
	rounds, executed := r.rounds(), r.events("executed "+command)
	came := make([]history.Instant, len(rounds))
	for i, o := range rounds {
		came[i] = o.waits
		if at := slices.IndexFunc(executed, func(e history.Event) bool { return e.Peer == o.client && e.At >= o.waits }); at >= 0 {
			came[i] = executed[at].At
		}
	}
	for i := range rounds {
		for k := range rounds {
			n += truth(came[i] < came[k] && rounds[i].acquired > rounds[k].acquired)
		}
	}
	return n
}

// wakeUps is how releases affected waiting clients.
type wakeUps struct {
	releases int64 // while a client waited
	waiting  int64 // clients, at all of these releases together
	woken    int64 // clients that asked soon after the release
	unasked  int64 // requests neither soon after a release nor among the first two of a wait
}

// wakeUps follows waiting clients until the probe starts. Its arguments are the pattern of their
// requests, and how long after a release is soon.
func (r *Run) wakeUps(args arguments) (w wakeUps) {
	is, soon := r.pattern(args.text(0)), time.Duration(args[1].(int64))
	tries := map[history.NodeID]int{}    // of waiting clients
	waiting := map[history.NodeID]bool{} // clients not yet woken by the last release
	last := history.Instant(-1)
	for _, e := range r.timeline().All() {
		switch {
		case r.History.Role(e.Node) == history.RoleProbe:
			return w
		case e.Kind == history.Waits:
			tries[e.Node] = 0
		case e.Kind == history.Acquired:
			delete(tries, e.Node)
			delete(waiting, e.Node)
		case e.Kind == history.Removed:
			last = e.At
			clear(waiting)
			for client := range tries { // order: counted
				waiting[client] = true
			}
			w.releases += truth(len(tries) > 0)
			w.waiting += int64(len(tries))
		case is(*e):
			isSoon := last >= 0 && e.At.Sub(last) <= soon
			w.woken += truth(isSoon && waiting[e.Node])
			if isSoon {
				delete(waiting, e.Node)
			}
			tried, waits := tries[e.Node]
			if waits {
				tries[e.Node]++
			}
			w.unasked += truth(waits && !isSoon && tried >= 2)
		}
	}
	return w
}

// contradictions counts replies that name a revision, and among them those that break real-time
// order: a revision lower than one that some client had received before the request was sent. A
// grant while another entry exists counts too.
func (r *Run) contradictions() (replies, wrong int64) {
	newest, granted := int64(0), false
	atSending := map[int64]int64{} // by the number of the request
	for _, e := range r.timeline().Each(history.Sent, history.Replied, history.Granted, history.Removed, history.Expired) {
		switch e.Kind {
		case history.Sent:
			atSending[e.Value] = newest
		case history.Replied:
			if revision := r.History.Answer(e.Text).Revision; revision > 0 {
				replies++
				wrong += truth(revision < atSending[e.Value])
				newest = max(newest, revision)
			}
		case history.Granted:
			wrong += truth(granted)
			granted = true
		case history.Removed, history.Expired:
			granted = false
		}
	}
	return replies, wrong
}
