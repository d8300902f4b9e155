package claims

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim/etcd"
	"lockstep/internal/sim/sql"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// This file holds what experiments ask about requests and rounds, and the bare
// models of the stores other than Redis.

// PlayPlan is Play with a plan that a story cannot say. It is a plan of l.Plan.
func (l *Lab) PlayPlan(p *plan.Plan, seeds int) []*Run {
	return l.play(p, l.variant(p), seeds, false)
}

// Request is one request of a client and what became of it.
type Request struct {
	Client  history.NodeID
	Server  history.NodeID
	Command string // see Run.Command
	Text    string // as typed
	Sent    history.Instant
	Back    history.Instant // when the reply came or the client gave up; 0 when neither happened
	Reply   string          // or the error that the client got in its place
	Failed  bool            // no reply came
}

// Took is how long the client waited for the reply.
func (q *Request) Took() time.Duration { return q.Back.Sub(q.Sent) }

// Requests returns the requests of a client in the order of sending, of all
// clients when client is "".
func (r *Run) Requests(client string) []Request {
	var out []Request
	place := map[int64]int{} // by the number of the request; never ranged over
	for _, e := range r.History.Events {
		switch e.Kind {
		case history.Sent:
			if client != "" && r.Name(e.Node) != client {
				continue
			}
			place[e.Value] = len(out)
			out = append(out, Request{
				Client: e.Node, Server: e.Peer, Command: r.Command(e), Text: r.Text(e), Sent: e.At,
			})
		case history.Replied, history.TimedOut:
			if i, ok := place[e.Value]; ok {
				out[i].Back, out[i].Reply, out[i].Failed = e.At, r.Text(e), e.Kind == history.TimedOut
			}
		}
	}
	return out
}

// Only returns the requests with one of these commands.
func Only(requests []Request, commands ...string) []Request {
	var out []Request
	for _, q := range requests {
		for _, c := range commands {
			if q.Command == c {
				out = append(out, q)
			}
		}
	}
	return out
}

// SentBetween returns the requests that were sent from one instant until before
// another, but for signs of life: those are sent by the session and not by the lock.
func SentBetween(requests []Request, from, to history.Instant) []Request {
	var out []Request
	for _, q := range requests {
		if q.Sent >= from && q.Sent < to && !signOfLife[q.Command] {
			out = append(out, q)
		}
	}
	return out
}

// signOfLife are the requests that keep a session or a lease alive.
var signOfLife = map[string]bool{"PING": true, "KEEPALIVE": true}

// Round is one acquisition of a client, up to the return of its release.
type Round struct {
	Client    history.NodeID
	Waits     history.Instant // asks for the lock
	Acquired  history.Instant
	Releasing history.Instant
	Done      history.Instant // release has returned
}

// Rounds returns the rounds in the order of their beginnings; of all clients but
// the probe when client is "". One that did not come to its end is left out.
func (r *Run) Rounds(client string) []Round {
	open := make([]Round, len(r.History.Header.Nodes)+1) // by NodeID
	var out []Round
	for _, i := range r.History.Milestones() {
		e := &r.History.Events[i]
		if r.History.Role(e.Node) != history.RoleClient {
			continue
		}
		o := &open[e.Node]
		switch e.Kind {
		case history.Waits:
			*o = Round{Client: e.Node, Waits: e.At}
		case history.Acquired:
			o.Acquired = e.At
		case history.Releasing:
			o.Releasing = e.At
		case history.Released, history.NotHeld, history.ReleaseFailed:
			o.Done = e.At
			if client == "" || r.Name(e.Node) == client {
				out = append(out, *o)
			}
		}
	}
	return out
}

// Cost is what a lock takes of a client that nobody disturbs, for one acquisition
// and its release, on average over clients of all servers. What only the first
// round needs, such as opening a session, is not in it.
type Cost struct {
	Acquire, Release time.Duration
	Requests         int64 // thousandths, since it is an average
}

// Both is the time of acquisition and release.
func (c Cost) Both() time.Duration { return c.Acquire + c.Release }

// Cost measures a lock without luck: every message travels for 1 ms.
func (l *Lab) Cost(s Story) Cost { return costIn(l, l.Play(alone(s), 1)) }

// CostOf is Cost of a lock of the experiment's own; see PlayVariant.
func (l *Lab) CostOf(s Story, v locks.Variant) Cost {
	return costIn(l, l.PlayVariant(alone(s), v, 1))
}

// alone makes three clients of a story, each of which plays its rounds when the one
// before has finished. Those of a cluster talk to a server each.
func alone(s Story) Story {
	s.Clients, s.Stagger, s.Work, s.Latency = "[A, B, C]", "30s", "1s", "1ms"
	s.Workload = append([]string{"repeat: 3 times", "rest: 1s"}, s.Workload...)
	return s
}

func costIn(l *Lab, runs []*Run) Cost {
	var sum Cost
	n := int64(0)
	for _, r := range runs {
		for _, client := range r.History.Header.Nodes {
			rounds := r.Rounds(client.Name)
			requests := r.Requests(client.Name)
			for _, o := range rounds[min(1, len(rounds)):] {
				n++
				sum.Acquire += o.Acquired.Sub(o.Waits)
				sum.Release += o.Done.Sub(o.Releasing)
				sum.Requests += int64(len(SentBetween(requests, o.Waits, o.Acquired+1)) + len(SentBetween(requests, o.Releasing, o.Done+1)))
			}
		}
	}
	if n == 0 {
		l.Fail("nobody acquired twice: there is no cost to measure")
	}
	return Cost{sum.Acquire / time.Duration(n), sum.Release / time.Duration(n), sum.Requests * 1000 / n}
}

// Times prints a number of thousandths.
func Times(thousandths int64) string { return Ratio(thousandths, 1000) }

// Etcd is a bare etcd cluster.
type Etcd struct {
	store *etcd.Store
	id    uint64
}

// Etcd returns a new, empty cluster without clients.
func (l *Lab) Etcd() *Etcd { return &Etcd{store: etcd.New(etcd.Config{})} }

// Txn runs a transaction of a client, numbered from 1, and returns its result. A
// transaction that the cluster refuses ends the experiment.
func (c *Etcd) Txn(l *Lab, client int, t world.EtcdTxn) world.EtcdResult {
	c.id++
	answer, done := c.store.Exec(store.Clock{}, c.id, store.Conn{ID: uint64(client), Client: history.NodeID(client)}, etcd.Txn{EtcdTxn: t})
	if answer.Err != nil || !done {
		l.Fail("etcd refuses a transaction: %s", answer.Text)
	}
	return answer.Value.(world.EtcdResult)
}

// Put is a transaction that writes keys, all at once.
func (c *Etcd) Put(l *Lab, keys ...string) world.EtcdResult {
	var t world.EtcdTxn
	for _, k := range keys {
		t.Then = append(t.Then, world.EtcdOp{Kind: world.EtcdPut, Key: k})
	}
	return c.Txn(l, 1, t)
}

// Get reads a key.
func (c *Etcd) Get(l *Lab, key string) world.EtcdResult {
	return c.Txn(l, 1, world.EtcdTxn{Then: []world.EtcdOp{{Kind: world.EtcdGet, Key: key}}})
}

// Database is a bare MySQL server with one table, resources, whose only row has
// the name r and the version 1.
type Database struct {
	db *sql.DB
	id uint64
}

// Database returns a new server without clients.
func (l *Lab) Database() *Database {
	return &Database{db: sql.New(sql.Config{Flavour: sql.MySQL, Setup: []world.Stmt{
		{Query: "CREATE TABLE resources (name VARCHAR(64) NOT NULL PRIMARY KEY, version BIGINT NOT NULL)"},
		{Query: "INSERT INTO resources (name, version) VALUES ('r', 1)"},
	}})}
}

// Do executes a statement on a client's session, numbered from 1; done is false
// when it has to wait for another session.
func (d *Database) Do(client int, query string) (res world.SQLResult, done bool) {
	d.id++
	answer, done := d.db.Exec(store.Clock{}, d.id, dbConn(client), &sql.Op{Stmt: world.Stmt{Query: query}})
	res, _ = answer.Value.(world.SQLResult)
	res.Err = answer.Err
	return res, done
}

// Kill ends a client's session, as an operator or a broken connection does.
func (d *Database) Kill(client int) { d.db.Closed(store.Clock{}, dbConn(client)) }

func dbConn(client int) store.Conn {
	return store.Conn{ID: uint64(client), Client: history.NodeID(client)}
}
