package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Route says how one server of a cluster reaches another: it returns the address to
// use instead of addr, that of a proxy for instance. Servers are counted from 0.
type Route func(from, to int, addr string) (via string, err error)

// Relaunch starts a server of etcd, ZooKeeper or a database that has been killed on
// its address and in its directory again, and returns when it listens. It may take a
// while until it answers: a member of a cluster needs the others for that.
//
// A server that was killed has lost nothing of its files: what it wrote is in the
// memory of the operating system. Only the death of the whole machine would show
// the difference.
func (s *Server) Relaunch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		err := s.relaunch(ctx)
		if !errors.Is(err, errPortTaken) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(portPause):
		}
	}
}

func (s *Server) relaunch(ctx context.Context) error {
	if err := s.launch(ctx, s.recipe); err != nil {
		return err
	}
	for {
		select {
		case <-s.process.Done():
			return s.failedAtStart("that was when it was started again; free memory and disk space")
		case <-ctx.Done():
			return fmt.Errorf("%s did not listen on %s again: %w: is the machine overloaded?", s.Name, s.Addr, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "tcp", s.Addr); err == nil {
			return conn.Close()
		}
	}
}
