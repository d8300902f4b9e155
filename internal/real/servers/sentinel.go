package servers

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
)

// Watched is the name under which sentinels know the group of servers.
const Watched = "lockstep"

// SentinelOptions says how to start a sentinel, and what it watches over.
type SentinelOptions struct {
	Name     string   // in messages and as the name of its directory
	Launcher Launcher // nil: a child with a directory in memory
	// Primary is the host:port of the primary. It has to be the address that replicas use:
	// sentinels reconfigure a replica of any other one.
	Primary  string
	Source   string // loopback address that it connects from; "" for any
	Announce string // host:port that it announces to other sentinels; "" for its own
	// Quorum is how many sentinels must find the primary down.
	Quorum int
	// DownAfter is how long the primary must be silent.
	DownAfter time.Duration
	// DemoteAfter is how long a known replica may act as a primary before the sentinel makes it
	// a replica again; 0 for 1.6 s. It has to be longer than PromotionTime, in which no failover
	// is announced: otherwise a sentinel on the old primary's side of a partition undoes each one.
	DemoteAfter time.Duration
	// Timeout is how long the sentinel tries one failover (failover-timeout), and tolerates a
	// replica of the wrong primary; 0 for 3 s. The next failover may be tried after twice that
	// time. It has to be longer than PromotionTime.
	Timeout time.Duration
	// Speed is the rate of the sentinel's clocks relative to the host's; 0 stands for 1. A run
	// at a tenth of the scenario's durations needs ten times the speed: much of what a sentinel
	// does takes a second in any configuration, see PromotionTime. More than 1 needs libfaketime.
	// All durations here are in the sentinel's own time.
	Speed int
}

// PromotionTime is the least time between a sentinel's order to a replica to be the primary and
// the announcement to clients: it asks the replica for its role once per second, which no
// setting changes.
const PromotionTime = time.Second

// The defaults of SentinelOptions.
const (
	demoteAfter     = 1600 * time.Millisecond
	failoverTimeout = 3 * time.Second
)

// Periods of a sentinel, shorter than its defaults so that all of them know each
// other within a second.
//
// ping-period: a replica is chosen only if it has answered within five times this.
//
// min-link-reconnect-period: a sentinel drops a connection without an answer after half of
// DownAfter, and the next one after this time. With 50 ms, three of them opened hundreds of
// connections per second to a server beyond a cut, which holds all of them.
//
// hurry adds publish-period: a quarter of DemoteAfter.
var sentinelPeriods = []string{
	"info-period", "50", "ping-period", "200", "ask-period", "50",
	"min-link-reconnect-period", "500", "slave-reconf-timeout", "500",
}

// tiltTrigger is the pause after which a sentinel distrusts its machine, and does nothing for
// half a minute. It is the default, in the host's time: to a sentinel with a fast clock, each
// wait for a processor would be such a pause.
const tiltTrigger = 2 * time.Second

// patience is DownAfter until all sentinels are up: while a machine starts a dozen processes,
// one of them is soon silent for longer than a run allows.
const patience = time.Hour

// StartSentinel starts a sentinel and returns when it answers. It knows no peers and detects no
// failure before WaitSentinels.
func StartSentinel(ctx context.Context, o SentinelOptions) (*Server, error) {
	s := New(o.Name, images.Redis, o.Launcher)
	s.redis, s.watches = RedisOptions{Name: o.Name}, &o
	if c, child := s.launcher.(children); child {
		// A sentinel writes its vote to the disk before it answers. On a slow disk votes are
		// split, and the promotion is seconds late.
		s.launcher = children{inMemory: true, watch: c.watch}
	}
	if err := StartAlone(ctx, s, Alone{Recipe: s.sentinelRecipe, Answers: s.sentinelAnswers, prepare: s.hurry}); err != nil {
		return nil, err
	}
	return s, nil
}

// sentinelAnswers implements Alone.Answers.
func (s *Server) sentinelAnswers(ctx context.Context) error {
	info, err := s.Info(ctx, "server")
	if err == nil && filepath.Base(info["config_file"]) != s.mark+configSuffix {
		err = ErrPortTaken
	}
	return err
}

// hurry shortens the periods of a sentinel that has just started.
func (s *Server) hurry(ctx context.Context) error {
	speed := max(s.watches.Speed, 1)
	tilt := strconv.FormatInt(tiltTrigger.Milliseconds()*int64(speed), 10)
	publish := cmp.Or(s.watches.DemoteAfter, demoteAfter) / 4
	args := append([]string{"SENTINEL", "DEBUG", "publish-period", strconv.FormatInt(publish.Milliseconds(), 10)}, sentinelPeriods...)
	if _, err := s.Command(ctx, append(args, "tilt-trigger", tilt)...); err != nil || speed == 1 {
		return err
	}
	var seen pace
	return s.watchClock(ctx, &seen, func() error {
		before := time.Now()
		info, err := s.Info(ctx, "server")
		if err != nil {
			return err
		}
		shown, err := strconv.ParseInt(info["server_time_usec"], 10, 64)
		seen.add(before, time.Now(), time.UnixMicro(shown))
		return err
	})
}

// configSuffix follows the mark in the name of a sentinel's configuration.
const configSuffix = ".conf"

// sentinelRecipe gives a sentinel its first configuration. It saves its state there, from which
// it continues after a restart.
func (s *Server) sentinelRecipe(port int) Recipe {
	path := filepath.Join(s.Dir, s.mark+configSuffix)
	r := Recipe{
		Args:  []string{path, "--sentinel"},
		Child: Child("redis-server"), // which is also the program of sentinels
	}
	if speed := s.watches.Speed; speed > 1 {
		r.Faketime, r.Env = true, map[string]string{"FAKETIME": fmt.Sprintf("+0 x%d", speed)}
	}
	if s.configured != s.mark {
		r.Files = map[string]string{path: s.watches.config(port, s.Dir)}
		s.configured = s.mark
	}
	return r
}

// config is the first configuration of a sentinel.
func (o *SentinelOptions) config(port int, dir string) string {
	lines := []string{"port " + strconv.Itoa(port), "bind 127.0.0.1", "protected-mode no", "dir " + dir}
	if o.Source != "" {
		lines = append(lines, "bind-source-addr "+o.Source)
	}
	if o.Announce != "" {
		host, port, _ := net.SplitHostPort(o.Announce)
		lines = append(lines, "sentinel announce-ip "+host, "sentinel announce-port "+port)
	}
	host, at, _ := net.SplitHostPort(o.Primary)
	lines = append(lines,
		fmt.Sprintf("sentinel monitor %s %s %s %d", Watched, host, at, o.Quorum),
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", Watched, patience.Milliseconds()),
		fmt.Sprintf("sentinel failover-timeout %s %d", Watched, cmp.Or(o.Timeout, failoverTimeout).Milliseconds()))
	return strings.Join(lines, "\n") + "\n"
}

// WaitSentinels returns when all sentinels know and reach each other and all replicas. From then
// on they detect a silent primary.
func WaitSentinels(ctx context.Context, sentinels []*Server, replicas int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, s := range sentinels {
		settled := func(ctx context.Context) (bool, error) { return s.settled(ctx, len(sentinels)-1, replicas) }
		if err := s.Soon(ctx, notTogether, settled, sentinels...); err != nil {
			return err
		}
	}
	for _, s := range sentinels {
		down := strconv.FormatInt(max(s.watches.DownAfter.Milliseconds(), 1), 10)
		if _, err := s.Command(ctx, "SENTINEL", "SET", Watched, "down-after-milliseconds", down); err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether a sentinel knows and reaches that many others and replicas.
func (s *Server) settled(ctx context.Context, sentinels, replicas int) (bool, error) {
	for _, of := range []struct {
		what  string
		count int
	}{{"SENTINELS", sentinels}, {"REPLICAS", replicas}} {
		reply, err := s.Command(ctx, "SENTINEL", of.what, Watched)
		if err != nil || len(reply.Elements()) != of.count {
			return false, err
		}
		for _, known := range reply.Elements() {
			flags := known.Field("flags")
			if strings.Contains(flags, "down") || strings.Contains(flags, "disconnected") {
				return false, nil
			}
			if of.what == "REPLICAS" && known.Field("master-link-status") != "ok" {
				return false, nil
			}
		}
	}
	reply, err := s.Command(ctx, "SENTINEL", "MASTER", Watched)
	return err == nil && reply.Field("flags") == "master", err
}
