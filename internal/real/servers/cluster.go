package servers

import (
	"context"
	"encoding/json"
	"os/exec"
	"strconv"
	"time"

	"lockstep/internal/real/images"
)

// Cluster says how servers are started that find each other and then agree.
type Cluster struct {
	Name     string // in messages, and of the directories: etcd-1, etcd-2
	Members  int    // 1 when 0
	Product  images.Product
	Launcher Launcher // where they run; as children with directories of their own when nil
	// Recipe says how one of them is started. All have addresses, for clients and for each other (Bus), and places
	// for their files, and no process yet. Prepare is called before, for what they have together; nil for nothing.
	// Both are called again when a try has failed, with other addresses.
	Recipe  func(i int, members []*Server) (Recipe, error)
	Prepare func(members []*Server) error
	Ready   func(ctx context.Context, s *Server) bool // whether a server serves clients
	Failing string                                    // what it has not done when time is up: "was not healthy"
	Cure    string                                    // what to do when one ends at its start: "try `etcd --version`"
	// PortTaken reports whether one that has ended says that it could not have a port; nil: its log tells.
	PortTaken func(s *Server) bool
}

// StartCluster starts the servers of a cluster and returns when all of them are ready. Stop has to be called on
// each of them.
func StartCluster(ctx context.Context, c Cluster) ([]*Server, error) {
	c.Members, c.Launcher = max(c.Members, 1), launcherOr(c.Launcher, nil)
	return together(ctx, slowStartTime, c.start)
}

// start makes one try. The servers that it has made are returned with an error, too.
func (c *Cluster) start(ctx context.Context) ([]*Server, error) {
	var members []*Server
	for i := range c.Members {
		s := &Server{Name: c.Name + "-" + strconv.Itoa(i+1), product: c.Product, launcher: c.Launcher}
		members = append(members, s)
		if _, err := s.settle(ctx); err != nil {
			return members, err
		}
		bus, err := freePort()
		if err != nil {
			return members, err
		}
		s.Bus = loopback(bus)
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

// await waits until a server is ready, and as long as none of the others has ended: at first a cluster needs
// all of them.
func (c *Cluster) await(ctx context.Context, s *Server, members []*Server) error {
	return s.await(ctx, wait{
		first: 5 * time.Millisecond, longest: 20 * time.Millisecond,
		failing: c.Failing + " on " + s.Addr, ended: func() error { return c.failed(s) },
	}, func() (bool, error) {
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

// Child is the program of that name, for a Recipe.
func Child(name string) func(context.Context) (*exec.Cmd, error) {
	return func(context.Context) (*exec.Cmd, error) { return childOf("", name) }
}

// JSON is a configuration of texts, numbers and lists as a file has it.
func JSON(config map[string]any) string {
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// FreePort returns an unused port of the loopback interface.
func FreePort() (int, error) { return freePort() }

// ConfigDir is where a server looks for its configuration, as it sees it itself.
func (s *Server) ConfigDir() string { return s.place.ConfigDir() }

// AtStop has something of the server ended besides its process.
func (s *Server) AtStop(end func() error) { s.close = end }
