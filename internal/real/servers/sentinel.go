package servers

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/store/redis"
)

// Watched is the name under which sentinels know the group of servers.
const Watched = "lockstep"

// SentinelOptions says how to start a sentinel, and what it watches over.
type SentinelOptions struct {
	Name     string   // in messages and as the name of its directory
	Program  string   // path of redis-server, which is a sentinel when asked to be one; looked up when empty
	Launcher Launcher // where it runs; as a child, with a directory in memory, when nil
	// Primary is the host:port of the primary. It has to be the address that its
	// replicas follow it by: sentinels lead a replica away from any other one.
	Primary  string
	Source   string // loopback address that it connects from; "" for any
	Announce string // host:port under which other sentinels are told to find it; "" for its own
	// Quorum is how many sentinels must find the primary down.
	Quorum int
	// DownAfter is how long the primary must be silent.
	DownAfter time.Duration
	// DemoteAfter is how long it watches a primary where it knows a replica before it makes
	// that one a replica again; 0 for 1.6 s. It has to be longer than PromotionTime,
	// during which no failover is announced: else a sentinel on the old primary's side of a
	// partition undoes every one.
	DemoteAfter time.Duration
	// Timeout is how long it tries one failover (failover-timeout), and how long it watches a
	// replica of the wrong primary; after twice that time the next failover may be tried. 0
	// for 3 s. It has to leave time for PromotionTime.
	Timeout time.Duration
	// Speed makes the sentinel's clocks run so many times as fast as the host's; 0
	// stands for 1. A run whose durations are a tenth of what the scenario says needs a
	// sentinel that lives ten times as fast: much of what it does takes a second
	// whatever it is told, see PromotionTime. More than 1 needs libfaketime. All
	// durations here are in the sentinel's own time.
	Speed int
}

// PromotionTime is what a sentinel takes at least between asking a replica to be
// the primary and telling clients of it: it asks the replica once per second
// whether it is one by now, and nothing makes it ask more often.
const PromotionTime = time.Second

// What sentinels are told when nothing else is said.
const (
	demoteAfter     = 1600 * time.Millisecond
	failoverTimeout = 3 * time.Second
)

// Periods of a sentinel, shorter than its defaults so that all of them know each
// other within a second.
//
// ping-period: a replica is chosen only when it has been heard of within five
// times this.
//
// min-link-reconnect-period: a sentinel gives up a connection without an answer for
// half of DownAfter, and the next one when it is as old as this. With 50 ms, three of them made
// hundreds of connections in each second to a server beyond a cut, and all of them are held there.
//
// publish-period, which is added: a quarter of DemoteAfter.
var sentinelPeriods = []string{
	"info-period", "50", "ping-period", "200", "ask-period", "50",
	"min-link-reconnect-period", "500", "slave-reconf-timeout", "500",
}

// tiltTrigger is how long a sentinel may stand still before it thinks that
// something is wrong with its machine, and does nothing for half a minute. It is the
// default, in the host's time: a sentinel that lives fast must not take every wait for
// a processor for such a sign.
const tiltTrigger = 2 * time.Second

// patience is DownAfter until all sentinels are there: on a machine that has just been
// given a dozen processes to start, one is soon silent for longer than a run allows.
const patience = time.Hour

// StartSentinel starts a sentinel and returns when it answers. It knows no peers yet,
// and detects no failure: see WaitSentinels.
func StartSentinel(ctx context.Context, o SentinelOptions) (*Server, error) {
	s := &Server{
		Name: o.Name, product: images.Redis, launcher: o.Launcher, watches: &o,
		redis: RedisOptions{Name: o.Name, Program: o.Program},
	}
	if c, child := o.Launcher.(children); child || o.Launcher == nil {
		// A sentinel writes what it is about to say to the disk before it says it. When
		// that takes longer than the others are patient, votes are split, and the
		// promotion comes seconds later.
		s.launcher = children{inMemory: true, watch: c.watch}
	}
	return s.startSomewhere(ctx)
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

// configSuffix comes after the mark in the name of a sentinel's file, by which it
// is recognised.
const configSuffix = ".conf"

// sentinelRecipe gives a sentinel the file that it wants to have, unless it has one:
// it keeps in it what it learns, and goes on from there after a restart.
func (s *Server) sentinelRecipe() (Recipe, error) {
	path := filepath.Join(s.Dir, s.mark+configSuffix)
	r := Recipe{
		Args:  []string{path, "--sentinel"},
		Child: func(context.Context) (*exec.Cmd, error) { return childOf(s.redis.Program, "redis-server") },
	}
	if speed := s.watches.Speed; speed > 1 {
		r.Faketime, r.Env = true, map[string]string{"FAKETIME": fmt.Sprintf("+0 x%d", speed)}
	}
	if s.configured != s.mark {
		r.Files = map[string]string{path: s.watches.config(s)}
		s.configured = s.mark
	}
	return r, nil
}

// config is the file that a sentinel begins with.
func (o *SentinelOptions) config(s *Server) string {
	_, port, _ := net.SplitHostPort(s.Addr)
	lines := []string{"port " + port, "bind 127.0.0.1", "protected-mode no", "dir " + s.Dir}
	if o.Source != "" {
		lines = append(lines, "bind-source-addr "+o.Source)
	}
	if o.Announce != "" {
		host, port, _ := net.SplitHostPort(o.Announce)
		lines = append(lines, "sentinel announce-ip "+host, "sentinel announce-port "+port)
	}
	host, port, _ := net.SplitHostPort(o.Primary)
	lines = append(lines,
		fmt.Sprintf("sentinel monitor %s %s %s %d", Watched, host, port, o.Quorum),
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", Watched, patience.Milliseconds()),
		fmt.Sprintf("sentinel failover-timeout %s %d", Watched, cmp.Or(o.Timeout, failoverTimeout).Milliseconds()))
	return strings.Join(lines, "\n") + "\n"
}

// WaitSentinels returns when all sentinels know each other and all replicas, and
// reach whom they know. From then on they find a silent primary down.
func WaitSentinels(ctx context.Context, sentinels []*Server, replicas int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, s := range sentinels {
		err := s.poll(ctx, sentinels, func() (bool, error) { return s.settled(ctx, len(sentinels)-1, replicas) })
		if err != nil {
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

// settled reports whether a sentinel knows so many others, and so many replicas.
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
			flags := field(known, "flags")
			if strings.Contains(flags, "down") || strings.Contains(flags, "disconnected") {
				return false, nil
			}
			if of.what == "REPLICAS" && field(known, "master-link-status") != "ok" {
				return false, nil
			}
		}
	}
	reply, err := s.Command(ctx, "SENTINEL", "MASTER", Watched)
	return err == nil && field(reply, "flags") == "master", err
}

// field returns what a list of names and values says under a name.
func field(list redis.Reply, name string) string {
	pairs := list.Elements()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].Str == name {
			return pairs[i+1].Str
		}
	}
	return ""
}
