package live

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	model "lockstep/internal/store/sql"
)

// executor executes requests over the connections of a driver.
type executor []*server // in the order of the endpoints

// server is the connections to one server.
type server struct {
	driver.Connector
	postgres bool          // takes $1 instead of a question mark, and returns no id of an insert
	longest  time.Duration // that a connection may be idle; 0: for ever

	mu     sync.Mutex
	free   []*conn
	closed bool
}

// connectMySQL makes a client of MySQL or MariaDB; an endpoint is as the driver wants it.
func connectMySQL(c livestore.Client) (livestore.Executor, error) {
	return connect(c, false, func(dsn string) (driver.Connector, error) {
		config, err := mysql.ParseDSN(dsn)
		if err != nil {
			return nil, err
		}
		config.Timeout = c.Timeout
		config.InterpolateParams = true // else a statement is prepared first, and is two requests
		config.DialFunc = dialFunc(c.Dial).DialContext
		return mysql.NewConnector(config)
	})
}

// connectPostgres makes a client of PostgreSQL, as connectMySQL does.
func connectPostgres(c livestore.Client) (livestore.Executor, error) {
	return connect(c, true, func(dsn string) (driver.Connector, error) {
		config, err := pq.NewConfig(dsn)
		if err != nil {
			return nil, err
		}
		config.ConnectTimeout = c.Timeout
		config.BinaryParameters = true // else a statement is prepared first, and is two requests
		connector, err := pq.NewConnectorConfig(config)
		if err == nil {
			connector.Dialer(pqDialer{dialFunc: c.Dial})
		}
		return connector, err
	})
}

// connect makes a client of each server. database/sql is not among the libraries: it runs a statement
// again on another connection when a driver says that the first was bad, and PostgreSQL's driver says
// so, too, when the connection broke after the statement was sent: an INSERT could be done twice. So
// the drivers are called directly. When a context ends, PostgreSQL's driver asks the server over a
// second connection to end the statement, and goes on waiting: so no context is given to them for a
// statement, and one that is given up ends with its socket.
func connect(c livestore.Client, postgres bool, open func(dsn string) (driver.Connector, error)) (livestore.Executor, error) {
	var all executor
	for _, dsn := range c.Endpoints {
		connector, err := open(dsn)
		if err != nil {
			return nil, err
		}
		all = append(all, &server{Connector: connector, postgres: postgres, longest: c.Idle / 2})
	}
	return all, nil
}

// Close closes all idle connections.
func (e executor) Close() error {
	var errs []error
	for _, s := range e {
		s.mu.Lock()
		for _, c := range s.free {
			errs = append(errs, c.Close())
		}
		s.free, s.closed = nil, true
		s.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Do implements livestore.Executor.
func (e executor) Do(ctx context.Context, server int, r ports.Request) (any, error) {
	res, err := e[server].do(ctx, r.(model.Stmt))
	return res, sqlError(err)
}

// do runs a statement on an idle connection, or on a new one. Its error is that of the driver.
func (s *server) do(ctx context.Context, stmt model.Stmt) (res model.Result, err error) {
	c, err := s.take(ctx)
	if err != nil {
		return res, err
	}
	res, err = s.run(ctx, c, stmt)
	if c.cut || sqlError(err) == ports.ErrConnection { // never wrapped
		c.end()
		return res, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.end()
	} else {
		s.free = append(s.free, c)
	}
	return res, err
}

// take returns an idle connection, or a new one. One that its server has closed meanwhile is
// replaced before a statement is sent over it (MySQL's driver looks), and so is one that its server
// may be about to close: the idle connections are no part of the story.
func (s *server) take(ctx context.Context) (*conn, error) {
	for {
		s.mu.Lock()
		n := len(s.free) - 1
		if n < 0 {
			s.mu.Unlock()
			return s.open(ctx)
		}
		c := s.free[n]
		s.free = s.free[:n]
		s.mu.Unlock()
		old := s.longest > 0 && time.Since(c.used) > s.longest
		if resetter, ok := c.Conn.(driver.SessionResetter); !old && (!ok || resetter.ResetSession(ctx) == nil) {
			return c, nil
		}
		_ = c.Close() // it is not used again
	}
}

// open makes a connection.
func (s *server) open(ctx context.Context) (*conn, error) {
	c := &conn{}
	var err error
	c.Conn, err = s.Connect(context.WithValue(ctx, socketKey{}, &c.socket))
	return c, err
}

// run runs a statement on one connection. When ctx ends, so does the connection.
func (s *server) run(ctx context.Context, c *conn, stmt model.Stmt) (res model.Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil { // while the connection was made
		c.cut = true
		return res, driver.ErrBadConn
	}
	stop := context.AfterFunc(ctx, func() { _ = c.socket.Close() })
	defer func() { c.cut, c.used = !stop(), time.Now() }()
	query, args := stmt.Query, make([]driver.NamedValue, len(stmt.Args))
	for i, v := range stmt.Args {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v.Driver()}
	}
	if s.postgres {
		query = numberPlaceholders(query)
	}
	if mark := livestore.MarkOf(ctx); mark != "" {
		query += " " + mark
	}
	if returnsRows(query) {
		rows, err := c.Conn.(driver.QueryerContext).QueryContext(context.Background(), query, args)
		if err != nil {
			return res, err
		}
		defer rows.Close()
		if res, err = readRows(rows); returning(query) {
			res.Affected = int64(len(res.Rows))
		}
		return res, err
	}
	done, err := c.Conn.(driver.ExecerContext).ExecContext(context.Background(), query, args)
	if err != nil {
		return res, err
	}
	res.Affected, _ = done.RowsAffected() // PostgreSQL has none for some statements
	if !s.postgres {
		res.LastID, _ = done.LastInsertId()
	}
	return res, nil
}

// conn is a connection of a driver, and the socket below it.
type conn struct {
	driver.Conn
	socket net.Conn
	used   time.Time // last
	cut    bool      // a context has ended, and with it the socket
	mu     sync.Mutex
}

// end ends the connection for good. It does not wait for a statement that runs: that one ends with
// its socket.
func (c *conn) end() {
	_ = c.socket.Close() // it may be closed already
	go func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = c.Close() // its socket is closed
	}()
}

// Open implements livestore.Opener. The connection is made when the first statement is sent, and a
// database sends nothing by itself.
func (e executor) Open(_ context.Context, server int, _ livestore.Incoming) (livestore.Line, error) {
	return &session{server: e[server]}, nil
}

// session is a connection that is not used for other requests afterwards: they would inherit its
// locks.
type session struct {
	server *server

	mu     sync.Mutex
	conn   *conn // nil before the first statement
	closed bool
}

// Do implements livestore.Line.
func (s *session) Do(ctx context.Context, r ports.Request) (any, error) {
	c, err := s.open(ctx)
	if err != nil {
		return nil, sqlError(err)
	}
	res, err := s.server.run(ctx, c, r.(model.Stmt))
	return res, sqlError(err)
}

// open returns the connection; it takes one when there is none yet.
func (s *session) open(ctx context.Context) (*conn, error) {
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := s.server.take(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // while it was made
		c.end()
		return nil, ports.ErrConnection
	}
	s.conn = c
	return c, nil
}

// Close implements livestore.Line.
func (s *session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.conn != nil {
		s.conn.end()
	}
	s.closed = true
}

// socketKey is the key of a context's pointer to the place for a new socket.
type socketKey struct{}

// dialFunc opens a connection to the address of a link.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// DialContext implements pq.DialerContext: it remembers the socket.
func (d dialFunc) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := d(ctx, network, addr)
	if into, ok := ctx.Value(socketKey{}).(*net.Conn); ok && err == nil {
		*into = conn
	}
	return conn, err
}

// pqDialer is a dialer for PostgreSQL's driver, which prefers the method with a context.
type pqDialer struct {
	pq.Dialer // nil
	dialFunc
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
