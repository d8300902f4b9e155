package claims

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"lockstep/internal/history"
	"lockstep/internal/locks/timerwheel"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
	"lockstep/internal/store/zookeeper"
)

// experiments need neither stories nor commands; plays refer to them by these names.
var experiments = map[string]func(*experiment){
	"timer wheel":       timerWheel,
	"sessions":          sessions,
	"nodes that forget": nodesThatForget,
}

// set adds to a figure of an experiment.
func (x *experiment) set(name string, values ...int64) {
	x.add(name, cell{key: []string{""}, values: values})
}

// timerWheel turns a wheel of 8 slots and 1 s with timers of several delays: in which slot each
// ran, on which pass. It also measures how late timers run, negative for early: they start at all
// parts of a tick, with all delays up to two and a half rounds.
func timerWheel(x *experiment) {
	const slots, tick, step = 8, time.Second, 50 * time.Millisecond
	wheel := timerwheel.New[int](slots, tick, 0)
	for _, delay := range []int{17, 9, 5, 1} {
		wheel.Add(0, time.Duration(delay)*time.Second, delay)
	}
	for i := range 3 * slots {
		for _, delay := range wheel.Advance(time.Duration(i+1) * tick) { // a slot is visited at the end of its tick
			x.set(fmt.Sprintf("slot%d", delay), int64(i%slots))
			x.set(fmt.Sprintf("pass%d", delay), int64(i/slots+1))
		}
	}
	for start := time.Duration(0); start < tick; start += step {
		wheel := timerwheel.New[time.Duration](slots, tick, 0)
		for delay := step; delay <= 20*tick; delay += step {
			wheel.Add(start, delay, start+delay)
		}
		for now := start; now <= start+22*tick; now += step {
			for _, due := range wheel.Advance(now) {
				x.set("late", int64(now-due))
			}
		}
	}
}

// sessions lets twenty clients of a bare ensemble make a node each and fall silent half a second
// apart; one more stays alive. It measures how long after the last sign each session ended, whether
// on a whole tick, in how many batches, and whether the living client's node exists after 30 s.
func sessions(x *experiment) {
	const silent, timeout, tick, step = 20, 10 * time.Second, 2 * time.Second, 500 * time.Millisecond
	m, id := zookeeper.New(zookeeper.Config{Tick: tick}), uint64(0)
	ask := func(at time.Duration, client int, op store.Op) any {
		id++
		a, _ := m.Exec(store.Clock{Mono: at}, id, conn(client), op)
		if a.Err != nil {
			x.lab.Fail("ZooKeeper refuses %s: %v", op.Op().Name, a.Err)
		}
		return a.Value
	}
	node := func(client int) string { return fmt.Sprintf("/client-%d", client) }
	const living = silent + 1
	for client := 1; client <= living; client++ {
		ask(0, client, zookeeper.Connect{Timeout: timeout})
		ask(0, client, zookeeper.Create{Path: node(client), Mode: zookeeper.Ephemeral})
	}
	there := func(at time.Duration, client int) bool {
		return ask(at, living, zookeeper.Exists{Path: node(client)}).(zookeeper.Found).Stat != nil
	}
	ended := map[int]bool{} // by client; never iterated
	for at := step; at <= 30*time.Second; at += step {
		for client := int(at / step); client <= silent; client++ {
			ask(at, client, zookeeper.Ping{}) // the others live until their last sign
		}
		ask(at, living, zookeeper.Ping{})
		before := len(ended)
		for client := 1; client <= silent && client <= int(at/step); client++ {
			if !ended[client] && !there(at, client) {
				ended[client] = true
				x.set("ended", int64(at-time.Duration(client)*step))
				x.set("whole", truth(at%tick == 0))
			}
		}
		x.set("batches", truth(len(ended) > before))
	}
	x.set("lives", truth(there(30*time.Second, living)))
}

// nodesThatForget is the probability, in millionths, that two clients hold a Redlock of 3, 5 and 7
// nodes when each node restarts empty with 10 %: a sum over all subsets of the nodes, each of which
// is played while A holds all nodes, and while it holds a bare majority.
func nodesThatForget(x *experiment) {
	for _, n := range []int{3, 5, 7} {
		x.set(fmt.Sprintf("all%d", n), x.forgetting(n, ""))
		var others []string
		for i := n/2 + 2; i <= n; i++ {
			others = append(others, fmt.Sprintf("redis-%d", i))
		}
		x.set(fmt.Sprintf("bare%d", n), x.forgetting(n, "at: 0s; partition: [[A], ["+strings.Join(others, ", ")+"]]; for: 9s"))
	}
}

func (x *experiment) forgetting(n int, cut string) (sum int64) {
	unit := int64(1_000_000) // becomes 10^-n of it, times 9 for each node that does not forget
	for subset := range 1 << n {
		story := scenario.Sketch{Lock: "redlock", Servers: fmt.Sprintf("{redlock: {nodes: %d}}", n), Clients: "[A, B]", Work: "8s"}
		if cut != "" {
			story.Faults = []string{cut}
		}
		weight := int64(1)
		for i := range n {
			if subset&(1<<i) == 0 {
				weight *= 9
				continue
			}
			story.Faults = append(story.Faults, fmt.Sprintf("when: A enters; after: 100ms; restart: redis-%d; down: 50ms", i+1))
		}
		sum += weight * truth(x.lab.runs(&play{Sketch: story, Seeds: 1}, nil)[0].Overlapped())
	}
	for range n {
		unit /= 10
	}
	if unit > 0 {
		return sum * unit
	}
	return sum / 10 // seven nodes
}

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
			x.lab.Fail("etcd refuses %s: %v", command, answer.Err)
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
