package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/ports"
)

// Port is one endpoint as one client sees it: a server, or the primary of a
// replicated group wherever it is at the moment. Redlock gets five of them.
type Port interface {
	// Do sends one command and waits for its reply, at most for the response
	// timeout of the scenario or until ctx ends. The error of the reply is
	// ports.ErrTimeout, ports.ErrConnection, an error of ctx, or a ServerError.
	Do(ctx context.Context, cmd Cmd) Reply
	// Dial opens a separate connection to the server that Do would ask now, and stays
	// with that server. WAIT needs one: it is about the writes before the last use of
	// its connection. On a real server Dial takes a round trip, and fails as Do does.
	Dial(ctx context.Context) (Conn, error)
	// Subscribe listens to a channel. It returns when the server has confirmed.
	Subscribe(ctx context.Context, channel string) (Subscription, error)
}

// Conn is one connection to one server.
type Conn interface {
	// Do is Port.Do on this connection; ports.ErrConnection once it is broken.
	Do(ctx context.Context, cmd Cmd) Reply
	Close()
}

// Subscription is a subscribed channel. Messages are queued until Next takes them. A
// message published while the connection is broken is lost, as always with Redis.
type Subscription interface {
	// Next waits for the next message; ports.ErrConnection once the connection is broken.
	Next(ctx context.Context) (string, error)
	Close()
}

// Sharded is a Port to a Redis Cluster, over one Port to each of its nodes. The ClusterClient of a
// library would hide which server a command goes to, and resend some commands. Sharded remembers
// which node serves each key, follows redirections, and after a node that has not answered asks the
// next one, which executes the command or redirects it. (Redis Cluster specification, "MOVED
// redirection".)
type Sharded struct {
	nodes  []Port
	names  []string
	first  int            // the node to ask about an unknown key
	lock   string         // the key that Dial and Subscribe are about
	serves map[string]int // the node, by key
}

// NewSharded returns a client of nodes with these names; first is the index of the node to ask
// first.
func NewSharded(nodes []Port, names []string, first int, lock string) *Sharded {
	return &Sharded{nodes, names, first, lock, map[string]int{}}
}

// maxRedirects is how often a client follows redirections of one command, as go-redis does.
const maxRedirects = 3

// Do implements Port.
func (s *Sharded) Do(ctx context.Context, cmd Cmd) (reply Reply) {
	key := ""
	if keys := KeysOf(&cmd); len(keys) > 0 {
		key = keys[0]
	}
	for range maxRedirects + 1 {
		node := s.node(key)
		reply = s.nodes[node].Do(ctx, cmd)
		to := slices.Index(s.names, movedTo(reply))
		if to < 0 { // a redirection to an unknown host is the lock's to handle
			if askElsewhere(reply) {
				s.serves[key] = (node + 1) % len(s.nodes)
			}
			return reply
		}
		s.serves[key] = to
	}
	return reply
}

func (s *Sharded) node(key string) int {
	if node, known := s.serves[key]; known {
		return node
	}
	return s.first
}

// Dial implements Port: to the node that is believed to serve the lock.
func (s *Sharded) Dial(ctx context.Context) (Conn, error) {
	return s.nodes[s.node(s.lock)].Dial(ctx)
}

// Subscribe implements Port.
func (s *Sharded) Subscribe(ctx context.Context, channel string) (Subscription, error) {
	return s.nodes[s.node(s.lock)].Subscribe(ctx, channel)
}

// Moved is the reply of a node to a command on a slot that another one serves.
func Moved(slot int, node string) ServerError {
	return ServerError(fmt.Sprintf("MOVED %d %s:6379", slot, node))
}

// movedTo returns the host that a reply redirects to, without its port; "" unless it
// redirects.
func movedTo(r Reply) string {
	words := serverWords(r)
	if len(words) != 3 || words[0] != "MOVED" {
		return ""
	}
	host, _, _ := strings.Cut(words[2], ":")
	return host
}

// askElsewhere reports whether a client should ask another node next time: this one has
// not answered, or is in a part of the cluster that refuses all requests.
func askElsewhere(r Reply) bool {
	words := serverWords(r)
	return r.Err == ports.ErrTimeout || r.Err == ports.ErrConnection || len(words) > 0 && words[0] == "CLUSTERDOWN" // never wrapped
}

// serverWords are the words of an error that a server has sent; nil for other replies.
func serverWords(r Reply) []string {
	if err, ok := r.Err.(ServerError); ok && r.Kind == ReplyError {
		return strings.Fields(string(err))
	}
	return nil
}
