package live

import (
	"io"
	"net"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/servers"
)

// A follower may call its leader before the leader listens.
func TestACallWaitsUntilTheServerListens(t *testing.T) {
	addr := must.Get(servers.FreeAddr("127.0.0.1"))(t)
	in := must.Get(openIntroducer(addr))(t)
	in.Serve(in.serve)
	defer in.Close()
	caller := must.Get(net.Dial("tcp", in.Addr()))(t)
	defer caller.Close()
	_ = caller.SetDeadline(time.Now().Add(5 * time.Second))
	time.Sleep(50 * time.Millisecond)
	leader := must.Get(net.Listen("tcp", addr))(t)
	defer leader.Close()
	go func() {
		if c, err := leader.Accept(); err == nil {
			_, _ = c.Write([]byte("hello"))
			_ = c.Close()
		}
	}()
	if got, err := io.ReadAll(caller); string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
}
