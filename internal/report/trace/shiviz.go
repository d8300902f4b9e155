package trace

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
)

// MaxShivizEvents is how many events of one run the log for ShiViz has at most. Its
// diagram draws every one of them as a dot that somebody is to look at.
const MaxShivizEvents = 5_000

// shivizClocks bounds the numbers that all vector clocks of a run have together.
const shivizClocks = 500_000

// The first two lines of a file that ShiViz opens: how an event is written, and
// what stands between two runs. `at` is true time, shown beside the event.
const shivizHead = `(?<at>\S* s) (?<event>.*)\n(?<host>\S*) (?<clock>{.*})` + "\n" + `^=== (?<trace>.*) ===$` + "\n"

// Shiviz writes the runs of a bundle as a log that ShiViz draws: two lines per
// event, what happened and the vector clock of the node it happened on.
//
// The clocks are derived from the causes of the history. An event counts its own
// node up and takes over what its cause knew. The guarded resource is asked
// without messages: a read or write knows what its client knew, and the client
// then knows what the resource did. What is left out of a long history still
// hands on what it knew, so the order that is shown is never wrong.
func Shiviz(b *bundle.Bundle) []byte {
	var out strings.Builder
	out.WriteString(shivizHead)
	for i := range b.Runs {
		r := &b.Runs[i]
		if r.Judgement.History == nil {
			continue
		}
		fmt.Fprintf(&out, "=== %s ===\n", strings.ReplaceAll(clean.Text(r.Lock, clean.MaxName), "=", "-"))
		shivizRun(&out, r)
	}
	return []byte(out.String())
}

func shivizRun(out *strings.Builder, r *bundle.Run) {
	h := r.Judgement.History
	s := vectors{h: h, hosts: hostNames(h), known: make([][]int32, len(h.Header.Nodes)+1)}
	s.at = make([]int32, len(h.Events))
	for _, host := range s.hosts {
		s.quoted = append(s.quoted, jsonString(host))
	}
	scope := scopeOf(h, r.Judgement.Findings, min(MaxShivizEvents, shivizClocks/len(s.known)))
	told := map[int32]string{} // sentences of the story
	if scope.notice == "" {
		for _, step := range explain.Steps(h, r.Judgement.Findings) {
			told[step.Event] = step.Sentence.English()
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		shown := scope.has(e.At) && (scope.wire || !e.Kind.OnWire())
		node := s.observe(int32(i), shown)
		if !shown {
			continue
		}
		text := told[int32(i)]
		if text == "" {
			text = InWords(h, i).English()
		}
		for _, part := range []string{e.At.String(), " ", cleaned(text, clean.MaxLine), "\n", s.hosts[node], " "} {
			out.WriteString(part)
		}
		s.write(out, node)
	}
	if scope.notice != "" {
		fmt.Fprintf(out, "%s %s\nlockstep {\"lockstep\":1}\n", h.End(), clean.Text(scope.notice, clean.MaxLine))
	}
}

// vectors keeps the vector clocks of a run.
type vectors struct {
	h      *history.History
	hosts  []string  // by NodeID
	quoted []string  // the same as JSON
	known  [][]int32 // by NodeID: its clock; never changed in place, so that it can be kept
	kept   [][]int32 // the clocks of events, without the repetitions
	at     []int32   // by event: index into kept plus one, 0: none
}

// observe lets a node take part in event i and returns the node. An event that
// is not shown does not count.
func (s *vectors) observe(i int32, shown bool) history.NodeID {
	e := &s.h.Events[i]
	node := s.node(e.Node)
	if e.Cause >= 0 && e.Cause < i && s.at[e.Cause] > 0 {
		s.learn(node, s.kept[s.at[e.Cause]-1])
	}
	client := history.NodeID(0)
	if e.Kind == history.ReadDone || e.Kind == history.WriteAccepted || e.Kind == history.WriteRefused {
		client = s.node(e.Peer)
		s.learn(node, s.known[client])
	}
	if shown {
		clock := s.grown(node)
		clock[node]++
		s.known[node] = clock
	}
	if client != 0 {
		s.learn(client, s.known[node])
	}
	if n := len(s.kept); n == 0 || !same(s.kept[n-1], s.known[node]) {
		s.kept = append(s.kept, s.known[node])
	}
	s.at[i] = int32(len(s.kept))
	return node
}

// node maps what the header does not know to nobody.
func (s *vectors) node(id history.NodeID) history.NodeID {
	if int(id) >= len(s.known) {
		return 0
	}
	return id
}

// grown returns a copy of a node's clock with room for every node.
func (s *vectors) grown(node history.NodeID) []int32 {
	clock := make([]int32, len(s.known))
	copy(clock, s.known[node])
	return clock
}

// learn raises a node's clock to what another clock knows.
func (s *vectors) learn(node history.NodeID, other []int32) {
	mine := s.known[node]
	for i, n := range other {
		if i >= len(mine) || n > mine[i] {
			mine = s.grown(node)
			for j, m := range other {
				mine[j] = max(mine[j], m)
			}
			s.known[node] = mine
			return
		}
	}
}

// same reports whether two clocks are one and the same slice.
func same(a, b []int32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// write writes a node's clock, the other nodes in the order of the header.
func (s *vectors) write(out *strings.Builder, node history.NodeID) {
	out.WriteByte('{')
	first := true
	for id, n := range s.known[node] {
		if n == 0 {
			continue
		}
		if !first {
			out.WriteString(", ")
		}
		first = false
		out.WriteString(s.quoted[id])
		out.WriteByte(':')
		out.WriteString(strconv.Itoa(int(n)))
	}
	out.WriteString("}\n")
}

// hostNames gives every node a name without blanks that no other node has. What
// happens nowhere, such as the end of all faults, happens at "run".
func hostNames(h *history.History) []string {
	hosts := []string{"run"}
	taken := map[string]bool{"run": true, "lockstep": true}
	for id, n := range h.Header.Nodes {
		name := strings.NewReplacer(" ", "_", "{", "(", "}", ")", `"`, "'", `\`, "/").Replace(clean.Text(n.Name, clean.MaxName))
		for taken[name] || name == "" {
			name = fmt.Sprintf("%s#%d", name, id+1)
		}
		taken[name] = true
		hosts = append(hosts, name)
	}
	return hosts
}
