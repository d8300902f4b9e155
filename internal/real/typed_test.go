package real

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store/consul"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
	"lockstep/internal/store/sql"
	"lockstep/internal/store/zookeeper"
)

// The nodes of scripts.
const (
	nodeA   history.NodeID = 1
	nodeOne history.NodeID = 8 // a server
	nodeTwo history.NodeID = 9
)

var nodeNames = map[history.NodeID]string{0: "-", nodeA: "A", 2: "B", 3: "C", nodeOne: "one", nodeTwo: "two"}

func nodeOf(name string) history.NodeID {
	for id, its := range nodeNames { // order: one has the name
		if its == name {
			return id
		}
	}
	return 0
}

// script builds the entries of a run from one line per event, or per request with its reply. Times
// are in milliseconds.
//
//	12 A sent 3 SET        at 12 A sends its command number 3
//	13 A replied 3 OK      the reply arrives
//	12-13 A 3 SET -> OK    both; "-> broken" if the connection ends
//	13 A acquired
//	20 one restarted empty
//	21 two promoted one    in the place of one
//
// Commands go to server one, or to two if @two follows. Those whose number ends with w are the
// watchdog's. Without a number they have that of the line. A last word owner=T says that the
// command compares the entry's owner with T.
func script(t *testing.T, text string) []entry {
	t.Helper()
	var out []entry
	line := 0
	event := func(at, who, what string, words []string, server history.NodeID) {
		kind, ok := history.ParseKind(what)
		if !ok {
			t.Fatalf("unknown event: %s %s %s", at, who, what)
		}
		ms := must.Get(strconv.ParseInt(at, 10, 64))(t)
		e := entry{Event: history.Event{At: history.Instant(ms * 1e6), Kind: kind, Node: nodeOf(who)}, call: int64(line), server: server}
		if len(words) > 0 && words[0][0] >= '0' && words[0][0] <= '9' {
			fmt.Sscan(words[0], &e.call)
			if strings.HasSuffix(words[0], "w") {
				e.task = ports.Watchdog
			}
			words = words[1:]
		}
		switch said := strings.Join(words, " "); kind {
		case history.Sent:
			e.ask(t, said)
		case history.Replied:
			if e.hear(said); said == "broken" {
				e.Kind, e.broken = history.TimedOut, true
			}
		case history.ReplyDropped:
			e.Node, e.Peer = 0, e.Node
		case history.Promoted, history.Demoted:
			e.Peer = nodeOf(said)
		case history.Restarted:
			e.empty = said == "empty"
		}
		out = append(out, e)
	}
	for text := range strings.Lines(strings.TrimSpace(text)) {
		text, two := strings.CutSuffix(strings.TrimSpace(text), " @two")
		if text == "" {
			continue
		}
		line++
		server := nodeOne
		if two {
			server = nodeTwo
		}
		f := strings.Fields(text)
		from, until, both := strings.Cut(f[0], "-")
		if !both {
			event(from, f[1], f[2], f[3:], server)
			continue
		}
		reply := slices.Index(f, "->")
		answer := f[reply+1:]
		if f[2][0] >= '0' && f[2][0] <= '9' {
			answer = append([]string{f[2]}, answer...)
		}
		event(from, f[1], "sent", f[2:reply], server)
		event(until, f[1], "replied", answer, server)
	}
	inOrder(out)
	return out
}

// concludes compares events of entries: the time, the event, the owner, the client, and the server
// unless it is one.
func concludes(t *testing.T, out []entry, want ...string) {
	t.Helper()
	inOrder(out)
	var got []string
	for _, e := range out {
		text := fmt.Sprintf("%d %v %s by %s", time.Duration(e.At)/time.Millisecond, e.Kind, nodeNames[e.Owner], nodeNames[e.Peer])
		if e.Node != nodeOne {
			text += " on " + nodeNames[e.Node]
		}
		got = append(got, text)
	}
	must.Slices(t, got, want)
}

// ask sets the request that a test has typed. A script may be followed by owner=T.
func (e *entry) ask(t *testing.T, text string) {
	t.Helper()
	text, owner, _ := strings.Cut(text, " owner=")
	e.text, e.op, e.words = text, request(t, strings.Fields(text), text), text
	if words := strings.Fields(text); e.op.Script && len(words) > 2 {
		e.words = resp.Words(append([]string{"EVAL", "", ""}, words[2:]...))
	}
	if owner != "" {
		e.op.Owner, e.op.Does = owner, history.RemovesOwn
	}
}

func request(t *testing.T, words []string, text string) history.Op {
	t.Helper()
	after := func(word string) string {
		for i, w := range words[:len(words)-1] {
			if w == word {
				return strings.TrimSuffix(words[i+1], ";")
			}
		}
		return ""
	}
	var r ports.Request
	switch ofZooKeeper := len(words) > 1 && strings.HasPrefix(words[1], "/"); {
	case words[0] == "CONNECT":
		r = zookeeper.Connect{}
	case words[0] == "PING":
		r = zookeeper.Ping{}
	case words[0] == "CLOSE":
		r = zookeeper.Close{}
	case words[0] == "CREATE" && ofZooKeeper:
		r = zookeeper.Create{Path: words[1]}
	case words[0] == "DELETE" && ofZooKeeper:
		r = zookeeper.Delete{Path: words[1], Version: -1}
	case words[0] == "EXISTS" && ofZooKeeper:
		r = zookeeper.Exists{Path: words[1], Watch: true}
	case words[0] == "CHILDREN":
		r = zookeeper.Children{Path: words[1]}
	case words[0] == "TXN":
		compared, _ := strings.CutPrefix(strings.TrimSuffix(after("IF"), ")"), "create(")
		r = etcd.Txn{If: []etcd.Compare{{Key: compared}}, Then: []etcd.Op{{Kind: etcd.Put, Key: after("PUT")}}}
	case words[0] == "REVOKE":
		r = etcd.Revoke{}
	case words[0] == "DELETE" && words[1] != "FROM":
		r = etcd.Op{Kind: etcd.Delete, Key: words[1]}
	case words[0] == "SESSION":
		r = consul.CreateSession{}
	case words[0] == "DESTROY":
		r = consul.DestroySession{}
	case words[0] == "ACQUIRE":
		r = consul.Acquire{Key: words[1]}
	case words[0] == "RELEASE":
		r = consul.Release{Key: words[1]}
	case strings.HasSuffix(words[0], "_LOCK") || strings.HasSuffix(words[0], "_UNLOCK"):
		r = sql.Stmt{Query: "SELECT " + words[0] + "('lock')"}
	case slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "SELECT"}, words[0]):
		r = sql.Stmt{Query: text}
	default:
		return redisRequest(words)
	}
	return r.Op()
}

// redisRequest parses a command; a name alone stands for one about the lock's entry.
func redisRequest(words []string) history.Op {
	var cmd redis.Cmd
	switch {
	case words[0] == "EVAL":
		words = append(words, "", locks.Key)
		cmd = redis.Eval(&redis.Script{Name: words[1]}, words[2])
	case len(words) == 1:
		cmd = redis.Command(words[0], locks.Key, "token", "NX")
	default:
		cmd = redis.Command(words[0], words[1:]...)
	}
	return cmd.Op()
}

// hear sets the answer that a test has typed.
func (e *entry) hear(text string) {
	e.text = text
	words := strings.Fields(text + " -")
	if rows, err := strconv.ParseInt(words[0], 10, 64); err == nil {
		e.answer = history.Number(rows)
	}
	if n, ok := strings.CutPrefix(text, "(integer) "); ok {
		number, _ := strconv.ParseInt(n, 10, 64)
		e.answer = history.Number(number)
	}
	if refused, ok := strings.CutPrefix(text, "(error) "); ok {
		e.answer.Refused, e.answer.Redirected = refused, strings.HasPrefix(refused, "MOVED")
	}
	for _, mark := range []string{"session ", "locked by "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			e.answer.Session, _, _ = strings.Cut(rest, ",")
		}
	}
	switch {
	case text == "(nil)":
		e.answer.Nil = true
	case text == "true":
		e.answer = history.Number(1)
	case text == "false":
		e.answer = history.Number(0)
	case strings.HasPrefix(text, "s-"):
		e.answer.Session = text
	}
}
