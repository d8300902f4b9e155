//go:build linux

package sql_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store"
	. "lockstep/internal/store/sql"
	_ "lockstep/internal/store/sql/live"
	"lockstep/internal/store/storetest"
)

// duel is a model beside a real server, with sessions on both.
type duel struct {
	storetest.Duel
	real  *realServer
	cfg   Config
	model *DB
	pairs []*pair
}

// pair is a session in the model and on the real server, and the script's knowledge of it.
type pair struct {
	store.Conn // with the server's ID of the session
	real       *realSession

	inTx    bool
	failed  bool     // PostgreSQL: the transaction has had an error
	highest string   // row key that the transaction may have locked
	mayRest bool     // it may use the highest key again
	deleted []string // row keys that it has deleted
	over    bool     // its changes are committed or undone
}

func newDuel(t *testing.T, real *realServer, setup ...string) *duel {
	began := time.Now()
	d := &duel{real: real, cfg: Config{Flavour: real.is, Lock: store.Entry{Key: "lock"}, EpochMS: began.UnixMilli()}}
	d.Duel = storetest.Duel{
		T: t, Real: real.exec, Same: same, Waits: func(count int) bool { return real.waits() == count }, Answered: d.note,
		Now: func() store.Clock {
			now := time.Since(began)
			return store.Clock{Wall: now, Mono: now}
		},
	}
	d.setUp(setup...)
	return d
}

// setUp executes statements on the server, and makes a model of them.
func (d *duel) setUp(setup ...string) {
	d.T.Helper()
	cfg := d.cfg
	for _, query := range setup {
		d.real.admin.must(query)
		cfg.Setup = append(cfg.Setup, Stmt{Query: query})
	}
	d.model = New(cfg)
	d.Model = d.model
}

// connect opens a session of a client on both.
func (d *duel) connect(client history.NodeID) *pair {
	p := &pair{real: d.real.connect()}
	p.Conn = store.Conn{ID: p.real.id, Client: client}
	d.pairs = append(d.pairs, p)
	return p
}

// do sends a statement to both.
func (d *duel) do(p *pair, query string, args ...Value) {
	d.T.Helper()
	d.DoAs(p.Conn, Stmt{Query: query, Args: args})
}

func (d *duel) waits(p *pair) bool { return d.Waiting(p.Conn) != nil }

// end kills a session in both.
func (d *duel) end(p *pair) {
	d.T.Helper()
	p.real.end()
	d.pairs = slices.DeleteFunc(d.pairs, func(other *pair) bool { return other == p })
	d.Closed(p.Conn)
}

func (d *duel) endAll() {
	for len(d.pairs) > 0 {
		d.end(d.pairs[0])
	}
}

func same(r ports.Request, want store.Answer, got storetest.Reply) string {
	model, _ := want.Value.(Result)
	server, ok := got.Value.(Result)
	if ok && got.Err == nil && !strings.Contains(r.(Stmt).Query, "?") && !slices.Equal(model.Columns, server.Columns) {
		return fmt.Sprintf("columns %q, and from the server %q", model.Columns, server.Columns)
	}
	if model, server := outcome(want.Value, want.Err), outcome(got.Value, got.Err); model != server {
		return fmt.Sprintf("%s, and from the server %s", model, server)
	}
	return ""
}

// outcome is a result in a form in which it can be compared: rows in the order of their text,
// errors by their number and state.
func outcome(value any, err error) string {
	if e, ok := err.(*Error); ok {
		return fmt.Sprintf("error %d %s", e.Number, e.State)
	}
	if err != nil {
		return "error " + err.Error()
	}
	r, rows := value.(Result), []string{}
	for _, row := range r.Rows {
		text := (&Result{Rows: [][]Value{row}}).RowsText()
		for i, v := range row {
			if v.IsBool {
				text += fmt.Sprintf(" %d is a boolean", i)
			}
		}
		rows = append(rows, text)
	}
	slices.Sort(rows)
	return fmt.Sprintf("affected %d, id %d, rows %v", r.Affected, r.LastID, rows)
}

// Random scripts of several sessions have the same results with MariaDB and PostgreSQL as with
// their models, and the same statements wait.
func TestConformance(t *testing.T) {
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			g := &scripts{Rand: storetest.Rand(t, 1, 11), d: newDuel(t, startServer(t, f))}
			for g.d.Asked < storetest.Operations(10_000) {
				g.script()
			}
			g.d.Demand(100, "BEGIN", "COMMIT", "ROLLBACK", "INSERT", "INSERT refused", "UPDATE", "DELETE", "SELECT", "late")
			g.d.Demand(5, "SELECT refused", "UPDATE refused", "INSERT waits", "UPDATE waits", "DELETE waits", "SELECT waits")
			g.d.Demand(50, map[Flavour][]string{
				MySQL:      {"GET_LOCK", "GET_LOCK, late", "RELEASE_LOCK", "IS_USED_LOCK"},
				PostgreSQL: {"PG_TRY_ADVISORY_LOCK", "PG_ADVISORY_LOCK, late", "PG_ADVISORY_UNLOCK"},
			}[f.is]...)
		})
	}
}

// flavour is a database, with statements of an operator.
type flavour struct {
	name string
	is   Flavour
	id   store.ID
	wire string // the prefix of its locks' wire files, misprints excluded

	self, kill, left string   // who am I, end a session, is it there
	waiting          []string // how many statements wait for locks; the sum of all
	impatient        []string // end this session when it has been idle for a second
}

var flavours = []flavour{
	{
		name: "MySQL", is: MySQL, id: MySQLID, wire: "*mysql",
		self: "SELECT CONNECTION_ID()", kill: "KILL CONNECTION %d",
		impatient: []string{"SET SESSION wait_timeout = 1"},
		left:      "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d",
		waiting: []string{
			"SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'",
			"SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'",
		},
	},
	{
		name: "PostgreSQL", is: PostgreSQL, id: PostgresID, wire: "pg",
		self: "SELECT pg_backend_pid()", kill: "SELECT pg_terminate_backend(%d)",
		impatient: []string{"SET idle_session_timeout = '1s'", "SET idle_in_transaction_session_timeout = '1s'"},
		left:      "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = %d",
		waiting:   []string{"SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"},
	},
}

// realServer is a database server of its own for a test.
type realServer struct {
	flavour
	t        *testing.T
	servers  *livetest.Servers
	admin    *realSession
	sessions sync.Map // *realSession by the server's ID
}

// realSession is one connection to it.
type realSession struct {
	livestore.Line
	server *realServer
	id     uint64 // the server's
}

func startServer(t *testing.T, f flavour) *realServer {
	t.Helper()
	s := &realServer{flavour: f, t: t, servers: livetest.Launch(t, f.id, livestore.Single{})}
	s.admin = s.connect()
	return s
}

func (s *realServer) connect() *realSession {
	s.t.Helper()
	line, err := s.servers.Executor.(livestore.Opener).Open(s.t.Context(), 0, livestore.Incoming{})
	if err != nil {
		s.t.Fatal(err)
	}
	r := &realSession{Line: line, server: s}
	r.id = uint64(r.number(s.self))
	s.sessions.Store(r.id, r)
	return r
}

// exec executes a statement on one of its sessions.
func (s *realServer) exec(c store.Conn, r ports.Request) (any, error) {
	session, _ := s.sessions.Load(c.ID)
	return session.(*realSession).Do(s.t.Context(), r)
}

// waits counts the statements that are waiting for locks.
func (s *realServer) waits() (n int) {
	for _, query := range s.waiting {
		n += s.admin.number(query)
	}
	return n
}

// must executes a statement that cannot fail.
func (r *realSession) must(query string) Result {
	r.server.t.Helper()
	v, err := r.Do(r.server.t.Context(), Stmt{Query: query})
	if err != nil {
		r.server.t.Fatalf("%s: %v", query, err)
	}
	return v.(Result)
}

// number returns the last value of a statement's first row.
func (r *realSession) number(query string) int {
	r.server.t.Helper()
	row := r.must(query).Rows[0]
	cell := row[len(row)-1]
	if n, err := strconv.Atoi(cell.Text); err == nil {
		return n
	}
	return int(cell.Num)
}

// end kills the session, and waits until the server has cleaned up.
func (r *realSession) end() {
	s := r.server
	s.t.Helper()
	s.admin.must(fmt.Sprintf(s.kill, r.id))
	for range 10_000 {
		if s.admin.number(fmt.Sprintf(s.left, r.id)) == 0 {
			r.Close()
			return
		}
	}
	s.t.Fatal("a killed session is still there")
}
