package claims

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
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

// cause returns the Sent event behind an event of the wire, or the event itself; the zero event
// when the history lacks it.
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

// pattern selects events, in the words of a question:
//
//	sent SET by A at redis-2 answered (nil)
//
// First comes the kind as in histories, or asks (sent, but not signs of life, which come from the
// session rather than the lock) or done (a release has returned); then optionally the command; then
// conditions in any order.
type pattern struct {
	kinds   []history.Kind
	asks    bool
	command string
	by      []string // the client; "clients": all but the probe
	at      string   // the server
	of      string   // whose entry; "clients", or "another": not the remover's own
	lasting bool     // the entry has a time to live
	failed  bool     // the request got no reply
	checks  bool     // the request is conditional on a version
	says    string   // the text; with answered, of the reply to the request
	reply   bool
	not     bool // any other text
}

// signsOfLife are the requests that keep a session or a lease alive.
var signsOfLife = []string{"PING", "KEEPALIVE"}

func readPattern(text string) (p pattern) {
	words := strings.Fields(text)
	switch words[0] {
	case "asks":
		p.kinds, p.asks = []history.Kind{history.Sent}, true
	case "done":
		p.kinds = []history.Kind{history.Released, history.NotHeld, history.ReleaseFailed}
	default:
		k, ok := history.ParseKind(words[0])
		if !ok {
			panic(failure{fmt.Errorf("%s: histories have no such event", text)})
		}
		p.kinds = []history.Kind{k}
	}
	for i := 1; i < len(words); i++ {
		next := strings.Join(words[i+1:min(i+2, len(words))], "")
		switch words[i] {
		case "by":
			p.by = strings.Split(next, ",")
		case "at":
			p.at = next
		case "of":
			p.of = next
		case "lasting":
			p.lasting = true
			continue
		case "checking":
			p.checks = true
			continue
		case "failed":
			p.failed = true
			continue
		case "not":
			p.not = true
			continue
		case "saying", "answered":
			p.reply, p.says = words[i] == "answered", strings.Join(words[i+1:], " ")
			return p
		default:
			p.command = words[i]
			continue
		}
		i++
	}
	return p
}

// is reports whether the pattern selects an event.
func (p *pattern) is(r *Run, e history.Event) bool {
	if !slices.Contains(p.kinds, e.Kind) {
		return false
	}
	who, server := e.Node, e.Peer
	if role := r.History.Role(who); role != history.RoleClient && role != history.RoleProbe {
		who, server = server, who
	}
	switch {
	case p.by != nil && !slices.Contains(p.by, r.name(who)) && !(p.by[0] == "clients" && r.History.Role(who) == history.RoleClient),
		p.at != "" && r.name(server) != p.at,
		p.command != "" && r.command(e) != p.command,
		p.asks && slices.Contains(signsOfLife, r.command(e)),
		p.lasting && e.Value <= 0,
		p.checks && !r.History.Op(e.Text).Checks:
		return false
	}
	switch p.of {
	case "":
	case "clients":
		if r.History.Role(e.Owner) != history.RoleClient {
			return false
		}
	case "another":
		if e.Owner == 0 || e.Owner == e.Peer {
			return false
		}
	default:
		if r.name(e.Owner) != p.of {
			return false
		}
	}
	if p.failed || p.reply {
		end, ok := r.end(e)
		if p.failed {
			return ok && end.Kind == history.TimedOut
		}
		return ok && (r.text(end) == p.says) != p.not
	}
	return p.says == "" || (r.text(e) == p.says) != p.not
}

// matcher returns a test for events that any of some patterns selects: "first sent | executed by
// B". With first it accepts one event at most.
func (r *Run) matcher(patterns string) func(history.Event) bool {
	patterns, first := strings.CutPrefix(patterns, "first ")
	var any []pattern
	for _, text := range strings.Split(patterns, " | ") {
		any = append(any, readPattern(text))
	}
	over := false
	return func(e history.Event) bool {
		is := !over && slices.ContainsFunc(any, func(p pattern) bool { return p.is(r, e) })
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
