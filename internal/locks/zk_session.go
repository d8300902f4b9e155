package locks

import (
	"context"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

// zkClient is the part that all ZooKeeper locks share: the client's session, whose timeout
// is the lease. It is opened when it is first needed, and again when it is over.
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
		case zookeeper.ErrSessionExpired: // meanwhile
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

// attendSession reports a loss when the session loses its server or is over: from then on
// the client cannot know whether it still has its node.
func (a *attended) attendSession(env ports.Env, s *zookeeper.Session) {
	a.attend(env, "session state", func(ctx context.Context) {
		if s.State() == zookeeper.Connected {
			if _, err := s.NextState(ctx); err != nil {
				return // the lease was released
			}
		}
		a.tellLost()
	})
}

// waitGone waits until a node is deleted, if it exists.
func waitGone(ctx context.Context, s *zookeeper.Session, path string) error {
	stat, gone, err := s.ExistsWatch(ctx, path)
	if err != nil || stat == nil {
		return err
	}
	return gone.Wait(ctx)
}

// deleteNode deletes a node; ErrNotHeld when it does not exist.
func deleteNode(ctx context.Context, s *zookeeper.Session, path string) error {
	err := s.Delete(ctx, path, -1)
	if err == zookeeper.ErrNoNode {
		return ErrNotHeld
	}
	return err
}
