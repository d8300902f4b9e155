package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"

	"lockstep/internal/real/servers"
)

// Members of etcd know each other by one address each, which all of them use. So that the caller
// of a connection is known, each member gets an HTTP proxy of its own, which etcd finds in the
// environment and reaches its peers through. Go's HTTP client uses no proxy for this machine, so
// the addresses are from the block that is reserved for documentation.

// farAddress is the address by which peers know a member.
func farAddress(i int) string { return fmt.Sprintf("192.0.2.%d:2380", i+1) }

// openPeerProxy opens the proxy of a member and returns its URL. Requests to the
// others go on by their routes.
func openPeerProxy(self int, members []*servers.Server, route servers.Route) (string, error) {
	s, via := members[self], map[string]string{}
	for i, other := range members {
		if i == self {
			continue
		}
		addr, err := route(self, i, other.Bus)
		if err != nil {
			return "", err
		}
		via[farAddress(i)] = addr
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("no address on 127.0.0.1 for the peers of %s: %w", s.Name, err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, far string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, via[far])
	}}
	server := &http.Server{
		Handler: &httputil.ReverseProxy{
			Director:      func(*http.Request) {}, // a proxy's request names its target
			Transport:     transport,
			FlushInterval: -1, // peers talk over streams that never end
			ErrorLog:      log.New(io.Discard, "", 0),
		},
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	s.AtStop(func() error {
		err := server.Close()
		transport.CloseIdleConnections()
		if end := <-done; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
		return err
	})
	return "http://" + listener.Addr().String(), nil
}
