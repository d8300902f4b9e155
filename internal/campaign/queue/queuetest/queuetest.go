// Package queuetest starts NATS servers for tests: the server's own code with a configuration file,
// each in its own process, which can be killed and which dies with the test.
package queuetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
)

// program is this one, started again as a server.
const program servers.Library = "LOCKSTEP_NATS_SERVER"

// Main must be called first in a test binary. It does not return in a process started by Start.
func Main() { program.Main(serve) }

func serve(file string) error {
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err == nil {
		s.ConfigureLogger()
		s.Start()
		s.WaitForShutdown()
	}
	return err
}

// Server is a NATS server in a process of its own.
type Server struct {
	Dir     string // for all its files, with its output in the file log
	Port    int
	process *osproc.Process
}

// Start starts a server at 127.0.0.1 that keeps streams in a folder, which must exist. config is
// added to its configuration file. The server is killed when the test ends.
func Start(t testing.TB, dir string, port int, config string) *Server {
	t.Helper()
	s := &Server{Dir: dir, Port: port}
	config = fmt.Sprintf("listen: 127.0.0.1:%d\njetstream: {store_dir: %q}\nlog_file: %q\n%s\n", port, filepath.Join(dir, "store"), filepath.Join(dir, "nats.log"), config)
	must.Do(t, os.WriteFile(s.config(), []byte(config), 0o600))
	t.Cleanup(func() { s.Kill(t) })
	s.Again(t)
	return s
}

func (s *Server) config() string { return filepath.Join(s.Dir, "nats.conf") }

// Again starts a killed server, and returns when it accepts connections.
func (s *Server) Again(t testing.TB) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	log := must.Get(os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
	defer log.Close()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), string(program)+"="+s.config())
	cmd.Stdout, cmd.Stderr = log, log
	s.process = must.Get(osproc.Start(cmd))(t)
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) { // the log is unreliable: it precedes the listening
		conn, err := net.DialTimeout("tcp", s.Host(), time.Second)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-s.process.Done():
		default:
			if time.Since(began) < time.Minute {
				continue
			}
		}
		said, _ := os.ReadFile(log.Name())
		more, _ := os.ReadFile(filepath.Join(s.Dir, "nats.log"))
		t.Fatalf("the server does not start (%s):\n%s%s", s.process.Ended(), said, more)
	}
}

// Kill ends the server with SIGKILL, and waits for its end.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Kill(); err != nil {
		t.Error(err)
	}
}

// Host is the address of the server, without a scheme.
func (s *Server) Host() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// Ports returns ports that stay free when given up for a while.
func Ports(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l := must.Get(osproc.ListenLow("127.0.0.1"))(t)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Spent is the processor time of the server since its start, in steps of 10 ms.
func (s *Server) Spent(t testing.TB) time.Duration {
	t.Helper()
	data := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Pid())))(t)
	_, after, _ := strings.Cut(string(data), ") ") // the fields from the third one on
	fields := strings.Fields(after)
	var ticks int64
	for _, field := range fields[11:13] {
		n := must.Get(strconv.ParseInt(field, 10, 64))(t)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // the kernel's USER_HZ is 100
}
