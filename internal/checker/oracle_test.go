package checker

import (
	"fmt"
	"math"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// The oracles restate every property as its definition reads, in quadratic time
// and with no state that could go wrong. A bug is the name of a mistake to make
// (see mutation_test.go), "" for none.

// span is a hold as a range of event indices: [start, end).
type span struct {
	client     history.NodeID
	start, end int
}

func spans(h *history.History, bug string) (out []span) {
	for i, e := range h.Events {
		if e.Kind != history.Acquired || bug == "ignores the probe" && h.Role(e.Node) == history.RoleProbe {
			continue
		}
		end := slices.IndexFunc(h.Events[i+1:], func(f history.Event) bool {
			switch f.Kind {
			case history.Acquired:
				return f.Node == e.Node && bug != "a second acquire does not end the first"
			case history.Releasing:
				return f.Node == e.Node && bug != "holds until released"
			case history.Released, history.NotHeld:
				return f.Node == e.Node && bug == "holds until released"
			case history.LostLease:
				return f.Node == e.Node && bug != "ignores the notice of loss"
			case history.Crashed:
				return (f.Node == e.Node || bug == "any crash ends a hold") && bug != "ignores crashes"
			case history.Froze:
				return f.Node == e.Node && bug == "a freeze ends a hold"
			}
			return false
		})
		if end < 0 {
			if bug != "drops holds without an end" {
				out = append(out, span{e.Node, i, len(h.Events)})
			}
			continue
		}
		out = append(out, span{e.Node, i, i + 1 + end})
	}
	return out
}

func oracleExclusion(h *history.History, bug string) Finding {
	f := Finding{Verdict: Kept, Property: MutualExclusionID}
	at := func(i int) history.Instant { return h.Events[min(i, len(h.Events)-1)].At }
	until := func(i int) history.Instant {
		if i == len(h.Events) && bug != "a hold ends with the history" {
			return math.MaxInt64
		}
		return at(i)
	}
	all := spans(h, bug)
	for j, b := range all {
		v := Violation{From: at(b.start), Clients: []history.NodeID{b.client}}
		end := -1
		for i, a := range all[:j] {
			overlap := min(until(a.end), until(b.end)) > at(b.start)
			switch bug {
			case "touching instants overlap":
				overlap = at(a.end) >= at(b.start)
			case "the order at an instant counts":
				overlap = a.end > b.start
			case "only the one who was there may be touched":
				overlap = until(a.end) > at(b.start)
			case "compares neighbours only":
				overlap = overlap && i == j-1
			case "names one holder only":
				overlap = overlap && len(v.Clients) == 1
			}
			if a.client == b.client && bug != "a second acquire does not end the first" || !overlap {
				continue
			}
			v.Clients = append(v.Clients, a.client)
			v.Events = append(v.Events, int32(a.start))
			end = max(end, min(a.end, b.end))
			if bug == "lasts until the intruder leaves" {
				end = b.end
			}
			if bug == "lasts until one holder leaves" {
				end = min(a.end, b.end)
			}
		}
		if len(v.Events) == 0 {
			continue
		}
		v.To = at(end)
		v.Events = append(v.Events, int32(b.start))
		if end < len(h.Events) {
			v.Events = append(v.Events, int32(end))
		}
		if n := len(f.Violations); bug == "counts stretches" && n > 0 && f.Violations[n-1].To > v.From {
			continue
		}
		f.add(v)
	}
	return settle(f, (len(all) > 0 || bug == "no acquisition is fine") && !oracleTogether(h, all, bug))
}

// oracleTogether reports whether two clients have the lock at one instant, in any order of events,
// and both touch the resource in it.
func oracleTogether(h *history.History, all []span, bug string) bool {
	touches := func(client history.NodeID, at history.Instant) bool {
		return slices.ContainsFunc(h.Events, func(e history.Event) bool {
			return e.At == at && e.Peer == client && slices.Contains([]history.Kind{history.ReadDone, history.WriteAccepted, history.WriteRefused}, e.Kind)
		})
	}
	for _, e := range h.Events {
		var there []history.NodeID
		for _, s := range all {
			from, to := h.Events[s.start].At, history.Instant(math.MaxInt64)
			if s.end < len(h.Events) {
				to = h.Events[s.end].At
			}
			if bug == "a hold that takes no time is none" && from == to {
				continue
			}
			if from <= e.At && e.At <= to && (touches(s.client, e.At) || bug == "every holder touches") && !slices.Contains(there, s.client) {
				there = append(there, s.client)
			}
		}
		if len(there) > 1 && bug != "what takes no time did not happen" {
			return true
		}
	}
	return false
}

// settle sets the verdict and a reason.
func settle(f Finding, tested bool) Finding {
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case !tested:
		f.Verdict, f.Reason = Unknown, say.NothingPutToTest.With()
	}
	return f
}

func oracleRelease(h *history.History, bug string) Finding {
	f := Finding{Verdict: Kept, Property: OwnerOnlyReleaseID}
	tested, doubted := bug == "no removal is fine", false
	for i, e := range h.Events {
		ownerless := e.Kind == history.Removed && e.Owner == 0 && bug != "an entry without an owner is no doubt"
		doubted = doubted || e.Peer != 0 && (ownerless || e.Kind == history.MayHaveRemoved && bug != "trusts that nothing was removed")
		byClient := e.Peer != 0 || bug == "blames the server's own doing"
		removed := e.Kind == history.Removed || bug == "takes expiry for removal" && e.Kind == history.Expired
		if !removed || !byClient || e.Owner == 0 {
			continue
		}
		tested = true
		if e.Peer == e.Owner {
			continue
		}
		asked := requestOf(h, i)
		if bug == "asks what the client does when its command comes" {
			asked = i
		}
		own := lastAction(h, e.Peer, asked) == history.Waits && slices.ContainsFunc(h.Events[i+1:], func(g history.Event) bool {
			return g.Kind == history.Granted && g.Node == e.Node && g.Owner == e.Peer && sameCommand(h, i, g)
		})
		tookOver := lastAction(h, e.Owner, i) == history.Acquired || nextAction(h, e.Owner, i) == history.Acquired && bug != "overlooks who is about to hold"
		if own && bug != "blames takeovers" || !tookOver && bug != "blames those who clear away the dead" {
			continue
		}
		grant := history.NoCause
		for k, g := range h.Events[:i] {
			sameNode := g.Node == e.Node || bug == "finds grants of other servers"
			if g.Kind == history.Granted && sameNode && g.Owner == e.Owner {
				grant = int32(k)
			}
		}
		clients := []history.NodeID{e.Peer, e.Owner}
		if bug == "blames the victim" {
			slices.Reverse(clients)
		}
		f.add(Violation{From: e.At, To: e.At, Clients: clients, Events: evidence(grant, e.Cause, int32(i))})
	}
	if doubted && bug == "a doubt outweighs a robbery" {
		return Finding{Verdict: Unknown, Property: OwnerOnlyReleaseID, Reason: say.WhichRead.With()}
	}
	return settle(f, tested && !doubted)
}

// deeds are what changes whether a client waits or holds.
var deeds = []history.Kind{
	history.Waits, history.Acquired, history.GaveUp, history.Finished,
	history.Releasing, history.LostLease, history.Crashed,
}

// lastAction is the last action of a client before event i.
func lastAction(h *history.History, client history.NodeID, i int) (kind history.Kind) {
	for _, e := range h.Events[:i] {
		if e.Node == client && slices.Contains(deeds, e.Kind) {
			kind = e.Kind
		}
	}
	return kind
}

// requestOf is the request that event i goes back to, or what is next to it in the
// chain of causes.
func requestOf(h *history.History, i int) int {
	e := h.Events[i]
	if e.Kind == history.Sent || e.Cause < 0 || int(e.Cause) >= i {
		return i
	}
	return requestOf(h, int(e.Cause))
}

// nextAction is what happens next of: the client acquires, it dies, a server makes
// an entry for it.
func nextAction(h *history.History, client history.NodeID, i int) history.Kind {
	for _, e := range h.Events[i+1:] {
		mine := e.Node == client && (e.Kind == history.Acquired || e.Kind == history.Crashed)
		if mine || e.Kind == history.Granted && e.Owner == client {
			return e.Kind
		}
	}
	return 0
}

// sameCommand reports whether all events from i up to and including g, which is
// in the history, have the cause of i.
func sameCommand(h *history.History, i int, g history.Event) bool {
	if h.Events[i].Cause == history.NoCause {
		return false
	}
	for _, e := range h.Events[i:] {
		if e.Cause != h.Events[i].Cause {
			return false
		}
		if e == g {
			return true
		}
	}
	return false
}

func oracleProgress(h *history.History, bug string) Finding {
	f := Finding{Verdict: Kept, Property: ProgressID}
	kind := func(k history.Kind, probe bool) func(history.Event) bool {
		return func(e history.Event) bool {
			return e.Kind == k && (h.Role(e.Node) == history.RoleProbe) == probe
		}
	}
	healed := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Healed })
	if bug == "measures from the start" && healed >= 0 {
		healed = 0
	}
	if healed < 0 {
		return settle(f, bug == "no quiet period is fine")
	}
	if h.Header.Lease <= 0 {
		return settle(f, false)
	}
	quiet := h.Events[healed:]
	answer := slices.IndexFunc(quiet, func(e history.Event) bool {
		anyone := bug == "anybody's acquisition is an answer" && e.Kind == history.Acquired
		return kind(history.Acquired, true)(e) || kind(history.GaveUp, true)(e) || anyone
	})
	waits := slices.IndexFunc(quiet, kind(history.Waits, true))
	if answer < 0 {
		if waits < 0 {
			return settle(f, false)
		}
		answer = len(quiet) - 1
	}
	got := quiet[answer].Kind == history.Acquired && (h.Role(quiet[answer].Node) == history.RoleProbe || bug == "anybody's acquisition is an answer")
	if waits > answer {
		waits = -1
	}
	moved := -1
	for i := range quiet[:answer+1] {
		if kind(history.Acquired, false)(quiet[i]) && bug != "an acquisition by others does not restart the clock" {
			moved = i
		}
	}
	from, to := quiet[max(moved, 0)].At, quiet[answer].At
	bound := ProgressBound(h.Header.Lease)
	if got && bug == "late is fine" || got && to.Sub(from) < bound ||
		got && to.Sub(from) == bound && bug != "the bound itself is too late" {
		return f
	}
	if to.Sub(from) < bound && bug != "any failure is an answer" || to.Sub(from) == bound && bug == "needs more than the bound" {
		return settle(f, false)
	}
	v := Violation{From: from, To: to, Clients: []history.NodeID{quiet[answer].Node}}
	if waits >= 0 {
		v.Clients[0] = quiet[waits].Node
	}
	for _, s := range spans(&history.History{Header: h.Header, Events: h.Events[:healed+answer+1]}, bug) {
		if s.end == healed+answer+1 && s.client != v.Clients[0] {
			if bug == "excuses a lock that is held" {
				return f
			}
			v.Clients = append(v.Clients, s.client)
		}
	}
	ids := []int32{int32(healed)}
	for _, i := range []int{moved, waits, answer} {
		if i >= 0 {
			ids = append(ids, int32(healed+i))
		}
	}
	v.Events = evidence(ids...)
	f.add(v)
	return settle(f, true)
}

func oracleLostUpdate(h *history.History, bug string) Finding {
	f := Finding{Verdict: Kept, Property: NoLostUpdateID}
	writes, judged := 0, 0
	for i, w := range h.Events {
		if w.Kind != history.WriteAccepted && (bug != "judges refused writes" || w.Kind != history.WriteRefused) {
			continue
		}
		writes++
		if w.Cause < 0 || h.Events[w.Cause].Kind != history.ReadDone ||
			h.Events[w.Cause].Node != w.Node && bug != "mixes resources" {
			continue
		}
		judged++
		var version int64
		last, known := history.NoCause, false
		for k, e := range h.Events[:i] {
			switch {
			case e.Node != w.Node && bug != "mixes resources":
			case e.Kind == history.ReadDone && !known, e.Kind == history.ReadDone && bug == "trusts every read":
				version, known = e.Value, true
			case e.Kind == history.WriteAccepted:
				version, known, last = e.Value, true, int32(k)
			}
		}
		read := h.Events[w.Cause]
		lost := read.Value != version
		switch bug {
		case "compares with the new version":
			lost = read.Value != w.Value-1
		case "any access between is a loss":
			lost = int(w.Cause) != i-1
		case "compares tokens":
			lost = read.Token > w.Token
		case "only older versions are outdated":
			lost = read.Value < version-1
		}
		if !lost {
			continue
		}
		v := Violation{From: w.At, To: w.At, Clients: []history.NodeID{w.Peer}, Events: evidence(w.Cause, last, int32(i))}
		if last >= 0 && h.Events[last].Peer != w.Peer {
			v.Clients = append(v.Clients, h.Events[last].Peer)
		}
		f.add(v)
	}
	return settle(f, writes > 0 && (judged == writes || bug == "a write without a read is fine"))
}

func oracleStaleWrite(h *history.History, bug string) Finding {
	f := Finding{Verdict: Kept, Property: NoStaleWriteID}
	tested, doubted := false, false
	for i, w := range h.Events {
		if w.Kind != history.WriteAccepted && w.Kind != history.WriteRefused {
			continue
		}
		tested = tested || w.Kind == history.WriteAccepted || bug != "refused writes are no test"
		if w.Kind == history.WriteRefused && bug != "judges refused writes" {
			continue
		}
		before, read := i, history.NoCause
		if r := readOf(h, int32(i)); r != nil && (r.Peer == w.Peer || bug == "takes anybody's read") && bug != "ignores the read" {
			before, read = int(w.Cause), w.Cause
		}
		own, other, newest, order := -1, -1, -1, ""
		for k, e := range h.Events[:i] {
			if e.Kind == history.Acquired && e.Node == w.Peer && k < before {
				own = k
			}
		}
		for k, e := range h.Events[:i] {
			same := e.Node == w.Peer && (bug != "own acquisitions make stale" || k < before)
			if e.Kind != history.Acquired || same || e.At >= w.At && bug != "the same instant is harm" {
				continue
			}
			isLast := !slices.ContainsFunc(h.Events[k+1:i], func(f history.Event) bool {
				return f.Kind == history.Acquired && f.Node == e.Node && (f.At < w.At || bug == "the same instant is harm")
			})
			if !isLast {
				continue
			}
			switch oracleOrder(h, own, k, bug) {
			case "later":
				order = "later"
				if _, to, _, _ := grantedIn(h, k, bug); to > newest {
					other, newest = k, to
				}
			case "unsure":
				if order == "" {
					order = "unsure"
				}
			}
		}
		doubted = doubted || order == "unsure"
		stale := order == "later"
		holding := func(client history.NodeID) bool {
			return slices.ContainsFunc(spans(h, ""), func(s span) bool { return s.client == client && s.start < i && s.end > i })
		}
		switch bug {
		case "the other must hold still":
			stale = stale && holding(h.Events[other].Node)
		case "the writer must hold still":
			stale = stale && holding(w.Peer)
		case "only a holder may write":
			stale = !holding(w.Peer)
		case "any other acquisition makes stale":
			other = slices.IndexFunc(h.Events[:i], func(e history.Event) bool { return e.Kind == history.Acquired && e.Node != w.Peer })
			stale = other >= 0
		case "ignores writers without a hold":
			stale = stale && own >= 0
		}
		if stale {
			f.add(Violation{From: w.At, To: w.At, Clients: []history.NodeID{w.Peer, h.Events[max(other, 0)].Node},
				Events: evidence(int32(own), int32(other), read, int32(i))})
		}
	}
	if doubted && bug == "a doubt outweighs a stale write" {
		return Finding{Verdict: Unknown, Property: NoStaleWriteID, Reason: say.WhichRead.With()}
	}
	return settle(f, tested && (!doubted || bug == "a doubt is no harm"))
}

// oracleOrder says whether the acquisition at event b was granted later than that of another
// client at event a, -1 for none: "later", "earlier" or "unsure".
func oracleOrder(h *history.History, a, b int, bug string) string {
	if a < 0 {
		return "later"
	}
	fromA, toA, beliefA, entryA := grantedIn(h, a, bug)
	fromB, toB, beliefB, entryB := grantedIn(h, b, bug)
	tokenA, tokenB := h.Events[a].Token, h.Events[b].Token
	later := b > a
	switch {
	case bug == "belief decides":
	case (bug == "tokens decide" || entryA != entryB && bug != "a reply is a grant") && tokenA > 0 && tokenB > 0 && tokenA != tokenB:
		later = tokenB > tokenA
	case !beliefA && !beliefB && (toA < fromB || toB < fromA):
		later = toA < fromB
	case tokenA > 0 && tokenB > 0 && tokenA != tokenB && bug != "ignores tokens":
		later = tokenB > tokenA
	case !beliefA && !beliefB && bug != "guesses":
		return "unsure"
	}
	if later {
		return "later"
	}
	return "earlier"
}

// grantedIn returns the events between which the store granted the acquisition at event i, and
// whether it made an entry; when nothing says so, belief is all there is.
func grantedIn(h *history.History, i int, bug string) (from, to int, belief, entry bool) {
	me, begin := h.Events[i].Node, 0
	for k, e := range h.Events[:i] {
		if e.Node == me && (e.Kind == history.Acquired || e.Kind == history.Waits) && bug != "takes the grant of an earlier round" {
			begin = k + 1
		}
	}
	granted, replied := -1, -1
	for k := begin; k < i; k++ {
		e := h.Events[k]
		if e.Kind == history.Granted && (e.Owner == me || bug == "takes anybody's grant") && bug != "ignores grants" {
			granted = k
		}
		if e.Kind == history.Replied && e.Node == me {
			replied = k
		}
	}
	switch {
	case granted >= 0:
		return granted, granted, false, true
	case replied < 0 || h.Events[replied].Cause < 0 || int(h.Events[replied].Cause) >= replied:
		return i, i, true, false
	case h.Events[h.Events[replied].Cause].Kind == history.Executed && bug != "ignores the execution":
		return int(h.Events[replied].Cause), int(h.Events[replied].Cause), false, false
	}
	return int(h.Events[replied].Cause), replied, false, false
}

var oracles = map[string]func(h *history.History, bug string) Finding{
	MutualExclusionID:  oracleExclusion,
	OwnerOnlyReleaseID: oracleRelease,
	ProgressID:         oracleProgress,
	NoLostUpdateID:     oracleLostUpdate,
	NoStaleWriteID:     oracleStaleWrite,
}

// compare returns a description of the first property for which the checker and
// the oracle differ, or "". Holds and overlaps are compared, too.
func compare(h *history.History) string {
	all := spans(h, "")
	if got := holds(h); !slices.Equal(got, all) {
		return fmt.Sprintf("holds %v, want %v", got, all)
	}
	if got, want := survey(h).overlap, overlap(h, all); got != want {
		return fmt.Sprintf("overlap %v, want %v", got, want)
	}
	for _, p := range All() {
		oracle := oracles[p.ID]
		if oracle == nil {
			continue // TestEveryPropertyIsTried says so
		}
		got, want := show(h, p.Check(h)), show(h, oracle(h, ""))
		if got != want {
			return p.ID + "\n got " + got + "\nwant " + want
		}
	}
	return ""
}

// smallest leaves out all events without which the checker and the oracle still differ.
func smallest(h *history.History) *history.History {
	for i := range int32(len(h.Events)) {
		less := history.New(h.Header)
		for k, e := range h.Events {
			switch {
			case e.Cause == i:
				e.Cause = history.NoCause
			case e.Cause > i:
				e.Cause--
			}
			if int32(k) != i {
				less.Add(e)
			}
		}
		if compare(less) != "" {
			return smallest(less)
		}
	}
	return h
}

// overlap is the total length of the steps between events during which two or more clients hold.
func overlap(h *history.History, all []span) time.Duration {
	sum := history.Instant(0)
	for i := range len(h.Events) - 1 {
		holders := 0
		for _, s := range all {
			holders += count(s.start <= i && s.end > i)
		}
		if holders > 1 {
			sum += h.Events[i+1].At - h.Events[i].At
		}
	}
	return sum.Duration()
}

// holds are those of package history as ranges of events.
func holds(h *history.History) (out []span) {
	for _, hold := range history.Holds(h) {
		end := int(hold.EndEvent)
		if hold.EndEvent == history.NoCause {
			end = len(h.Events)
		}
		out = append(out, span{hold.Client, int(hold.StartEvent), end})
	}
	return out
}

// describe prints a history in the language of parse.
func describe(h *history.History) (out string) {
	name := func(id history.NodeID) string {
		if id == 0 {
			return "-"
		}
		return h.Name(id)
	}
	for _, e := range h.Events {
		out += fmt.Sprintf("%s %s %v peer=%s owner=%s token=%d value=%d cause=%d\n",
			seconds(e.At), name(e.Node), e.Kind, name(e.Peer), name(e.Owner), e.Token, e.Value, e.Cause)
	}
	return out
}
