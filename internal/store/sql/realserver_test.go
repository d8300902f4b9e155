//go:build linux

package sql_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store"
	. "lockstep/internal/store/sql"
	_ "lockstep/internal/store/sql/live"
)

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
