package worker

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// sqlPort is world.SQL on database/sql.
type sqlPort struct {
	w      *worker
	server func() int // index of the server that the next statement goes to
	pools  []*sqlPool // of the servers
}

// sqlPool is the connections to one server.
type sqlPool struct {
	*sql.DB
	sockets  *sockets
	numbered bool // $1 instead of a question mark
}

var _ world.SQL = (*sqlPort)(nil)

// newMySQL makes the port for servers of MySQL or MariaDB; no connection is made
// yet. A dsn is as the driver wants it; its address is what dial is given. server
// says to which of them the next statement or session goes.
func newMySQL(w *worker, dsns []string, server func() int, dial dialFunc) (*sqlPort, error) {
	p := &sqlPort{w: w, server: server}
	for _, dsn := range dsns {
		config, err := mysql.ParseDSN(dsn)
		if err != nil {
			return nil, err
		}
		config.Logger, config.Timeout = &mysql.NopLogger{}, w.start.Timeout
		config.InterpolateParams = true // else a statement is prepared first, and is two requests
		s := &sockets{}
		config.DialFunc = s.dialer(dial)
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, err
		}
		p.pools = append(p.pools, newPool(connector, s, w.start.IdleTimeout, false))
	}
	return p, nil
}

// newPostgres makes the port for servers of PostgreSQL, as newMySQL does.
func newPostgres(w *worker, dsns []string, server func() int, dial dialFunc) (*sqlPort, error) {
	p := &sqlPort{w: w, server: server}
	for _, dsn := range dsns {
		config, err := pq.NewConfig(dsn)
		if err != nil {
			return nil, err
		}
		config.ConnectTimeout = w.start.Timeout
		config.BinaryParameters = true // else a statement is prepared first, and is two requests
		connector, err := pq.NewConnectorConfig(config)
		if err != nil {
			return nil, err
		}
		s := &sockets{}
		connector.Dialer(pqDialer(s.dialer(dial)))
		p.pools = append(p.pools, newPool(connector, s, w.start.IdleTimeout, true))
	}
	return p, nil
}

// connectMySQL gives a lock the database that its client takes for the primary.
func (w *worker) connectMySQL(d *locks.Deps) error { return w.connectSQL(d, newMySQL) }

// connectPostgres does the same with PostgreSQL.
func (w *worker) connectPostgres(d *locks.Deps) error { return w.connectSQL(d, newPostgres) }

func (w *worker) connectSQL(d *locks.Deps, open func(*worker, []string, func() int, dialFunc) (*sqlPort, error)) error {
	p, err := open(w, w.start.Endpoints, w.primary, w.dialDirectly)
	if err != nil {
		return err
	}
	d.SQL = p
	return w.warm(p.connect)
}

// newPool makes the pool of one server. What the libraries do behind the caller's back, and how
// it is kept from them:
//
//   - database/sql runs a statement again on another connection when a driver says
//     that the first was bad, and PostgreSQL's driver says so, too, when the
//     connection broke after the statement was sent: an INSERT could be done
//     twice. A statement therefore runs on a connection that was taken out of the
//     pool, where it is not repeated;
//   - when a context ends, PostgreSQL's driver asks the server over a second
//     connection to end the statement, and goes on waiting: so no context is
//     given to the drivers, and a statement that is given up ends with its socket.
//
// What remains: a pooled connection that its server has closed meanwhile is
// replaced before a statement is sent over it (MySQL's driver looks), and so is one that is
// so old that its server may be about to close it. The pool is no part of the story.
func newPool(c driver.Connector, s *sockets, idle time.Duration, numbered bool) *sqlPool {
	pool := sql.OpenDB(socketConnector{c, s})
	pool.SetConnMaxLifetime(idle / 2)
	pool.SetMaxIdleConns(idleConnections)
	return &sqlPool{DB: pool, sockets: s, numbered: numbered}
}

const idleConnections = 8

// connect makes the first connections before true time begins.
func (p *sqlPort) connect(ctx context.Context) error {
	for _, pool := range p.pools {
		if err := untilAnswered(ctx, "a database", pool.PingContext); err != nil {
			return err
		}
	}
	return nil
}

// Exec implements world.SQL.
func (p *sqlPort) Exec(ctx context.Context, stmt world.Stmt) world.SQLResult {
	server := p.server()
	return p.exec(ctx, server, stmt, func(ctx context.Context) world.SQLResult {
		pool := p.pools[server]
		conn, err := pool.Conn(ctx)
		if err != nil {
			return world.SQLResult{Err: sqlError(err)}
		}
		res := pool.run(ctx, conn, stmt)
		if unanswered(res.Err) {
			discard(conn)
		} else {
			_ = conn.Close() // back to the pool
		}
		return res
	})
}

// exec is one statement as a request.
func (p *sqlPort) exec(ctx context.Context, server int, stmt world.Stmt, run func(context.Context) world.SQLResult) world.SQLResult {
	res, err := perform(ctx, p.w, request[world.SQLResult]{
		server: server,
		what:   stmt,
		answer: func(r world.SQLResult) string { return sqlResultText(stmt.Query, &r) },
		send: func(ctx context.Context) (world.SQLResult, error) {
			res := run(ctx)
			return res, res.Err
		},
	})
	if err != nil {
		return world.SQLResult{Err: err}
	}
	return res
}

// run runs a statement on one connection. When ctx ends, so does the connection.
func (p *sqlPool) run(ctx context.Context, conn *sql.Conn, stmt world.Stmt) world.SQLResult {
	socket := p.sockets.of(conn)
	if socket == nil {
		return world.SQLResult{Err: world.ErrConnection}
	}
	defer context.AfterFunc(ctx, func() { _ = socket.Close() })()
	query, args := stmt.Query, sqlArgs(stmt.Args)
	if p.numbered {
		query = numberPlaceholders(query)
	}
	if mark := markOf(ctx); mark != "" {
		query += " " + mark
	}
	if returnsRows(query) {
		rows, err := conn.QueryContext(context.Background(), query, args...)
		if err != nil {
			return world.SQLResult{Err: sqlError(err)}
		}
		defer rows.Close()
		return readRows(rows)
	}
	done, err := conn.ExecContext(context.Background(), query, args...)
	if err != nil {
		return world.SQLResult{Err: sqlError(err)}
	}
	var res world.SQLResult
	res.Affected, _ = done.RowsAffected() // PostgreSQL has none for some statements
	if !p.numbered {
		res.LastID, _ = done.LastInsertId()
	}
	return res
}

// Dial implements world.SQL. The connection is made when the first statement is sent.
func (p *sqlPort) Dial(ctx context.Context) (world.SQLConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &sqlConn{port: p, server: p.server()}, nil
}

// sqlConn is world.SQLConn: a connection that never goes back to the pool, where
// the next one would inherit its locks.
type sqlConn struct {
	port   *sqlPort
	server int

	mu     sync.Mutex
	conn   *sql.Conn // nil before the first statement
	socket net.Conn  // below it: Raw would wait for a statement that runs
	closed bool
}

// Exec implements world.SQLConn. After a statement without an answer the
// connection is closed: an answer that comes late would be taken for the next one's.
func (c *sqlConn) Exec(ctx context.Context, stmt world.Stmt) world.SQLResult {
	if c.isClosed() {
		return world.SQLResult{Err: world.ErrConnection}
	}
	res := c.port.exec(ctx, c.server, stmt, func(ctx context.Context) world.SQLResult {
		conn, err := c.open(ctx)
		if err != nil {
			return world.SQLResult{Err: err}
		}
		return c.pool().run(ctx, conn, stmt)
	})
	if _, answered := res.Err.(*world.SQLError); res.Err != nil && !answered {
		c.Close()
	}
	return res
}

func (c *sqlConn) pool() *sqlPool { return c.port.pools[c.server] }

func (c *sqlConn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// open returns the connection; it makes it when there is none yet.
func (c *sqlConn) open(ctx context.Context) (*sql.Conn, error) {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	conn, err := c.pool().Conn(ctx)
	if err != nil {
		return nil, sqlError(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed { // by somebody who had no patience
		go discard(conn)
		return nil, world.ErrConnection
	}
	c.conn, c.socket = conn, c.pool().sockets.of(conn)
	return conn, nil
}

// Close implements world.SQLConn. It does not wait for a statement that runs: that
// one ends with its socket.
func (c *sqlConn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.conn != nil {
		if c.socket != nil {
			_ = c.socket.Close() // it may be closed already
		}
		go discard(c.conn)
	}
	c.closed = true
}

// Errors of MariaDB and MySQL that are a session's last words.
const (
	mysqlShutdown = 1053 // ER_SERVER_SHUTDOWN
	mysqlKilled   = 1927 // ER_CONNECTION_KILLED, MariaDB
)

// sqlError turns an error of a driver into one of the port's.
func sqlError(err error) error {
	var m *mysql.MySQLError
	if errors.As(err, &m) && m.Number != mysqlShutdown && m.Number != mysqlKilled {
		return &world.SQLError{Number: int(m.Number), State: string(m.SQLState[:]), Message: m.Message}
	}
	var p *pq.Error
	if errors.As(err, &p) && !p.Fatal() {
		return &world.SQLError{State: string(p.Code), Message: p.Message}
	}
	return world.ErrConnection
}
