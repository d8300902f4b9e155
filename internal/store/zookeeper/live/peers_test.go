package live

import (
	"io"
	"net"
	"testing"
	"time"

	"lockstep/internal/real/servers"
)

// A follower may call its leader before the leader listens.
func TestACallWaitsUntilTheServerListens(t *testing.T) {
	addr, err := servers.FreeAddr("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	in, err := openIntroducer(addr)
	if err != nil {
		t.Fatal(err)
	}
	in.Serve(in.serve)
	defer in.Close()
	caller, err := net.Dial("tcp", in.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Close()
	_ = caller.SetDeadline(time.Now().Add(5 * time.Second))
	time.Sleep(50 * time.Millisecond)
	leader, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
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
