package locks

import (
	"context"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

// zkClient is what every ZooKeeper lock of a client has: its session, which lasts
// as long as the lease. It is opened at the first need, and again when a server has
// said that it is over.
type zkClient struct {
	Deps
	session *zookeeper.Session
}

// open returns the session when it has a server; it opens one if there is none.
func (c *zkClient) open(ctx context.Context) (*zookeeper.Session, error) {
	for {
		if c.session == nil || c.session.State() == zookeeper.Expired {
			s, err := zookeeper.Client{Env: c.Env, Port: c.Port}.Connect(ctx, c.Lease)
			if err != nil {
				return nil, err
			}
			c.session = s
		}
		switch err := c.connected(ctx, c.session); err {
		case zookeeper.ErrSessionExpired: // it became known only now
		default:
			return c.session, err
		}
	}
}

// connected waits until a session has a server; ErrSessionExpired when it is over.
func (c *zkClient) connected(ctx context.Context, s *zookeeper.Session) error {
	for {
		switch s.State() {
		case zookeeper.Connected:
			return nil
		case zookeeper.Expired:
			return zookeeper.ErrSessionExpired
		}
		if err := c.Env.Sleep(ctx, c.Retry); err != nil {
			return err
		}
	}
}

// tellOfTrouble ends a lease's context when its session has no server any more or
// is over: from then on the client cannot know whether it still has its node.
func tellOfTrouble(env ports.Env, s *zookeeper.Session) (lost context.Context, stop context.CancelFunc) {
	lost, tell := env.WithCancel(env.Background())
	watch, stop := env.WithCancel(env.Background())
	env.Go(watch, "session state", func(ctx context.Context) {
		if s.State() == zookeeper.Connected {
			if _, err := s.NextState(ctx); err != nil {
				return // the lease was released
			}
		}
		tell()
	})
	return lost, stop
}
