package live

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net"
	"sync"

	"github.com/lib/pq"
)

// discard closes a connection for good.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // takes it out of the pool
	_ = conn.Close()
}

// dialFunc opens a connection to the address of a link.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// sockets are the sockets below the connections of a driver.
type sockets struct{ known sync.Map } // driver.Conn -> net.Conn

// socketKey is the key of a context's pointer to the place for a new socket.
type socketKey struct{}

func (s *sockets) dialer(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if into, ok := ctx.Value(socketKey{}).(*net.Conn); ok && err == nil {
			*into = conn
		}
		return conn, err
	}
}

// of returns the socket below a connection, nil when it is closed.
func (s *sockets) of(conn *sql.Conn) (out net.Conn) {
	_ = conn.Raw(func(below any) error {
		if socket, ok := s.known.Load(below); ok {
			out = socket.(net.Conn)
		}
		return nil
	})
	return out
}

// socketConnector remembers the sockets of the connections that it makes.
type socketConnector struct {
	driver.Connector
	sockets *sockets
}

// Connect implements driver.Connector.
func (c socketConnector) Connect(ctx context.Context) (driver.Conn, error) {
	var socket net.Conn
	conn, err := c.Connector.Connect(context.WithValue(ctx, socketKey{}, &socket))
	if err == nil {
		c.sockets.known.Store(conn, socket)
	}
	return conn, err
}

// pqDialer is a dialer for PostgreSQL's driver, which prefers a method with a context.
type pqDialer struct {
	pq.Dialer // nil
	dial      dialFunc
}

// DialContext implements pq.DialerContext.
func (d pqDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d.dial(ctx, network, addr)
}
