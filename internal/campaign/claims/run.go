package claims

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Run is a judged run, for questions.
type Run struct {
	checker.Judgement

	account *timeline.Timeline      // of the history; nil: not made yet
	back    map[int64]history.Event // ends of requests, by their numbers; nil: not made yet
}

// timeline returns the account of the run's history.
func (r *Run) timeline() *timeline.Timeline {
	if r.account == nil {
		r.account = timeline.Of(r.History)
	}
	return r.account
}

// Broken reports whether a property broke. If that is unknown, the experiment ends with the reason.
func (r *Run) Broken(property string) bool {
	f := r.Finding(property)
	if f.Verdict == checker.Unknown {
		h := &r.History.Header
		panic(failure{fmt.Errorf("%s, seed %d: whether %s was kept is unknown: %s", h.Lock, h.Seed, property, f.Reason.English())})
	}
	return f.Verdict == checker.Broken
}

// Overlapped reports whether two clients believed at once that they held the lock.
func (r *Run) Overlapped() bool { return r.Broken(checker.MutualExclusionID) }

// ForeignRelease reports whether a release removed the entry of another client.
func (r *Run) ForeignRelease() bool {
	return !r.Finding(checker.OwnerOnlyReleaseID).NoOccasion && r.Broken(checker.OwnerOnlyReleaseID)
}

// Stuck reports whether no client could acquire for ten leases after all faults.
func (r *Run) Stuck() bool { return r.Broken(checker.ProgressID) }

// any reports whether a property other than those of the resource has a verdict.
func (r *Run) any(verdict checker.Verdict) bool {
	return slices.ContainsFunc([]string{checker.MutualExclusionID, checker.OwnerOnlyReleaseID, checker.ProgressID}, func(id string) bool {
		f := r.Finding(id)
		return f.Verdict == verdict && !(id == checker.OwnerOnlyReleaseID && f.NoOccasion)
	})
}

// text is the text of an event.
func (r *Run) text(e history.Event) string { return r.History.Text(e.Text) }

// name is the name of a node.
func (r *Run) name(id history.NodeID) string { return r.History.Name(id) }

// cause returns the Sent event behind an event of the wire; the zero event without one.
func (r *Run) cause(e history.Event) history.Event {
	for e.Kind != history.Sent {
		if e.Cause == history.NoCause {
			return history.Event{}
		}
		e = r.History.Events[e.Cause]
	}
	return e
}

// command is the name of a message's command, or of its script: SET.
func (r *Run) command(e history.Event) string {
	sent := r.cause(e)
	if sent.Kind != history.Sent {
		return ""
	}
	return r.History.Op(sent.Text).Name
}

// end returns the reply to a request, or its timeout; false when neither happened.
func (r *Run) end(sent history.Event) (history.Event, bool) {
	if r.back == nil {
		r.back = map[int64]history.Event{}
		for _, e := range r.timeline().Each(history.Replied, history.TimedOut) {
			r.back[e.Value] = *e
		}
	}
	e, ok := r.back[sent.Value]
	return e, ok
}

// signsOfLife are the requests that keep a session or a lease alive.
var signsOfLife = []string{"PING", "KEEPALIVE"}

// pattern returns a test for events, in the words of a question:
//
//	sent SET by A at redis-2 answered (nil)
//
// First comes the kind as in histories, or asks (sent, but not signs of life, which come from the
// session rather than the lock) or done (a release has returned); then optionally the command; then
// conditions in any order. A condition that a message is for is the last one, and not is before it.
func (r *Run) pattern(pattern string) func(history.Event) bool {
	words := strings.Fields(pattern)
	all := []func(history.Event) bool{r.kind(words[0])}
	add := func(is func(e history.Event) bool) { all = append(all, is) }
	not := false
	for i := 1; i < len(words); i++ {
		next := words[min(i+1, len(words)-1)]
		switch word := words[i]; word {
		case "by":
			add(func(e history.Event) bool { return r.of(e, strings.Split(next, ",")) })
			i++
		case "at":
			add(func(e history.Event) bool {
				_, server := r.sides(e)
				return r.name(server) == next
			})
			i++
		case "of":
			add(func(e history.Event) bool { return r.owns(e, next) })
			i++
		case "lasting": // the entry has a time to live
			add(func(e history.Event) bool { return e.Value > 0 })
		case "checking": // the request is conditional on a version
			add(func(e history.Event) bool { return r.History.Op(e.Text).Checks })
		case "failed": // the request got no reply
			add(func(e history.Event) bool {
				end, ok := r.end(e)
				return ok && end.Kind == history.TimedOut
			})
		case "not":
			not = true
		case "saying", "answered":
			says := strings.Join(words[i+1:], " ")
			add(func(e history.Event) bool {
				end, ok := e, true
				if word == "answered" {
					end, ok = r.end(e)
				}
				return ok && (r.text(end) == says) != not
			})
			i = len(words)
		default:
			add(func(e history.Event) bool { return r.command(e) == word })
		}
	}
	return func(e history.Event) bool {
		return !slices.ContainsFunc(all, func(is func(history.Event) bool) bool { return !is(e) })
	}
}

// kind is a test for the first word of a pattern.
func (r *Run) kind(word string) func(history.Event) bool {
	switch word {
	case "asks":
		return func(e history.Event) bool {
			return e.Kind == history.Sent && !slices.Contains(signsOfLife, r.command(e))
		}
	case "done":
		return func(e history.Event) bool {
			return e.Kind == history.Released || e.Kind == history.NotHeld || e.Kind == history.ReleaseFailed
		}
	}
	kind, ok := history.ParseKind(word)
	if !ok {
		panic(failure{fmt.Errorf("%s: histories have no such event", word)})
	}
	return func(e history.Event) bool { return e.Kind == kind }
}

// sides returns the client of an event and the server.
func (r *Run) sides(e history.Event) (client, server history.NodeID) {
	if role := r.History.Role(e.Node); role != history.RoleClient && role != history.RoleProbe {
		return e.Peer, e.Node
	}
	return e.Node, e.Peer
}

// of reports whether an event is of one of some clients; "clients" are all but the probe.
func (r *Run) of(e history.Event, clients []string) bool {
	client, _ := r.sides(e)
	return slices.Contains(clients, r.name(client)) || clients[0] == "clients" && r.History.Role(client) == history.RoleClient
}

// owns reports whether an event is about the entry of a client; of any with "clients", and with
// "another" not the remover's own.
func (r *Run) owns(e history.Event, who string) bool {
	switch who {
	case "clients":
		return r.History.Role(e.Owner) == history.RoleClient
	case "another":
		return e.Owner != 0 && e.Owner != e.Peer
	}
	return r.name(e.Owner) == who
}

// matcher returns a test for events that any of some patterns selects: "first sent | executed by
// B". With first it accepts one event at most.
func (r *Run) matcher(patterns string) func(history.Event) bool {
	patterns, first := strings.CutPrefix(patterns, "first ")
	any := each.Map(strings.Split(patterns, " | "), r.pattern)
	over := false
	return func(e history.Event) bool {
		is := !over && slices.ContainsFunc(any, func(one func(history.Event) bool) bool { return one(e) })
		over = over || first && is
		return is
	}
}

// events returns the events that some patterns select, in order.
func (r *Run) events(patterns string) (out []history.Event) {
	is := r.matcher(patterns)
	for _, e := range r.timeline().All() {
		if is(*e) {
			out = append(out, *e)
		}
	}
	return out
}

// round is one acquisition of a client, up to the return of its release.
type round struct {
	client    history.NodeID
	waits     history.Instant // asks for the lock
	acquired  history.Instant
	releasing history.Instant
	done      history.Instant // release has returned
}

// rounds are those of all clients except the probe, in the order of their ends, without unfinished
// ones.
func (r *Run) rounds() (out []round) {
	open := make([]round, len(r.History.Header.Nodes)+1) // by NodeID
	for _, i := range r.History.Milestones() {
		e := &r.History.Events[i]
		if r.History.Role(e.Node) != history.RoleClient {
			continue
		}
		o := &open[e.Node]
		switch e.Kind {
		case history.Waits:
			*o = round{client: e.Node, waits: e.At}
		case history.Acquired:
			o.acquired = e.At
		case history.Releasing:
			o.releasing = e.At
		case history.Released, history.NotHeld, history.ReleaseFailed:
			o.done = e.At
			out = append(out, *o)
		}
	}
	return out
}

// Lost counts the writes that the resource has accepted, and those from which the last version does
// not derive: one outdated write may lose many. It is not for runs with several resources.
func Lost(h *history.History) (lost, accepted int) {
	from := map[int64]int64{} // the version that each version was computed from
	var last int64
	for _, e := range timeline.Of(h).Each(history.WriteAccepted) {
		if e.Cause == history.NoCause {
			continue
		}
		from[e.Value] = h.Events[e.Cause].Value
		last = e.Value
	}
	kept := 0
	for v, written := last, len(from) > 0; written && kept < len(from); kept++ {
		v = from[v]
		_, written = from[v]
	}
	return len(from) - kept, len(from)
}
