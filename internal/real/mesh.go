package real

import (
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/real/link"
)

// mesh is how servers reach each other: for each pair there is a link, which a
// partition holds. Where servers tell each other where to find third ones, each has one
// address besides, behind which all others are led to their links.
type mesh struct {
	g     *group
	peers []*peer
	paths []*path
}

// peer is a server's place in a mesh. It is there before the server is.
type peer struct {
	name   string
	node   history.NodeID
	source string      // the loopback address that it calls from, where it has a front
	front  *link.Front // nil where each is told of the links to it
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

// newMesh makes places for servers, each of which is told of the links to the others.
func newMesh(g *group, names []string) *mesh {
	m := &mesh{g: g}
	for _, name := range names {
		m.peers = append(m.peers, &peer{name: name, node: g.h.nodes[name]})
	}
	return m
}

// openMesh makes places for servers that have one address each.
func openMesh(g *group, names []string) (*mesh, error) {
	m := newMesh(g, names)
	for i, p := range m.peers {
		front, err := link.OpenFront("127.0.0.1")
		if err != nil {
			return m, err
		}
		p.front, p.source = front, fmt.Sprintf("127.0.1.%d", i+1)
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
		if p.front != nil && p.front.Addr() == addr {
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
		if to.front != nil {
			to.front.Admit(from.source, l)
		}
	}
	return nil
}

// way returns the address at which one server reaches another that has joined.
func (m *mesh) way(from, to string) string {
	for _, p := range m.paths {
		if p.from.name == from && p.to.name == to {
			return p.link.Addr()
		}
	}
	panic("real: no way from " + from + " to " + to)
}

// died cuts off what a dead server owed, and lets its callers wait.
func (m *mesh) died(name string) {
	m.shut(name, true)
	m.severed(name, true)
}

// returns comes before a dead server is there again: nothing of what it answers must get
// lost. Its callers go on waiting until it serves.
func (m *mesh) returns(name string) { m.severed(name, false) }

// serves lets callers through to a server that has returned. It is called once the server
// listens, not before: a replica that is refused retries only after a whole second, which
// no scale shortens.
func (m *mesh) serves(name string) { m.shut(name, false) }

// shut lets the callers of a server wait, where its address is the mesh's.
func (m *mesh) shut(name string, shut bool) {
	if front := m.of(name).front; front != nil {
		front.Shut(shut)
	}
}

func (m *mesh) severed(name string, severed bool) {
	to := m.of(name)
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

// ways are its links; none where there is no mesh.
func (m *mesh) ways() (out []way) {
	if m == nil {
		return nil
	}
	for _, p := range m.paths {
		out = append(out, way{p.from.node, p.to.node, p.link})
	}
	return out
}

// close closes all addresses and links.
func (m *mesh) close() error {
	var errs []error
	for _, p := range m.peers {
		if p.front != nil {
			errs = append(errs, p.front.Close())
		}
	}
	for _, p := range m.paths {
		errs = append(errs, p.link.Close())
	}
	return errors.Join(errs...)
}
