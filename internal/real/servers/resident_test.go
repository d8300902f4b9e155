package servers_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/images"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// up is the place of a running server; it has only the methods that are called.
type up struct {
	servers.Resident
	addr string
}

var errStarted = errors.New("it was restarted")

func (u up) Place(context.Context, images.Product, string) (servers.Place, error) { return u, nil }
func (u up) Addr() string                                                         { return u.addr }
func (u up) Dir() string                                                          { return "" }
func (u up) Runs() bool                                                           { return true }
func (u up) Remove() error                                                        { return nil }
func (u up) Log() []byte                                                          { return nil }
func (u up) Start(context.Context, servers.Recipe) (servers.Process, error)       { return nil, errStarted }

// A run waits for a server that the previous run has just restarted and that does not listen yet.
func TestARunWaitsForAServerThatIsRestarting(t *testing.T) {
	realtest.Need(t, "redis-server")
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	addr := l.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	must.Do(t, l.Close())
	program := must.Get(programs.Find("redis-server"))(t)
	late := exec.Command(program, "--port", port, "--save", "", "--dir", t.TempDir())
	came := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		came <- late.Start()
	}()
	defer func() {
		if err := <-came; err != nil {
			t.Error(err)
			return
		}
		_ = late.Process.Signal(os.Kill)
		_ = late.Wait()
	}()
	if _, err := servers.StartRedis(t.Context(), servers.RedisOptions{Launcher: up{addr: addr}}); !errors.Is(err, errStarted) {
		t.Errorf("got %v, want that the server was waited for and then started", err)
	}
}
