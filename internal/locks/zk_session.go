package locks

import (
	"context"

	"lockstep/internal/world"
)

// zkClient is what every ZooKeeper lock of a client has: its session, which lasts
// as long as the lease. It is opened at the first need, and anew when a server has
// said that it is over.
type zkClient struct {
	Deps
	session world.ZKSession
}

// open returns the session when it has a server; it opens one if there is none.
func (c *zkClient) open(ctx context.Context) (world.ZKSession, error) {
	for {
		if c.session == nil || c.session.State() == world.ZKExpired {
			s, err := c.ZooKeeper.Connect(ctx, c.Lease)
			if err != nil {
				return nil, err
			}
			c.session = s
		}
		switch err := c.connected(ctx, c.session); err {
		case world.ErrSessionExpired: // it became known only now
		default:
			return c.session, err
		}
	}
}

// connected waits until a session has a server; ErrSessionExpired when it is over.
func (c *zkClient) connected(ctx context.Context, s world.ZKSession) error {
	for {
		switch s.State() {
		case world.ZKConnected:
			return nil
		case world.ZKExpired:
			return world.ErrSessionExpired
		}
		if err := c.Env.Sleep(ctx, c.Retry); err != nil {
			return err
		}
	}
}

// tellOfTrouble ends a lease's context when its session has no server any more or
// is over: from then on the client cannot know whether it still has its node.
func tellOfTrouble(env world.Env, s world.ZKSession) (lost context.Context, stop context.CancelFunc) {
	lost, tell := env.WithCancel(env.Background())
	watch, stop := env.WithCancel(env.Background())
	env.Go(watch, "session state", func(ctx context.Context) {
		if s.State() == world.ZKConnected {
			if _, err := s.NextState(ctx); err != nil {
				return // the lease was released
			}
		}
		tell()
	})
	return lost, stop
}
