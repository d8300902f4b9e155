package live

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/servers"
)

// zkFrame is a message of ZooKeeper.
func zkFrame(number, kind int32, path string) []byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(number))
	if kind != 0 {
		body = binary.BigEndian.AppendUint32(body, uint32(kind))
	}
	if path != "" {
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(path))), path...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestARequestOfZooKeeperIsKnownByItsPath(t *testing.T) {
	d := protocol()
	linktest.Want(t, d, link.Up, zkFrame(0, 0, ""), fmt.Sprintf("%d begins CONNECT", int64(session)))
	linktest.Want(t, d, link.Down, zkFrame(0, 0, ""), fmt.Sprintf("%d begins CONNECT", int64(session)))
	linktest.Want(t, d, link.Up, slices.Concat(zkFrame(5, 1, "/lock"), zkFrame(-2, 11, ""), zkFrame(6, 12, "/lock"), zkFrame(7, 5, "/lock"), zkFrame(8, 4, "/lock")),
		"5 begins changes CREATE /lock", "-2 begins PING", "6 begins CHILDREN /lock", "7 begins changes ", "8 begins ")
	linktest.Want(t, d, link.Down, slices.Concat(zkFrame(-1, 0, ""), zkFrame(-2, 0, ""), zkFrame(5, 0, "")),
		"0 ", "-2 begins ", "5 begins ")
}

func TestHTTPIsAnotherProtocol(t *testing.T) {
	if _, _, err := protocol().Next(link.Up, []byte("GET / HTTP/1.1\r\nHost: example\r\n\r\n")); err == nil {
		t.Error("HTTP/1 counts as the protocol of ZooKeeper")
	}
}

func FuzzProtocol(f *testing.F) {
	linktest.Fuzz(f, protocol, "\x00\x00\x00\x02ab\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x01\x7f\xff\xff\xff")
}

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
