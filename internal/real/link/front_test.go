package link_test

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
)

// raw are the options of a link between servers.
func raw(addr string) link.Options { return link.Options{Upstream: addr, Raw: true} }

func TestAFrontTellsItsCallersApart(t *testing.T) {
	addr, executed := counter(t)
	front := linktest.OpenFront(t)
	one, two := linktest.Open(t, raw(addr)), linktest.Open(t, raw(addr))
	front.Admit("127.0.0.11", one)
	front.Admit("127.0.0.12", two)
	a, b := dialFrom(t, "127.0.0.11", front.Addr()), dialFrom(t, "127.0.0.12", front.Addr())
	a.send("PING")
	a.want(":1")
	b.send("PING")
	b.want(":2")

	linktest.Switch(one, link.Hold)
	a.send("PING")
	if got := a.reply(short); got != "" || executed.Load() != 2 {
		t.Errorf("through a held link: reply %q, %d executed", got, executed.Load())
	}
	b.send("PING")
	b.want(":3")
	linktest.Switch(one, link.Pass)
	a.want(":4")
}

// Callers that are not part of the run are refused.
func TestAFrontHangsUpOnStrangers(t *testing.T) {
	addr, _ := counter(t)
	front := linktest.OpenFront(t)
	front.Admit("127.0.0.11", linktest.Open(t, raw(addr)))
	stranger := dialFrom(t, "127.0.0.12", front.Addr())
	_ = stranger.c.SetReadDeadline(time.Now().Add(2 * time.Second))
	if n, err := stranger.c.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v, want a closed connection", n, err)
	}
}

func TestAFrontThatIsShutLetsItsCallersWait(t *testing.T) {
	addr, executed := counter(t)
	front := linktest.OpenFront(t)
	front.Admit("127.0.0.11", linktest.Open(t, raw(addr)))
	front.Shut(true)
	caller := dialFrom(t, "127.0.0.11", front.Addr())
	caller.send("PING")
	if got := caller.reply(short); got != "" || executed.Load() != 0 {
		t.Errorf("reply %q, %d executed", got, executed.Load())
	}
	front.Shut(false)
	caller.want(":1")
	front.Shut(true)
	dialFrom(t, "127.0.0.11", front.Addr()) // and is still there when the front closes
}

// A server that dies must not be hidden from its callers, nor a caller from the server.
func TestAFrontPassesOnTheEnd(t *testing.T) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	front := linktest.OpenFront(t)
	front.Admit("127.0.0.11", linktest.Open(t, raw(listener.Addr().String())))
	for _, serverEnds := range []bool{true, false} {
		caller := dialFrom(t, "127.0.0.11", front.Addr())
		server := must.Get(listener.Accept())(t)
		ends, hears := caller.c, server
		if serverEnds {
			ends, hears = server, caller.c
		}
		ends.Close()
		_ = hears.SetReadDeadline(time.Now().Add(2 * time.Second))
		if _, err := hears.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the server ends %t: the other end heard %v", serverEnds, err)
		}
		hears.Close()
	}
}

func TestRedisRepliesComeInOrder(t *testing.T) {
	d := link.Redis()
	get := "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
	linktest.Want(t, d, link.Up, []byte(get+get+get), "1 begins "+get, "2 begins "+get, "3 begins "+get)
	d.Withdrawn(2)
	linktest.Want(t, d, link.Down, []byte(":1\r\n$-1\r\n+news\r\n"), "1 begins ", "3 begins ", "0 ")
}

func FuzzRedis(f *testing.F) {
	linktest.Fuzz(f, link.Redis, "*1\r\n$4\r\nPING\r\n", "*-1\r\n", "$9223372036854775807\r\n")
}
