package servers

import (
	"context"
	"net"
	"time"
)

// Route says how one server of a cluster reaches another: it returns the address to
// use instead of addr, that of a proxy for instance. Servers are counted from 0.
type Route func(from, to int, addr string) (via string, err error)

// Relaunch starts a server of etcd, ZooKeeper, Consul or a database that has been killed on
// its address and in its directory again, and returns when it listens. It may take a
// while until it answers: a member of a cluster needs the others for that.
//
// A server that was killed has lost nothing of its files: what it wrote is in the
// memory of the operating system. Only the death of the whole machine would show
// the difference.
func (s *Server) Relaunch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	err := onOldPort(ctx, s.relaunch)
	if err == nil && s.clock != nil { // it has to be asked what it shows
		err = s.waitAnswer(ctx)
	}
	return err
}

func (s *Server) relaunch(ctx context.Context) error {
	if err := s.launch(ctx, s.recipe); err != nil {
		return err
	}
	return s.await(ctx, wait{
		first: 5 * time.Millisecond, longest: 5 * time.Millisecond,
		failing: "did not listen again on " + s.Addr,
		ended: func() error {
			return s.failedAtStart("that was when it was started again; free memory and disk space")
		},
	}, func() (bool, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", s.Addr)
		if err != nil {
			return false, nil
		}
		return true, conn.Close()
	})
}
