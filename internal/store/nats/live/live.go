// Package live plays NATS on real servers. They are this program, started again as a child: the
// server is a Go library, of the version in go.mod, and its own program only reads flags.
package live

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/nats"
)

func init() {
	program.Main(serve)
	livestore.Register(livestore.Driver{
		Store: nats.ID, LeastElection: nats.Election, Stagger: 50 * time.Millisecond, Removals: removals,
		NoClock: errors.New("a Go program reads the kernel's clock directly, which cannot be intercepted here"),
		Cluster: cluster, Leads: leads, Protocol: protocol, Connect: connect, Probe: nats.Get{Key: "nothing"},
	})
}

const program servers.Library = "LOCKSTEP_NATS_CONFIG"

// serve runs a server until it shuts down.
func serve(file string) error {
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err == nil {
		s.ConfigureLogger()
		s.Start()
		s.WaitForShutdown()
	}
	return err
}

// The bucket, its stream, and the prefix of its keys' subjects.
const (
	bucketName = "locks"
	streamName = "KV_" + bucketName
	subjects   = "$KV." + bucketName + "."
)

// cluster says how servers are started: a server is ready when it answers for the bucket.
func cluster(w livestore.Wish) servers.Cluster {
	bucket := jetstream.KeyValueConfig{Bucket: bucketName, TTL: nats.TTL(w.Settings), Replicas: max(w.Members, 1)}
	return servers.Cluster{
		Recipe: func(i int, members []*servers.Server) (servers.Recipe, error) { return recipe(i, members, w) },
		Ready: func(ctx context.Context, s *servers.Server) bool {
			return at(ctx, s, func(ctx context.Context, js jetstream.JetStream) error {
				_, err := js.CreateOrUpdateKeyValue(ctx, bucket)
				return err
			}) == nil
		},
		Failing: "had no bucket", Cure: "look at its log",
	}
}

// recipe says how a server is started. Servers tell each other the addresses of further ones, which
// would bypass the links: so they advertise a dead address, and reach each other by their routes
// only.
func recipe(i int, members []*servers.Server, w livestore.Wish) (servers.Recipe, error) {
	s := members[i]
	ways, err := w.Ways(i, members)
	for i := range ways {
		ways[i] = "nats-route://" + ways[i]
	}
	config := map[string]any{
		"server_name": s.Name, "listen": s.Addr, "jetstream": map[string]any{"store_dir": filepath.Join(s.Dir, "data")},
	}
	if len(ways) > 0 {
		config["cluster"] = map[string]any{
			"name": "lockstep", "listen": s.Bus, "routes": ways, "pool_size": -1, "advertise": "127.0.0.1:1", "no_advertise": true,
		}
	}
	return program.Recipe(s, config, err)
}

// at calls do with a separate connection to a server, past all links.
func at(ctx context.Context, s *servers.Server, do func(context.Context, jetstream.JetStream) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := client.Connect(s.Addr, client.NoReconnect(), client.Timeout(time.Second))
	if err != nil {
		return err
	}
	defer c.Close()
	js, err := jetstream.New(c)
	if err != nil {
		return err
	}
	return do(ctx, js)
}

// leads reports whether a server says that it leads the bucket's stream. Without a leader, it refuses.
func leads(ctx context.Context, s *servers.Server) (is bool, err error) {
	err = at(ctx, s, func(ctx context.Context, js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, streamName)
		is = err == nil && (stream.CachedInfo().Cluster == nil || stream.CachedInfo().Cluster.Leader == s.Name)
		return nil
	})
	return is, err
}
