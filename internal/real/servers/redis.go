package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/monitor"
	"lockstep/internal/real/osproc"
)

// RedisOptions says how to start a Redis server. The zero value is a primary without a file.
type RedisOptions struct {
	Name      string   // in messages and as the name of its directory; "redis" when empty
	Launcher  Launcher // nil: a child with a directory of its own
	ReplicaOf string   // host:port of the primary, or of a proxy before it; "" for a primary
	// Fsync is when the append-only file reaches the disk: everysec or always; "" for a server
	// without such a file, whose death loses its data.
	Fsync string
	// MinReplicas refuses writes while fewer replicas have been heard from within
	// MinReplicasMaxLag, which is rounded up to whole seconds.
	MinReplicas       int
	MinReplicasMaxLag time.Duration
	// Source is the loopback address that the server connects from, by which a link.Front
	// recognises it; "" for any.
	Source string
	// Announce is the host:port that the server announces as its own; "" for its address.
	Announce string
	// Cluster makes the server a node of a Redis Cluster; nil for none. See FormCluster.
	Cluster *ClusterOptions
	// Clock starts the server under libfaketime, so that its clock can be set.
	Clock bool
}

// startTime bounds what started servers do together: to copy data, to find each other.
const startTime = 2 * time.Minute

// StartRedis starts a Redis server and returns when it answers.
func StartRedis(ctx context.Context, o RedisOptions) (*Server, error) {
	o.Name = cmp.Or(o.Name, "redis")
	s := New(o.Name, images.Redis, o.Launcher)
	s.redis = o
	a := Alone{Recipe: s.redisRecipe, Answers: s.redisAnswers, prepare: s.applySettings}
	if o.Clock {
		a.Clock = s.Time
	}
	if err := StartAlone(ctx, s, a); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) redisRecipe(port int) Recipe {
	return Recipe{
		Args:  append(redisArgs(strconv.Itoa(port), s.Dir, s.mark, &s.redis), s.clusterArgs()...),
		Child: Child("redis-server"),
	}
}

// Restart starts a killed server again on its port and in its directory, as a replica of
// another one unless replicaOf is empty. Without an append-only file it comes back empty, in
// a fresh place, since the old one has the dump that replication leaves.
//
// A killed server has lost nothing of its file, whatever Fsync says: what it wrote is in the
// memory of the operating system. Only the death of the machine would show the difference.
func (s *Server) Restart(ctx context.Context, replicaOf string) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	s.redis.ReplicaOf = replicaOf
	if s.redis.Cluster != nil {
		s.forget()
	} else if s.redis.Fsync == "" && s.watches == nil && !s.resident() {
		if err := s.move(ctx); err != nil {
			return fmt.Errorf("%s cannot be made to forget: %w", s.Name, err)
		}
	}
	return onOldPort(ctx, s.spawn)
}

// redisArgs are the flags of a server.
//
// repl-diskless-sync no: the default sends the first sync to a replica without a file, but
// waits five seconds for more replicas (a flag could change that), and in a quarter of the
// starts another second for the replica's confirmation, in which writes wait. With a file it
// takes ten milliseconds more and never that second. Replicas get the flag, too, since one of
// them serves after a failover.
//
// hz: WAIT and expiry are as coarse as the server's timer, 100 ms by default, which is much of
// a one-second lease.
//
// dbfilename, the file of a full sync, which exists even with saving off, is also the mark of
// the server.
func redisArgs(port, dir, mark string, o *RedisOptions) []string {
	args := []string{
		"--port", port, "--bind", "127.0.0.1", "--protected-mode", "no",
		"--save", "", "--dir", dir, "--dbfilename", mark, "--daemonize", "no",
		"--repl-diskless-sync", "no",
	}
	for _, setting := range redisSettings(o) {
		args = append(args, "--"+setting[0], setting[1])
	}
	if o.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(o.ReplicaOf)
		args = append(args, "--replicaof", host+" "+port)
	}
	return args
}

// redisSettings are the settings that a running server accepts, too: names and values.
func redisSettings(o *RedisOptions) [][2]string {
	settings := [][2]string{{"hz", "100"}, {"appendonly", "no"}}
	if o.Fsync != "" {
		settings = [][2]string{{"hz", "100"}, {"appendonly", "yes"}, {"appendfsync", o.Fsync}}
	}
	settings = append(settings, monitor.Settings)
	if o.Source != "" {
		settings = append(settings, [2]string{"bind-source-addr", o.Source})
	}
	if o.Announce != "" {
		host, port, _ := net.SplitHostPort(o.Announce)
		settings = append(settings, [2]string{"replica-announce-ip", host}, [2]string{"replica-announce-port", port})
	}
	if o.MinReplicas > 0 {
		seconds := (o.MinReplicasMaxLag + time.Second - 1) / time.Second
		settings = append(settings, [2]string{"min-replicas-to-write", strconv.Itoa(o.MinReplicas)},
			[2]string{"min-replicas-max-lag", strconv.Itoa(int(max(seconds, 1)))})
	}
	return settings
}

// FreeAddr returns an address on a host of the loopback network whose port is free now. It may be
// taken before the server binds it, but port 0 is no alternative: it switches TCP off in Redis.
func FreeAddr(host string) (string, error) {
	l, err := osproc.ListenLow(host)
	if err != nil {
		return "", fmt.Errorf("no free port on %s: %w", host, err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Port is the port of an address of a server.
func Port(addr string) int {
	_, port, _ := net.SplitHostPort(addr)
	number, _ := strconv.Atoi(port)
	return number
}

var errLoading = errors.New("it still reads its file")

// redisAnswers implements Alone.Answers. A resident server has its own port.
func (s *Server) redisAnswers(ctx context.Context) error {
	if !s.resident() {
		mark, err := s.Command(ctx, "CONFIG", "GET", "dbfilename")
		if err != nil {
			return err
		}
		if mark.Field("dbfilename") != s.mark {
			return ErrPortTaken
		}
	}
	// INFO is answered while the append-only file is still being read.
	disk, err := s.Info(ctx, "persistence")
	if err == nil && disk["loading"] != "0" {
		err = errLoading
	}
	return err
}
