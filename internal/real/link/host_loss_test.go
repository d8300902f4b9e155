package link_test

import (
	"io"
	"net"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/rng/spread"
)

// silent is a server with one connection. It sends what it reads, and the error at the end, over a
// channel.
func silent(t *testing.T) (addr string, accepted <-chan net.Conn, read <-chan string) {
	t.Helper()
	conns, words := make(chan net.Conn, 1), make(chan string, 10)
	addr = realtest.Serve(t, func(c net.Conn) {
		conns <- c
		for buf := make([]byte, 64); ; {
			n, err := c.Read(buf)
			if n > 0 {
				words <- string(buf[:n])
			}
			if err != nil {
				words <- "the end: " + err.Error()
				return
			}
		}
	})
	return addr, conns, words
}

func wantWord(t *testing.T, read <-chan string, want string) {
	t.Helper()
	select {
	case got := <-read:
		if got != want {
			t.Fatalf("the server read %q, want %q", got, want)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("the server did not read %q", want)
	}
}

func wantNothing(t *testing.T, read <-chan string) {
	t.Helper()
	select {
	case got := <-read:
		t.Fatalf("the server read %q", got)
	case <-time.After(short):
	}
}

func TestALostHostSaysNothingMore(t *testing.T) {
	addr, accepted, read := silent(t)
	l := linktest.Open(t, link.Options{Upstream: addr, Raw: true, Latency: spread.Range{Min: short, Max: short}})
	c := must.Get(net.Dial("tcp", l.Addr()))(t)
	must.Get(c.Write([]byte("sent in time")))(t)
	server := <-accepted
	time.Sleep(short / 2) // it is on its way
	l.LoseHost()
	_ = c.Close()
	wantWord(t, read, "sent in time")
	wantNothing(t, read) // not even the end
	for range 3 {        // nor an answer to what the server says
		must.Get(server.Write([]byte("who is there?")))(t)
		wantNothing(t, read)
	}
	must.Do(t, l.Close())
	wantWord(t, read, "the end: "+io.EOF.Error())
}

func TestWhatALinkHoldsIsLostWithItsHost(t *testing.T) {
	addr, accepted, read := silent(t)
	l := linktest.Open(t, link.Options{Upstream: addr, Raw: true})
	c := must.Get(net.Dial("tcp", l.Addr()))(t)
	<-accepted
	l.Switch(link.Up, link.Hold)
	must.Get(c.Write([]byte("held")))(t)
	eventually(t, "the link holds it", func() bool { return l.Held(link.Up) })
	l.LoseHost()
	_ = c.Close()
	l.Switch(link.Up, link.Pass)
	wantNothing(t, read)
}
