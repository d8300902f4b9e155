package redis

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/world"
)

// realServer is a redis-server child process with one connection.
type realServer struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
}

// startServer starts a redis-server of its own for a test. Without the program
// the test is skipped, or fails when LOCKSTEP_REQUIRE_SERVERS=1.
func startServer(t *testing.T, extra ...string) (server *realServer, port int) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		text := "redis-server is not on PATH, so the model is not compared with the real one: " +
			"install it with apt-get install redis-server"
		if os.Getenv("LOCKSTEP_REQUIRE_SERVERS") == "1" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	for range 5 { // another process may take the port between the look and the start
		if server, port = tryServer(t, path, extra); server != nil {
			return server, port
		}
	}
	t.Fatal("redis-server did not answer PING in five tries")
	return nil, 0
}

func tryServer(t *testing.T, path string, extra []string) (*realServer, int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	args := append([]string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
		"--dir", t.TempDir(), "--daemonize", "no", "--repl-diskless-sync-delay", "0",
	}, extra...)
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	}
	for range 200 {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		r := &realServer{conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn)}
		ping := world.Command("PING")
		if reply, err := r.try([]world.Cmd{ping}); err == nil && reply[0].Str == "PONG" {
			t.Cleanup(func() { _ = conn.Close(); stop() })
			return r, port
		}
		_ = conn.Close()
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	return nil, 0
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
	reply := world.Reply{Kind: world.ReplyArray}
	for range n {
		element, err := r.read()
		if err != nil {
			return reply, err
		}
		reply.Array = append(reply.Array, element)
	}
	return reply, nil
}
