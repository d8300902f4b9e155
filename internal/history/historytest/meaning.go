package historytest

import (
	"strconv"
	"strings"

	"lockstep/internal/history"
)

// Add adds an event. A request or an answer of no known meaning gets the one that its text has.
func Add(h *history.History, e history.Event) int32 {
	switch {
	case e.Kind == history.Sent:
		Request(h, h.Text(e.Text))
	case (e.Kind == history.Executed || e.Kind == history.Replied) && !h.HasAnswer(e.Text):
		h.SetAnswer(e.Text, readAnswer(h.Text(e.Text)))
	}
	return h.Add(e)
}

// Request interns the text of a request.
func Request(h *history.History, text string) history.TextID {
	id := h.Intern(text)
	if !h.HasOp(id) {
		h.SetOp(id, readOp(text))
	}
	return id
}

func readOp(text string) history.Op {
	words := strings.Fields(text)
	if len(words) == 0 {
		return history.Op{}
	}
	op := history.Op{Name: words[0], Does: effects[words[0]]}
	switch {
	case len(words) > 1 && (op.Name == "EVAL" || op.Name == "EVALSHA"):
		op.Name, op.Script, op.Frees = words[1], true, words[1] == "unlock" || words[1] == "cancel"
		if _, err := strconv.ParseUint(words[1][:min(len(words[1]), 16)], 16, 64); err == nil && len(words[1]) == 40 { // a hash
			op.Trigger = words[0]
		}
	case op.Name == "SELECT":
		op.Name = calledFunction(text)
	case op.Name == "DELETE":
		version, err := strconv.Atoi(words[len(words)-1])
		op.Checks = len(words) == 3 && err == nil && version >= 0 // of ZooKeeper
	case op.Name == "GET":
		op.Blocks = len(words) > 2 && words[2] == "INDEX" // of Consul
	}
	op.Watches = op.Name == "WATCH" || strings.HasSuffix(text, " WATCH")
	return op
}

// effects are the effects that follow from the first word of a text.
var effects = map[string]history.Effect{
	"CONNECT": history.Opens, "SESSION": history.Opens, "GRANT": history.Opens, "PING": history.KeepsAlive, "KEEPALIVE": history.KeepsAlive, "RENEW": history.KeepsAlive,
	"BEGIN": history.NoEntry, "SUBSCRIBE": history.NoEntry, "WATCH": history.NoEntry, "SETWATCHES": history.NoEntry,
	"DEL": history.Removes,
}

// calledFunction is the function that a SELECT without a table calls; SELECT for any other.
func calledFunction(query string) string {
	name, _, called := strings.Cut(strings.TrimSpace(strings.TrimPrefix(query, "SELECT")), "(")
	word := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if !called || name == "" || strings.ContainsFunc(name, word) || strings.Contains(strings.ToUpper(query), " FROM ") {
		return "SELECT"
	}
	return strings.ToUpper(name)
}

func readAnswer(text string) (a history.Answer) {
	var refused bool
	if a.Refused, refused = strings.CutPrefix(text, "(error) "); !refused {
		a.Refused = ""
	}
	a.Unable = strings.HasPrefix(a.Refused, "NOREPLICAS ")
	a.Redirected = strings.HasPrefix(a.Refused, "MOVED ") || strings.HasPrefix(a.Refused, "CLUSTERDOWN ")
	a.Nil = text == "(nil)"
	if digits, ok := strings.CutPrefix(text, "(integer) "); ok {
		n, err := strconv.ParseInt(digits, 10, 64)
		a.Number, a.Numeric = n, err == nil
	}
	if _, rest, ok := strings.Cut(text, "revision "); ok {
		digits, _, _ := strings.Cut(rest, ",")
		a.Revision, _ = strconv.ParseInt(digits, 10, 64)
	}
	return a
}
