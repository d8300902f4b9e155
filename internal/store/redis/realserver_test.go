//go:build linux

package redis_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// realServer is a connection to a redis-server.
type realServer struct {
	conn net.Conn
	in   *resp.Reader
}

// startServer starts a redis-server for a test. replicaOf is the address of its primary, "" for none.
func startServer(t *testing.T, replicaOf string) (server *realServer, addr string) {
	t.Helper()
	addr = livetest.Redis(t, servers.RedisOptions{ReplicaOf: replicaOf}).Addr
	return connect(t, addr), addr
}

// connect opens another connection to a server.
func connect(t *testing.T, addr string) *realServer {
	t.Helper()
	conn := must.Get(net.Dial("tcp", addr))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return &realServer{conn, resp.NewReader(conn)}
}

// do sends a command and returns its reply, an error if the connection is broken.
func (r *realServer) do(cmd redis.Cmd) redis.Reply {
	var words []string
	for _, a := range cmd.Args() {
		words = append(words, fmt.Sprint(a))
	}
	_ = r.conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, err := r.conn.Write(resp.AppendCommand(nil, words...))
	var message []byte
	if err == nil {
		message, err = r.in.Next()
	}
	if err != nil {
		return redis.Failed(err)
	}
	reply, err := resp.Parse(message)
	if err != nil {
		return redis.Failed(err)
	}
	return reply
}
