package servers

import (
	"context"
	"net"
)

// Route returns the address by which one server of a cluster reaches another, instead of addr:
// that of a proxy, for instance. Servers are counted from 0.
type Route func(from, to int, addr string) (via string, err error)

// Relaunch starts a killed server of etcd, ZooKeeper, Consul or a database again, on its
// address and in its directory, and returns when it listens. A member of a cluster may answer
// only later, when the others do. Its files are complete, as after Restart.
func (s *Server) Relaunch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	err := onOldPort(ctx, s.relaunch)
	if err == nil && s.clock != nil { // to calibrate it
		err = s.getReady(ctx)
	}
	return err
}

func (s *Server) relaunch(ctx context.Context) error {
	if err := s.launch(ctx, s.recipe); err != nil {
		return err
	}
	ended := func() error {
		return s.failedAtStart("that was when it was started again; free memory and disk space")
	}
	return s.await(ctx, "did not listen again on "+s.Addr, ended, func() (bool, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", s.Addr)
		if err != nil {
			return false, nil
		}
		return true, conn.Close()
	})
}
