package real

import (
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/real/link"
)

// mesh is how servers reach each other: each has one address that all use, and for
// each pair there is a link, which a partition holds.
type mesh struct {
	g     *group
	peers []*peer
	paths []*path
}

// peer is a server's place in a mesh. It is there before the server is.
type peer struct {
	name   string
	node   history.NodeID
	source string // the loopback address that it calls from
	front  *link.Front
}

// path carries what one server asks another, and what that one answers.
type path struct {
	from, to *peer
	link     *link.Link
	// severed: the one that is asked has died, and what it owed is lost. Lag stands for
	// data that a primary has not sent yet; the link only holds it because the server
	// cannot be told to.
	severed bool
}

// openMesh makes places for servers.
func openMesh(g *group, names []string) (*mesh, error) {
	m := &mesh{g: g}
	for i, name := range names {
		front, err := link.OpenFront()
		if err != nil {
			return m, err
		}
		m.peers = append(m.peers, &peer{
			name: name, node: g.h.nodes[name], front: front,
			source: fmt.Sprintf("127.0.1.%d", i+1),
		})
	}
	return m, nil
}

// of returns a server's place.
func (m *mesh) of(name string) *peer {
	for _, p := range m.peers {
		if p.name == name {
			return p
		}
	}
	panic("real: a server without a place in the mesh: " + name)
}

// at returns the name of the server that others call by that address, "" for none.
func (m *mesh) at(addr string) string {
	for _, p := range m.peers {
		if p.front.Addr() == addr {
			return p.name
		}
	}
	return ""
}

// join lets all others call a server that has been started and that listens there.
func (m *mesh) join(name, addr string) error {
	to := m.of(name)
	for _, from := range m.peers {
		if from == to {
			continue
		}
		l, err := link.Open(link.Options{Name: from.name + " to " + to.name, Upstream: addr, Raw: true})
		if err != nil {
			return err
		}
		m.paths = append(m.paths, &path{from: from, to: to, link: l})
		to.front.Admit(from.source, l)
	}
	return nil
}

// died cuts off what a dead server owed, and lets its callers wait.
func (m *mesh) died(name string) { m.severed(name, true) }

// returns undoes died; it comes before the server is there again, to whom nothing of
// what it is asked must get lost.
func (m *mesh) returns(name string) { m.severed(name, false) }

func (m *mesh) severed(name string, severed bool) {
	to := m.of(name)
	to.front.Shut(severed)
	for _, p := range m.paths {
		if p.to == to {
			p.severed = severed
		}
	}
}

// apply switches the paths as the partitions, the deaths and the lag of replication
// want it.
func (m *mesh) apply(lag time.Duration) {
	for _, p := range m.paths {
		if m.keepsData(p.from) && m.keepsData(p.to) {
			p.link.Delay(link.Down, lag)
		}
		p.link.Switch(link.Up, m.g.mode(p.from.node, p.to.node))
		down := m.g.mode(p.to.node, p.from.node)
		if p.severed {
			down = link.Drop
		}
		p.link.Switch(link.Down, down)
	}
}

func (m *mesh) keepsData(p *peer) bool {
	return m.g.h.header.Nodes[p.node-1].Role == history.RoleStore
}

// close closes all addresses and links.
func (m *mesh) close() error {
	var errs []error
	for _, p := range m.peers {
		errs = append(errs, p.front.Close())
	}
	for _, p := range m.paths {
		errs = append(errs, p.link.Close())
	}
	return errors.Join(errs...)
}
