// Package redisconn is a connection to a Redis server that does nothing unasked: it sends no
// greeting, repeats no command and opens no other connection. The harness asks its servers with it,
// and listens to them.
package redisconn

import (
	"context"
	"errors"
	"net"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// Conn is a connection. One goroutine at a time sends commands on it.
type Conn struct {
	*net.TCPConn
	in *resp.Reader
}

// Dial connects to the server at an address, host:port.
func Dial(ctx context.Context, addr string) (*Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{TCPConn: conn.(*net.TCPConn), in: resp.NewReader(conn)}, nil
}

// Ask sends one command on a new connection. Its error may be that of the server.
func Ask(ctx context.Context, addr string, args ...string) (redis.Reply, error) {
	c, err := Dial(ctx, addr)
	if err != nil {
		return redis.Reply{}, err
	}
	defer c.Close()
	reply, err := c.Do(ctx, args...)
	if err == nil && reply.Kind == redis.ReplyError {
		err = reply.Err
	}
	return reply, err
}

// Do sends a command and waits for the reply until ctx ends. After an error the connection is to be
// closed: the reply may still come, and would be mistaken for that of the next command.
func (c *Conn) Do(ctx context.Context, args ...string) (reply redis.Reply, err error) {
	err = c.Within(ctx, func() error {
		if _, err := c.Write(resp.AppendCommand(nil, args...)); err != nil {
			return err
		}
		message, err := c.Next()
		if err == nil {
			reply, err = resp.Parse(message)
		}
		return err
	})
	return reply, err
}

// Within calls a function that reads and writes, which fails when ctx ends; the connection is not
// to be used after that.
func (c *Conn) Within(ctx context.Context, do func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	err := do()
	if !stop() && err != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return err
}

// Next reads the next message of the server, a reply or an unsolicited one.
func (c *Conn) Next() ([]byte, error) { return c.in.Next() }
