package real

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/store/consul"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
	"lockstep/internal/store/sql"
	"lockstep/internal/store/zookeeper"
)

// ask says what a test has typed of a request; the word of an owner may follow a script as owner=T.
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

// redisRequest is a command; a name alone is the plainest one about the lock's entry.
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

// hear says what a test has typed of an answer.
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
