package servers

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// ClusterOptions make a Redis server a node of a Redis Cluster. They need Redis 7.0.
type ClusterOptions struct {
	// Host is the name in redirections to this node, instead of an address.
	Host string
	// AnnounceBus is the host:port that the node announces for its bus, by which nodes watch
	// each other. RedisOptions.Announce is that of its data.
	AnnounceBus string
	// NodeTimeout is the silence after which a node counts as failed, once the cluster is up.
	NodeTimeout time.Duration

	formed bool
}

// formingTimeout is the node timeout of a cluster that is not up yet, longer than in a run: so
// many new processes make the machine slow. But nodes exchange names as often as they ask, twice
// within this time, so the default of Redis, 15 s, would take six seconds.
const formingTimeout = 2 * time.Second

// slots is the number of hash slots of a cluster.
const slots = 16384

// clusterArgs are the flags of a node. Names instead of addresses in redirections make
// them the same in every run, except for the port.
func (s *Server) clusterArgs() []string {
	o := s.redis.Cluster
	if o == nil {
		return nil
	}
	_, bus, _ := net.SplitHostPort(s.Bus)
	host, port, _ := net.SplitHostPort(s.redis.Announce)
	_, announceBus, _ := net.SplitHostPort(o.AnnounceBus)
	timeout := formingTimeout
	if o.formed {
		timeout = o.NodeTimeout
	}
	return []string{
		"--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-config-file", "nodes.conf",
		"--cluster-announce-ip", host, "--cluster-announce-port", port, "--cluster-announce-bus-port", announceBus,
		"--cluster-announce-hostname", o.Host, "--cluster-preferred-endpoint-type", "hostname",
		"--cluster-node-timeout", strconv.FormatInt(timeout.Milliseconds(), 10),
	}
}

// forget makes a dead node come back without its dump, by giving that another name, but with the
// file of its identity and its votes.
func (s *Server) forget() { s.mark = newMark(s.Name) }

// FormCluster makes a Redis Cluster of started nodes that reach each other: the first ones are
// the primaries, in the order of their slots, and replica number i follows primary i modulo
// shards. It returns when all of them serve, redirect by name, and have the data of their
// primary.
func FormCluster(ctx context.Context, nodes []*Server, shards int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for i, s := range nodes[:shards] {
		if _, err := s.Command(ctx, "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
		first, last := firstSlot(i, shards), firstSlot(i+1, shards)-1
		if _, err := s.Command(ctx, "CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last)); err != nil {
			return err
		}
	}
	for i, s := range nodes {
		for _, other := range nodes[i+1:] {
			if err := s.meet(ctx, other); err != nil {
				return err
			}
		}
	}
	for i, s := range nodes[shards:] {
		if err := s.followInCluster(ctx, nodes[i%shards]); err != nil {
			return err
		}
	}
	for _, s := range nodes {
		serves := func(ctx context.Context) (bool, error) { return s.servesSlots(ctx, len(nodes)) }
		if err := s.Soon(ctx, notTogether, serves, nodes...); err != nil {
			return err
		}
	}
	for i, s := range nodes[:shards] {
		var replicas []*Server
		for k := i + shards; k < len(nodes); k += shards {
			replicas = append(replicas, nodes[k])
		}
		if err := s.WaitReplicas(ctx, replicas); err != nil {
			return err
		}
	}
	for _, s := range nodes {
		o := s.redis.Cluster
		o.formed = true
		if _, err := s.Command(ctx, "CONFIG", "SET", "cluster-node-timeout", strconv.FormatInt(o.NodeTimeout.Milliseconds(), 10)); err != nil {
			return err
		}
	}
	return nil
}

// firstSlot returns the first slot of a shard, rounded as `redis-cli --cluster create`
// does.
func firstSlot(shard, shards int) int { return (2*shard*slots + shards) / (2 * shards) }

// meet introduces two nodes to each other. Gossip would do so, too, some seconds later.
func (s *Server) meet(ctx context.Context, other *Server) error {
	host, port, _ := net.SplitHostPort(other.redis.Announce)
	_, bus, _ := net.SplitHostPort(other.redis.Cluster.AnnounceBus)
	_, err := s.Command(ctx, "CLUSTER", "MEET", host, port, bus)
	return err
}

// followInCluster makes a node the replica of another one, as soon as it knows that one.
func (s *Server) followInCluster(ctx context.Context, primary *Server) error {
	id, err := primary.Command(ctx, "CLUSTER", "MYID")
	if err != nil {
		return err
	}
	return s.Soon(ctx, notTogether, func(ctx context.Context) (bool, error) {
		_, err := s.Command(ctx, "CLUSTER", "REPLICATE", id.Str)
		return err == nil, err
	}, primary)
}

// servesSlots reports whether a node serves its clients, and knows the names of all others.
func (s *Server) servesSlots(ctx context.Context, nodes int) (bool, error) {
	reply, err := s.Command(ctx, "CLUSTER", "INFO")
	if err != nil || !strings.Contains(reply.Str, "cluster_state:ok") {
		return false, err
	}
	// CLUSTER SLOTS would leave out replicas of an empty primary.
	reply, err = s.Command(ctx, "CLUSTER", "NODES")
	if err != nil {
		return false, err
	}
	known := 0
	for line := range strings.Lines(reply.Str) {
		// id, ip:port@port,name, flags, primary, ping, pong, epoch, link
		words := strings.Fields(line)
		if len(words) < 8 {
			continue
		}
		_, name, _ := strings.Cut(words[1], ",")
		lost := strings.Contains(words[2], "fail") || strings.Contains(words[2], "handshake")
		if name != "" && !lost && words[7] == "connected" {
			known++
		}
	}
	return known == nodes, nil
}

// ShardOf returns the number of the shard, counted from 0, that a key is in.
func ShardOf(ctx context.Context, node *Server, key string, shards int) (int, error) {
	slot, err := node.Command(ctx, "CLUSTER", "KEYSLOT", key)
	if err != nil {
		return 0, err
	}
	for shard := range shards {
		if int(slot.Int) < firstSlot(shard+1, shards) {
			return shard, nil
		}
	}
	return 0, fmt.Errorf("%s says that %q has slot %d", node.Name, key, slot.Int)
}
