package real

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/real/link"
)

// mesh connects the servers: each ordered pair has a link, which partitions can hold. Where
// servers tell each other the addresses of third ones, each also has a front: one address
// that forwards every caller to its own link.
type mesh struct {
	g     *group
	peers []*peer
	paths []*path
}

// peer is a server's place in a mesh. It exists before the server is started.
type peer struct {
	name   string
	node   history.NodeID
	source string      // the loopback address that it calls from, where it has a front
	front  *link.Front // nil where servers are told the links
}

// path carries the requests of one server to another, and the responses.
type path struct {
	from, to *peer
	link     *link.Link
	// severed: the server at to has died, and its unsent responses are lost. Delayed replication
	// stands for data that a primary has not sent yet; the link holds it because a server
	// has no setting for that.
	severed bool
}

// newMesh makes places for servers that are told the links to the others.
func newMesh(g *group, names []string) *mesh {
	m := &mesh{g: g}
	for _, name := range names {
		m.peers = append(m.peers, &peer{name: name, node: g.h.nodes[name]})
	}
	g.meshes = append(g.meshes, m)
	return m
}

// openMesh makes places for servers with fronts.
func openMesh(g *group, names []string) (*mesh, error) {
	m := newMesh(g, names)
	host := func(int) string { return "127.0.0.1" }
	return m, m.openFronts(host, func(i int) string { return fmt.Sprintf("127.0.1.%d", i+1) })
}

// openFronts gives each server a front on a host, and the host that it calls from.
func (m *mesh) openFronts(front, source func(i int) string) (err error) {
	for i, p := range m.peers {
		if p.front, err = link.OpenFront(front(i)); err != nil {
			return err
		}
		p.source = source(i)
	}
	return nil
}

// of returns a server's place, which must exist.
func (m *mesh) of(name string) *peer {
	return m.peers[slices.IndexFunc(m.peers, func(p *peer) bool { return p.name == name })]
}

// open opens a link from one server to another, which listens at addr.
func (m *mesh) open(from, to *peer, addr string) (*link.Link, error) {
	l, err := link.Open(link.Options{Name: from.name + " to " + to.name, Upstream: addr, Raw: true})
	if err == nil {
		m.paths = append(m.paths, &path{from: from, to: to, link: l})
	}
	return l, err
}

// join makes the links from all others to a server that listens at addr, and from itself to its
// front, if it has one.
func (m *mesh) join(name, addr string) error {
	to := m.of(name)
	for _, from := range m.peers {
		if from == to && to.front == nil {
			continue
		}
		l, err := m.open(from, to, addr)
		if err != nil {
			return err
		}
		if to.front != nil {
			to.front.Admit(from.source, l)
		}
	}
	return nil
}

// way returns the address of the link from one server to another, which must have joined.
func (m *mesh) way(from, to string) string {
	i := slices.IndexFunc(m.paths, func(p *path) bool { return p.from.name == from && p.to.name == to })
	return m.paths[i].link.Addr()
}

// died drops the unsent responses of a dead server, and makes its callers wait.
func (m *mesh) died(name string) {
	m.shut(name, true)
	m.severed(name, true)
}

// comesBack starts a dead server again. Its responses are no longer dropped, and its callers are
// admitted when it listens, not before: a refused replica retries only after a whole second, which
// no scale shortens.
func (g *group) comesBack(m *member, start func() error) error {
	g.h.mu.Lock()
	for _, mesh := range g.meshes {
		mesh.severed(m.name, false)
	}
	g.h.store.reachabilityChanged()
	g.h.mu.Unlock()
	if err := start(); err != nil {
		return err
	}
	for _, mesh := range g.meshes {
		mesh.shut(m.name, false)
	}
	return nil
}

// shut makes the callers at a server's front wait, or admits them.
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

// apply switches the paths according to partitions, deaths and the lag of replication.
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

// close closes all fronts and links.
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
	m.paths = nil
	return errors.Join(errs...)
}
