package osproc

import (
	"math/rand/v2"
	"net"
	"strconv"
)

// ListenLow listens on a port of a loopback address that the operating system does not give to
// outgoing connections: a server that is down for a while has to find its port free again.
func ListenLow(host string) (net.Listener, error) {
	const lowest, highest, tries = 15000, 32000, 100 // usual systems begin at 32768
	for range tries {
		port := lowest + rand.IntN(highest-lowest)
		if l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}
