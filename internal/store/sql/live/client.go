package live

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"sync"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	model "lockstep/internal/store/sql"
)

// executor executes requests with database/sql.
type executor []*pool // of the servers

// pool is the connections to one server.
type pool struct {
	*sql.DB
	sockets  *sockets
	postgres bool // takes $1 instead of a question mark, and returns no id of an insert
}

// connectMySQL makes a client of MySQL or MariaDB; an endpoint is as the driver wants it.
func connectMySQL(c livestore.Client) (livestore.Executor, error) {
	return connect(c, false, func(dsn string, dial dialFunc) (driver.Connector, error) {
		config, err := mysql.ParseDSN(dsn)
		if err != nil {
			return nil, err
		}
		config.Timeout = c.Timeout
		config.InterpolateParams = true // else a statement is prepared first, and is two requests
		config.DialFunc = dial
		return mysql.NewConnector(config)
	})
}

// connectPostgres makes a client of PostgreSQL, as connectMySQL does.
func connectPostgres(c livestore.Client) (livestore.Executor, error) {
	return connect(c, true, func(dsn string, dial dialFunc) (driver.Connector, error) {
		config, err := pq.NewConfig(dsn)
		if err != nil {
			return nil, err
		}
		config.ConnectTimeout = c.Timeout
		config.BinaryParameters = true // else a statement is prepared first, and is two requests
		connector, err := pq.NewConnectorConfig(config)
		if err == nil {
			connector.Dialer(pqDialer{dial: dial})
		}
		return connector, err
	})
}

// connect makes the pool of each server. What the libraries do behind the caller's back, and how
// that is prevented:
//
//   - database/sql runs a statement again on another connection when a driver says
//     that the first was bad, and PostgreSQL's driver says so, too, when the
//     connection broke after the statement was sent: an INSERT could be done
//     twice. A statement therefore runs on a connection that was taken out of the
//     pool, where it is not repeated;
//   - when a context ends, PostgreSQL's driver asks the server over a second
//     connection to end the statement, and goes on waiting: so no context is
//     given to them for a statement, and one that is given up ends with its socket.
//
// What remains: a pooled connection that its server has closed meanwhile is
// replaced before a statement is sent over it (MySQL's driver looks), and so is one that is
// so old that its server may be about to close it. The pool is no part of the story.
func connect(c livestore.Client, postgres bool, open func(dsn string, dial dialFunc) (driver.Connector, error)) (livestore.Executor, error) {
	var all executor
	for _, dsn := range c.Endpoints {
		s := &sockets{}
		connector, err := open(dsn, s.dialer(c.Dial))
		if err != nil {
			return nil, err
		}
		db := sql.OpenDB(socketConnector{connector, s})
		db.SetConnMaxLifetime(c.Idle / 2)
		db.SetMaxIdleConns(idleConnections)
		all = append(all, &pool{DB: db, sockets: s, postgres: postgres})
	}
	return all, nil
}

const idleConnections = 8

// Close closes all idle connections.
func (e executor) Close() error {
	var errs []error
	for _, p := range e {
		errs = append(errs, p.DB.Close())
	}
	return errors.Join(errs...)
}

// Do implements livestore.Executor.
func (e executor) Do(ctx context.Context, server int, r ports.Request) (any, error) {
	conn, err := e[server].Conn(ctx)
	if err != nil {
		return nil, sqlError(err)
	}
	res, err := e[server].run(ctx, conn, r.(model.Stmt))
	if err == ports.ErrConnection { // never wrapped
		discard(conn)
	} else {
		_ = conn.Close() // back to the pool
	}
	return res, err
}

// run runs a statement on one connection. When ctx ends, so does the connection.
func (p *pool) run(ctx context.Context, conn *sql.Conn, stmt model.Stmt) (res model.Result, err error) {
	socket := p.sockets.of(conn)
	if socket == nil {
		return res, ports.ErrConnection
	}
	defer context.AfterFunc(ctx, func() { _ = socket.Close() })()
	query, args := stmt.Query, make([]any, len(stmt.Args))
	for i, v := range stmt.Args {
		args[i] = v.Driver()
	}
	if p.postgres {
		query = numberPlaceholders(query)
	}
	if mark := livestore.MarkOf(ctx); mark != "" {
		query += " " + mark
	}
	if returnsRows(query) {
		rows, err := conn.QueryContext(context.Background(), query, args...)
		if err != nil {
			return res, sqlError(err)
		}
		defer rows.Close()
		if res, err = readRows(rows); returning(query) {
			res.Affected = int64(len(res.Rows))
		}
		return res, sqlError(err)
	}
	done, err := conn.ExecContext(context.Background(), query, args...)
	if err != nil {
		return res, sqlError(err)
	}
	res.Affected, _ = done.RowsAffected() // PostgreSQL has none for some statements
	if !p.postgres {
		res.LastID, _ = done.LastInsertId()
	}
	return res, nil
}

// Open implements livestore.Opener. The connection is made when the first statement is sent, and a
// database sends nothing by itself.
func (e executor) Open(_ context.Context, server int, _ livestore.Incoming) (livestore.Line, error) {
	return &session{pool: e[server]}, nil
}

// session is a connection that never goes back to the pool, where the next one would inherit its
// locks.
type session struct {
	pool *pool

	mu     sync.Mutex
	conn   *sql.Conn // nil before the first statement
	socket net.Conn  // below it: Raw would wait for a statement that runs
	closed bool
}

// Do implements livestore.Line.
func (s *session) Do(ctx context.Context, r ports.Request) (any, error) {
	conn, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.pool.run(ctx, conn, r.(model.Stmt))
}

// open returns the connection; it makes it when there is none yet.
func (s *session) open(ctx context.Context) (*sql.Conn, error) {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return nil, sqlError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // while it was made
		go discard(conn)
		return nil, ports.ErrConnection
	}
	s.conn, s.socket = conn, s.pool.sockets.of(conn)
	return conn, nil
}

// Close implements livestore.Line. It does not wait for a statement that runs: that
// one ends with its socket.
func (s *session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.conn != nil {
		if s.socket != nil {
			_ = s.socket.Close() // it may be closed already
		}
		go discard(s.conn)
	}
	s.closed = true
}

// Errors of MariaDB and MySQL that end a session.
const (
	mysqlShutdown = 1053 // ER_SERVER_SHUTDOWN
	mysqlKilled   = 1927 // ER_CONNECTION_KILLED, MariaDB
)

// sqlError turns an error of a driver into one of the port's.
func sqlError(err error) error {
	if err == nil {
		return nil
	}
	var m *mysql.MySQLError
	if errors.As(err, &m) && m.Number != mysqlShutdown && m.Number != mysqlKilled {
		return &model.Error{Number: int(m.Number), State: string(m.SQLState[:]), Message: m.Message}
	}
	var p *pq.Error
	if errors.As(err, &p) && !p.Fatal() {
		return &model.Error{State: string(p.Code), Message: p.Message}
	}
	return ports.ErrConnection
}
