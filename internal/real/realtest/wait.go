package realtest

import (
	"net"
	"testing"
	"time"
)

// Soon repeats a question until the answer is yes, and reports whether it was within this time.
func Soon(within time.Duration, ask func() bool) bool {
	for end := time.Now().Add(within); !ask(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Serve calls serve for each connection to a new address, which is closed with the test.
func Serve(t testing.TB, serve func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l.Addr().String()
}
