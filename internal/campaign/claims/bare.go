package claims

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
)

// Sessions with bare models of stores, without network and clients.

// session executes the commands of a play on a new server and keeps the replies that have a name.
func (x *experiment) session(p *play, key []string) {
	do, ok := map[string]func(*experiment) func(command string) cell{"redis": onRedis, "etcd": onEtcd, "mysql": onMySQL}[p.Bare]
	if !ok {
		x.lab.Fail("there is no model of %q", p.Bare)
	}
	exec := do(x)
	for _, command := range p.Do {
		switch command := command.(type) {
		case string:
			exec(command)
		case yaml.MapSlice: // with the name of its reply
			reply := exec(fmt.Sprint(command[0].Value))
			reply.key = key
			x.add(fmt.Sprint(command[0].Key), reply)
		}
	}
}

// onRedis executes commands as typed; EVAL takes the name of a script of the claim, TAIRSTRING
// loads that module, PASS lets time pass. An array is kept as numbers: 1 for each error in it, 0
// for anything else.
func onRedis(x *experiment) func(string) cell {
	s, transaction, nowMS := redis.New(), &redis.Transaction{}, int64(0)
	return func(command string) cell {
		words := strings.Fields(command)
		var cmd redis.Cmd
		switch words[0] {
		case "TAIRSTRING":
			s.Extensions = redis.TairString
			return cell{}
		case "PASS":
			d, _ := time.ParseDuration(words[1])
			nowMS += d.Milliseconds()
			return cell{}
		case "EVAL":
			cmd = redis.Eval(&redis.Script{Name: "experiment", Source: x.Scripts[words[1]]}, words[2])
			for _, a := range words[3:] {
				cmd = cmd.Text(a)
			}
		default:
			cmd = redis.Command(words[0], words[1:]...)
		}
		r := s.ExecIn(transaction, nowMS, history.NodeID(1), &cmd)
		if r.Kind == redis.ReplyArray {
			var c cell
			for _, e := range r.Elements() {
				c.values = append(c.values, truth(e.Kind == redis.ReplyError))
			}
			return c
		}
		said := strings.TrimSpace(r.String())
		if words[0] == "EVAL" && r.Kind == redis.ReplyError {
			said, _, _ = strings.Cut(r.Err.Error(), " ") // the rest names the script
		}
		return cell{texts: []text{{say.Both{English: said}, r.Answer()}}}
	}
}

// onEtcd executes transactions: PUT and GET with keys, CREATE with one that must not exist yet. It
// answers with the revision, and CREATED with the revision in which a key was created.
func onEtcd(x *experiment) func(string) cell {
	s, id := etcd.New(etcd.Config{}), uint64(0)
	return func(command string) cell {
		words := strings.Fields(command)
		kind := etcd.Put
		if words[0] == "GET" || words[0] == "CREATED" {
			kind = etcd.Get
		}
		var t etcd.Txn
		for _, key := range words[1:] {
			t.Then = append(t.Then, etcd.Op{Kind: kind, Key: key})
			if words[0] == "CREATE" {
				t.If = append(t.If, etcd.Compare{Key: key}) // that it does not exist
			}
		}
		id++
		answer, done := s.Exec(store.Clock{}, id, conn(1), t)
		if answer.Err != nil || !done {
			x.lab.Fail("etcd refuses %s: %s", command, answer.Text)
		}
		res := answer.Value.(etcd.Result)
		if words[0] == "CREATED" {
			return cell{values: []int64{res.Responses[0].KVs[0].CreateRevision}}
		}
		return cell{values: []int64{res.Revision}}
	}
}

// onMySQL executes statements, each after the number of its session: "1 BEGIN", "1 KILL". Its only
// table, resources, has the row r, 1. It answers with the first number.
func onMySQL(x *experiment) func(string) cell {
	db, id := sql.New(sql.Config{Flavour: sql.MySQL, Setup: []sql.Stmt{
		{Query: "CREATE TABLE resources (name VARCHAR(64) NOT NULL PRIMARY KEY, version BIGINT NOT NULL)"},
		{Query: "INSERT INTO resources (name, version) VALUES ('r', 1)"},
	}}), uint64(0)
	return func(command string) (out cell) {
		number, query, _ := strings.Cut(command, " ")
		session := conn(int(number[0] - '0'))
		if query == "KILL" {
			db.Closed(store.Clock{}, session)
			return out
		}
		id++
		answer, done := db.Exec(store.Clock{}, id, session, sql.Stmt{Query: query})
		if answer.Err != nil || !done {
			x.lab.Fail("%s: %v", query, answer.Err)
		}
		if res, _ := answer.Value.(sql.Result); len(res.Rows) > 0 {
			out.values = append(out.values, res.Rows[0][0].Num)
		}
		return out
	}
}

// conn is the connection of a client, numbered from 1.
func conn(client int) store.Conn {
	return store.Conn{ID: uint64(client), Client: history.NodeID(client)}
}
