package servers

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"

	"lockstep/internal/real/images"
	"lockstep/internal/real/programs"
)

// Cluster says how to start servers that form a quorum.
type Cluster struct {
	Name     string // in messages, and of the directories: etcd-1, etcd-2
	Members  int    // 1 when 0
	Product  images.Product
	Launcher Launcher // where they run; as children with directories of their own when nil
	// Recipe says how to start one of them. All members have addresses, for clients and for each
	// other (Bus), and places for their files, but no process yet. Prepare, if set, is called once
	// before. Both are called again, with other addresses, when a port was taken.
	Recipe  func(i int, members []*Server) (Recipe, error)
	Prepare func(members []*Server) error
	Ready   func(ctx context.Context, s *Server) bool // whether a server serves clients
	Failing string                                    // what a server that is not ready in time "was not" or "did not"
	Cure    string                                    // what to do when one ends at its start: "try `etcd --version`"
	// PortTaken reports whether a server has ended because a port was taken; nil: look into its
	// log.
	PortTaken func(s *Server) bool
}

// StartCluster starts the servers of a cluster and returns when all of them are ready. Stop has to
// be called on each of them.
func StartCluster(ctx context.Context, c Cluster) ([]*Server, error) {
	c.Members = max(c.Members, 1)
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var members []*Server
	err := onFreePort(ctx, func(ctx context.Context) (err error) {
		if members, err = c.start(ctx); err == nil {
			return nil
		}
		for _, s := range members {
			err = errors.Join(err, s.Stop())
		}
		members = nil
		return err
	})
	return members, err
}

// start makes one try. It returns the servers of a failed one, too.
func (c *Cluster) start(ctx context.Context) ([]*Server, error) {
	var members []*Server
	for i := range c.Members {
		s := New(c.Name+"-"+strconv.Itoa(i+1), c.Product, c.Launcher)
		members = append(members, s)
		if err := s.settle(ctx); err != nil {
			return members, err
		}
	}
	if c.Prepare != nil {
		if err := c.Prepare(members); err != nil {
			return members, err
		}
	}
	for i, s := range members {
		r, err := c.Recipe(i, members)
		if err == nil {
			err = s.launch(ctx, r)
		}
		if err != nil {
			return members, err
		}
	}
	for _, s := range members {
		if err := c.await(ctx, s, members); err != nil {
			return members, err
		}
	}
	return members, nil
}

// await waits until a server is ready. It fails when any member has ended: a new cluster needs all
// of them.
func (c *Cluster) await(ctx context.Context, s *Server, members []*Server) error {
	return s.await(ctx, c.Failing+" on "+s.Addr, func() error { return c.failed(s) }, func() (bool, error) {
		for _, other := range members {
			if other.ended() {
				return false, c.failed(other)
			}
		}
		return c.Ready(ctx, s), nil
	})
}

func (c *Cluster) failed(s *Server) error {
	if c.PortTaken != nil && c.PortTaken(s) {
		return s.portTaken(s.LastLog())
	}
	return s.failedAtStart(c.Cure + ", and free memory and disk space")
}

// Child is a Recipe.Child that runs the program of that name.
func Child(name string) func(context.Context) (*exec.Cmd, error) {
	return func(context.Context) (*exec.Cmd, error) {
		path, err := programs.Find(name)
		if err != nil {
			return nil, err
		}
		return exec.Command(path), nil
	}
}

// JSON is the file of a configuration of texts, numbers and lists.
func JSON(config map[string]any) string {
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// ConfigDir is where a server looks for its configuration, as the server sees it.
func (s *Server) ConfigDir() string { return s.place.ConfigDir() }

// AtStop registers a function that Stop calls.
func (s *Server) AtStop(end func() error) { s.close = end }
