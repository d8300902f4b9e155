package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// visited is a key that marks the other entries as those of a killed run, which the next
// run may remove.
const visited = "lockstep:visited"

// resident reports whether the server is one that the user has started.
func (s *Server) resident() bool {
	_, yes := s.place.(Resident)
	return yes
}

// checkReusable is nil when a running server may be used and restarted. It refuses one with data, which
// its user may need. The previous run, or its reaper, may have restarted it a moment ago.
func (s *Server) checkReusable(ctx context.Context) error {
	for {
		_, err := s.Command(ctx, "PING")
		if err == nil {
			return s.mayBeEmptied(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: its process runs, and it did not answer on %s until %v were over", err, s.Addr, slowStartTime)
		case <-time.After(portPause):
		}
	}
}

// mayBeEmptied is nil when the server is empty or has only the entries of a run.
func (s *Server) mayBeEmptied(ctx context.Context) error {
	ours, err := s.Command(ctx, "EXISTS", visited)
	if err != nil {
		return err
	}
	info, err := s.Info(ctx, "keyspace")
	if err != nil || ours.IsInt(1) || len(info) == 0 {
		return err
	}
	return fmt.Errorf("%s on %s has entries that no run has made (%s): a run would remove them; empty it yourself with redis-cli FLUSHALL", s.Name, s.Addr, describe(info))
}

// describe says what is in the first database that has entries.
func describe(keyspace map[string]string) string {
	for i := range 16 { // the default number of databases
		name := fmt.Sprintf("db%d", i)
		if what, ok := keyspace[name]; ok {
			return name + ": " + what
		}
	}
	return "unknown"
}

// applySettings gives a resident server that has just been restarted the settings of the run, and
// empties it.
func (s *Server) applySettings(ctx context.Context) error {
	if !s.resident() {
		return nil
	}
	var errs []error
	run := func(args ...string) {
		_, err := s.Command(ctx, args...)
		errs = append(errs, err)
	}
	run("REPLICAOF", "NO", "ONE")
	run("FLUSHALL")
	for _, setting := range redisSettings(&s.redis) {
		run("CONFIG", "SET", setting[0], setting[1])
	}
	if s.redis.ReplicaOf == "" {
		run("SET", visited, "by a run of lockstep")
	} else {
		host, port, _ := net.SplitHostPort(s.redis.ReplicaOf)
		run("REPLICAOF", host, port)
	}
	return errors.Join(errs...)
}
