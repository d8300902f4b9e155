//go:build linux

package sql

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

var (
	conformanceSeed       = flag.Uint64("conformance.seed", 1, "seed of the random scripts")
	conformanceStatements = flag.Int("conformance.statements", 10_000, "how many random statements to compare, per flavour")
)

// answerTime is how long a statement may take on a busy machine that need not
// wait, and how long the server may take to say that the others do wait.
const answerTime = 20 * time.Second

// pair is a session with the model and the same one with the real server.
type pair struct {
	name    string
	real    *realSession
	conn    store.Conn
	answers chan world.SQLResult // of the real server
	stmt    world.Stmt           // that is under way
	blocked bool
	id      uint64

	inTx    bool
	failed  bool     // PostgreSQL: the transaction has had an error
	highest string   // row key that the transaction may have locked
	mayRest bool     // it may use the highest key again
	deleted []string // row keys that it has deleted
	over    bool     // what it has done is committed or undone
}

// duel runs statements on both.
type duel struct {
	*testing.T
	real   *realServer
	model  *DB
	pairs  []*pair
	nextID uint64
	began  time.Time
	log    []string

	blocks, late int
}

func newDuel(t *testing.T, real *realServer, setup ...string) *duel {
	d := &duel{T: t, real: real, began: time.Now()}
	admin := &realSession{server: real, conn: real.admin}
	cfg := Config{Flavour: real.flavour, LockKey: "lock", EpochMS: d.began.UnixMilli()}
	for _, query := range setup {
		if res := admin.exec(world.Stmt{Query: query}); res.Err != nil {
			t.Fatalf("%s: %v", query, res.Err)
		}
		cfg.Setup = append(cfg.Setup, world.Stmt{Query: query})
	}
	d.model = New(cfg)
	return d
}

func (d *duel) now() store.Clock {
	return store.Clock{Wall: time.Since(d.began), Mono: time.Since(d.began)}
}

func (d *duel) connect(name string) *pair {
	p := &pair{name: name, real: d.real.connect(d.T), answers: make(chan world.SQLResult, 1)}
	p.conn = store.Conn{ID: p.real.id, Client: history.NodeID(len(d.pairs) + 1)}
	d.pairs = append(d.pairs, p)
	return p
}

// fatalf fails with all that has been sent.
func (d *duel) fatalf(format string, args ...any) {
	d.Helper()
	d.Fatalf("%s\n%s", strings.Join(d.log, "\n"), fmt.Sprintf(format, args...))
}

// do sends a statement to both and compares what comes back, or that nothing does.
func (d *duel) do(p *pair, query string, args ...world.SQLValue) (world.SQLResult, bool) {
	d.Helper()
	p.stmt = world.Stmt{Query: query, Args: args}
	d.nextID++
	p.id = d.nextID
	d.log = append(d.log, p.name+" "+string((&Op{Stmt: p.stmt}).AppendText(nil)))
	go func(stmt world.Stmt) { p.answers <- p.real.exec(stmt) }(p.stmt)
	a, done := d.model.Exec(d.now(), p.id, p.conn, &Op{Stmt: p.stmt})
	if done {
		d.log[len(d.log)-1] += " -> " + a.Text
		d.compare(p, a)
	} else {
		d.log = append(d.log, "   waits")
		p.blocked = true
		d.blocks++
	}
	d.lateAnswers()
	return result(a), done
}

// lateAnswers compares the answers that waiting statements got, and that the
// others still wait.
func (d *duel) lateAnswers() {
	d.Helper()
	for _, late := range append([]store.LateAnswer(nil), d.model.Output().Answers...) {
		for _, p := range d.pairs {
			if p.blocked && p.id == late.ID {
				d.log = append(d.log, "   "+p.name+" goes on: "+late.Text)
				p.blocked = false
				d.late++
				d.compare(p, late.Answer)
				p.note(d.real.flavour, result(late.Answer))
			}
		}
	}
	d.seeThemWait()
	for _, p := range d.pairs {
		select {
		case got := <-p.answers:
			d.fatalf("%s: %s waits in the model, the server says %v", p.name, p.stmt.Query, got)
		default:
		}
	}
}

// seeThemWait returns when the server says that as many statements wait for locks
// as in the model.
func (d *duel) seeThemWait() {
	d.Helper()
	want, got := 0, 0
	for _, p := range d.pairs {
		if p.blocked {
			want++
		}
	}
	if want == 0 {
		return
	}
	for end := time.Now().Add(answerTime); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if got = d.real.waiting(d.T); got == want {
			return
		}
		for _, p := range d.pairs {
			if len(p.answers) > 0 {
				return // not all wait, and the caller will say who does not
			}
		}
	}
	d.fatalf("%d statements wait in the model, %d in the server", want, got)
}

// result is an answer as a client gets it.
func result(a store.Answer) world.SQLResult {
	res, _ := a.Value.(world.SQLResult)
	res.Err = a.Err
	return res
}

func (d *duel) compare(p *pair, a store.Answer) {
	d.Helper()
	var real world.SQLResult
	select {
	case real = <-p.answers:
	case <-time.After(answerTime):
		d.fatalf("%s: the server does not answer, the model says %s", p.name, a.Text)
	}
	want, got := outcome(real), outcome(result(a))
	if got != want {
		d.fatalf("%s: %s\nserver %s (%v)\nmodel  %s (%s)", p.name, p.stmt.Query, want, real.Err, got, a.Text)
	}
}

// outcome is a result in a form in which it can be compared: rows in the order of
// their text, errors by their number and state.
func outcome(r world.SQLResult) string {
	if e, ok := r.Err.(*world.SQLError); ok {
		return fmt.Sprintf("error %d %s", e.Number, e.State)
	}
	if r.Err != nil {
		return "error " + r.Err.Error()
	}
	var rows []string
	for _, row := range r.Rows {
		text := (&world.SQLResult{Rows: [][]world.SQLValue{row}}).RowsText()
		for i, v := range row {
			if v.IsBool {
				text += fmt.Sprintf(" %d is a boolean", i)
			}
		}
		rows = append(rows, text)
	}
	sort.Strings(rows)
	return fmt.Sprintf("affected %d, id %d, rows %v", r.Affected, r.LastID, rows)
}

// end kills a session in both.
func (d *duel) end(p *pair) {
	d.Helper()
	d.log = append(d.log, p.name+" is killed")
	p.real.kill(d.T)
	if p.blocked {
		<-p.answers // that the connection broke
	}
	p.blocked = false
	for i, other := range d.pairs {
		if other == p {
			d.pairs = append(d.pairs[:i], d.pairs[i+1:]...)
			break
		}
	}
	d.model.Closed(d.now(), p.conn)
	d.lateAnswers()
}

func (d *duel) endAll() {
	for len(d.pairs) > 0 {
		d.end(d.pairs[0])
	}
}

// TestConformance runs random scripts of several sessions on MariaDB and
// PostgreSQL and on the model, and demands the same results and the same waiting.
func TestConformance(t *testing.T) {
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			real := startServer(t, f.flavour, 0)
			t.Logf("seed %d", *conformanceSeed)
			g := &scripts{Rand: rand.New(rand.NewPCG(*conformanceSeed, 11))}
			started := time.Now()
			for g.statements < *conformanceStatements {
				g.script(t, real)
			}
			t.Logf("%d statements in %d scripts, %d had to wait and %d of them went on, in %v",
				g.statements, g.scripts, g.blocks, g.late, time.Since(started).Round(time.Millisecond))
			if g.late < g.statements/100 {
				t.Errorf("only %d statements had to wait and went on: the scripts hardly compare that", g.late)
			}
		})
	}
}
