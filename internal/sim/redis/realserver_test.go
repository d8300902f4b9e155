//go:build linux

package redis

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/world"
)

// realServer is a redis-server child process with one connection.
type realServer struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
}

// startServer starts a redis-server of its own for a test, as the live world
// does. replicaOf is the address of its primary, "" for none.
func startServer(t *testing.T, replicaOf string) (server *realServer, addr string) {
	t.Helper()
	realtest.Need(t, "redis-server")
	process, err := servers.StartRedis(t.Context(), servers.RedisOptions{ReplicaOf: replicaOf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.Stop(); err != nil {
			t.Error(err)
		}
	})
	return connect(t, process.Addr), process.Addr
}

// connect opens one more connection to a server.
func connect(t *testing.T, addr string) *realServer {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &realServer{conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn)}
}

// pipeline sends commands at once and returns their replies.
func (r *realServer) pipeline(t *testing.T, cmds []world.Cmd) []world.Reply {
	t.Helper()
	replies, err := r.try(cmds)
	if err != nil {
		t.Fatalf("redis-server: %v", err)
	}
	return replies
}

// do sends one command.
func (r *realServer) do(t *testing.T, cmd world.Cmd) world.Reply {
	t.Helper()
	return r.pipeline(t, []world.Cmd{cmd})[0]
}

func (r *realServer) try(cmds []world.Cmd) ([]world.Reply, error) {
	if err := r.conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	for i := range cmds {
		args := cmds[i].Args()
		fmt.Fprintf(r.out, "*%d\r\n", len(args))
		for _, a := range args {
			text := fmt.Sprint(a)
			fmt.Fprintf(r.out, "$%d\r\n%s\r\n", len(text), text)
		}
	}
	if err := r.out.Flush(); err != nil {
		return nil, err
	}
	replies := make([]world.Reply, len(cmds))
	for i := range cmds {
		var err error
		if replies[i], err = r.read(); err != nil {
			return nil, fmt.Errorf("reply to %v: %w", &cmds[i], err)
		}
	}
	return replies, nil
}

// read reads one reply of RESP2.
func (r *realServer) read() (world.Reply, error) {
	line, err := r.in.ReadString('\n')
	if err != nil {
		return world.Reply{}, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	rest := line[1:]
	switch line[0] {
	case '+':
		return world.Reply{Kind: world.ReplyStatus, Str: rest}, nil
	case '-':
		return world.Failed(world.ServerError(rest)), nil
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil {
		return world.Reply{}, err
	}
	switch {
	case line[0] == ':':
		return world.Int(n), nil
	case n < 0:
		return world.Reply{}, nil
	case line[0] == '$':
		buf := make([]byte, n+2)
		_, err := io.ReadFull(r.in, buf)
		return world.Bulk(string(buf[:n])), err
	}
	var elements []world.Reply
	for range n {
		element, err := r.read()
		if err != nil {
			return world.List(elements), err
		}
		elements = append(elements, element)
	}
	return world.List(elements), nil
}
