//go:build linux

package redis_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// realServer is a redis-server child process with one connection.
type realServer struct {
	conn net.Conn
	in   []byte // the beginning of a reply
}

// startServer starts a redis-server for a test, as the live world does. replicaOf is
// the address of its primary, "" for none.
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

// connect opens another connection to a server.
func connect(t *testing.T, addr string) *realServer {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &realServer{conn: conn}
}

// do sends a command and returns its reply, an error if the connection is broken.
func (r *realServer) do(cmd redis.Cmd) redis.Reply {
	var words []string
	for _, a := range cmd.Args() {
		words = append(words, fmt.Sprint(a))
	}
	_ = r.conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := r.conn.Write(resp.AppendCommand(nil, words...)); err != nil {
		return redis.Failed(err)
	}
	for {
		n, err := resp.Frame(r.in)
		if err != nil {
			return redis.Failed(err)
		}
		if n > 0 {
			reply, err := resp.Parse(r.in[:n])
			if r.in = r.in[n:]; err != nil {
				return redis.Failed(err)
			}
			return reply
		}
		more := make([]byte, 4096)
		if n, err = r.conn.Read(more); err != nil {
			return redis.Failed(err)
		}
		r.in = append(r.in, more[:n]...)
	}
}
