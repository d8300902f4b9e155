package link_test

import (
	"bufio"
	"net"
	"testing"
	"time"

	"lockstep/internal/real/link"
)

// dialFrom connects from a loopback address.
func dialFrom(t *testing.T, ip, addr string) *client {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{t, c, bufio.NewReader(c)}
}

func openFront(t *testing.T) *link.Front {
	t.Helper()
	f, err := link.OpenFront("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestAFrontTellsItsCallersApart(t *testing.T) {
	addr, executed := counter(t)
	front := openFront(t)
	one, two := open(t, link.Options{Upstream: addr, Raw: true}), open(t, link.Options{Upstream: addr, Raw: true})
	front.Admit("127.0.0.11", one)
	front.Admit("127.0.0.12", two)
	a, b := dialFrom(t, "127.0.0.11", front.Addr()), dialFrom(t, "127.0.0.12", front.Addr())
	a.send("PING")
	a.want(":1")
	b.send("PING")
	b.want(":2")

	switchBoth(one, link.Hold)
	a.send("PING")
	if got := a.reply(short); got != "" || executed.Load() != 2 {
		t.Errorf("through a held link: reply %q, %d executed", got, executed.Load())
	}
	b.send("PING")
	b.want(":3")
	switchBoth(one, link.Pass)
	a.want(":4")
}

// Callers that are not part of the run are refused.
func TestAFrontHangsUpOnStrangers(t *testing.T) {
	addr, _ := counter(t)
	front := openFront(t)
	front.Admit("127.0.0.11", open(t, link.Options{Upstream: addr, Raw: true}))
	stranger := dialFrom(t, "127.0.0.12", front.Addr())
	_ = stranger.c.SetReadDeadline(time.Now().Add(2 * time.Second))
	if n, err := stranger.c.Read(make([]byte, 1)); n != 0 || err == nil || isTimeout(err) {
		t.Errorf("%d bytes, %v, want a closed connection", n, err)
	}
}

func TestAFrontThatIsShutLetsItsCallersWait(t *testing.T) {
	addr, executed := counter(t)
	front := openFront(t)
	front.Admit("127.0.0.11", open(t, link.Options{Upstream: addr, Raw: true}))
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	front := openFront(t)
	front.Admit("127.0.0.11", open(t, link.Options{Upstream: listener.Addr().String(), Raw: true}))
	for _, serverEnds := range []bool{true, false} {
		caller := dialFrom(t, "127.0.0.11", front.Addr())
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		ends, hears := caller.c, server
		if serverEnds {
			ends, hears = server, caller.c
		}
		ends.Close()
		_ = hears.SetReadDeadline(time.Now().Add(2 * time.Second))
		if _, err := hears.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("the server ends %t: the other end heard %v", serverEnds, err)
		}
		hears.Close()
	}
}

func isTimeout(err error) bool {
	n, ok := err.(net.Error)
	return ok && n.Timeout()
}
