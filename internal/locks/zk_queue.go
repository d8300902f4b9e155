package locks

import (
	"context"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

// zkQueue is the queue of the official recipe: sequential nodes below /lock, of
// which the one with the lowest number holds the lock.
type zkQueue struct{ zkClient }

// zkPlace is a client's place in the queue.
type zkPlace struct {
	prefix  string // of its node's name: no other acquisition has it
	session *zookeeper.Session
	node    string // its name, "" while the client knows of none
	unsure  bool   // a create has had no answer: the node may exist
}

func (q *zkQueue) root() string { return "/" + q.Name }

// stand waits in the queue until the place is the first one. After a lost connection it looks for
// the node that it may have; after the end of the session it begins again, at the end of the queue.
func (q *zkQueue) stand(ctx context.Context, p *zkPlace) error {
	for {
		session, err := q.open(ctx)
		if err != nil {
			return err
		}
		if session != p.session {
			p.session, p.node, p.unsure = session, "", false
		}
		switch err := q.advance(ctx, p); err {
		case ports.ErrConnection, zookeeper.ErrSessionExpired:
		case zookeeper.ErrNoNode: // the node has been removed
			p.node = ""
		default:
			return err
		}
	}
}

// advance takes a place and moves up with it.
func (q *zkQueue) advance(ctx context.Context, p *zkPlace) error {
	if p.unsure {
		if err := q.find(ctx, p); err != nil {
			return err
		}
	}
	if p.node == "" {
		if err := q.create(ctx, p); err != nil {
			return err
		}
	}
	for {
		names, err := p.session.Children(ctx, q.root())
		if err != nil {
			return err
		}
		ahead, listed := nextAhead(names, p.node)
		if !listed {
			return zookeeper.ErrNoNode
		}
		if ahead == "" {
			return nil
		}
		if err := waitGone(ctx, p.session, q.root()+"/"+ahead); err != nil {
			return err
		}
	}
}

// create makes the node, and the queue itself when it is the first one ever.
func (q *zkQueue) create(ctx context.Context, p *zkPlace) error {
	p.unsure = true
	path, err := p.session.Create(ctx, q.root()+"/"+p.prefix, "", zookeeper.EphemeralSequential)
	if err == zookeeper.ErrNoNode {
		_, err = p.session.Create(ctx, q.root(), "", zookeeper.Persistent)
		if err != nil && err != zookeeper.ErrNodeExists {
			return err
		}
		path, err = p.session.Create(ctx, q.root()+"/"+p.prefix, "", zookeeper.EphemeralSequential)
	}
	if err != nil {
		return err
	}
	p.node, p.unsure = path[len(q.root())+1:], false
	return nil
}

// find looks whether a create whose reply was lost has made the node.
func (q *zkQueue) find(ctx context.Context, p *zkPlace) error {
	names, err := p.session.Children(ctx, q.root())
	if err != nil && err != zookeeper.ErrNoNode {
		return err
	}
	for _, name := range names {
		if len(name) > len(p.prefix) && name[:len(p.prefix)] == p.prefix {
			p.node = name
		}
	}
	p.unsure = false
	return nil
}

// remove removes the node, again after each lost connection: no other node can have the
// name. ErrNotHeld when it was gone.
func (q *zkQueue) remove(ctx context.Context, p *zkPlace) error {
	for {
		err := q.connected(ctx, p.session)
		if err == nil {
			err = q.removeOnce(ctx, p)
		}
		switch err {
		case ports.ErrConnection: // again
		case zookeeper.ErrSessionExpired: // the node went with the session
			return ErrNotHeld
		default:
			return err
		}
	}
}

// removeOnce tries to remove the node; the client may not know whether there is one.
func (q *zkQueue) removeOnce(ctx context.Context, p *zkPlace) error {
	if p.unsure {
		if err := q.find(ctx, p); err != nil {
			return err
		}
	}
	if p.node == "" {
		return ErrNotHeld
	}
	return deleteNode(ctx, p.session, q.root()+"/"+p.node)
}

// sequenceDigits is how many digits the server appends to a sequential node's name.
const sequenceDigits = 10

// number returns the digits that the server has appended. They sort as text.
func number(name string) string { return name[max(len(name)-sequenceDigits, 0):] }

// nextAhead returns the name with the next lower number, "" for none, and whether
// the own one is in the list.
func nextAhead(names []string, own string) (ahead string, listed bool) {
	for _, name := range names {
		switch {
		case name == own:
			listed = true
		case number(name) < number(own) && (ahead == "" || number(name) > number(ahead)):
			ahead = name
		}
	}
	return ahead, listed
}
