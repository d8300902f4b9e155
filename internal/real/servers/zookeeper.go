package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// ZooKeeperOptions says how to start a ZooKeeper ensemble. The zero value is one
// server with a fast tick.
type ZooKeeperOptions struct {
	Name     string          // in messages, and of the directories: zk-1, zk-2; "zk" when empty
	Members  int             // 1 when 0
	Java     string          // path of java; looked up when empty
	Jar      string          // path of zookeeper.jar; looked up when empty
	Scratch  *osproc.Scratch // where the directories go; one of its own when nil
	Launcher Launcher        // where they run; as children with directories in Scratch when nil
	// Tick is the unit of the servers' time, whole milliseconds, 100 ms when 0:
	// sessions last 2 to 20 of it and end on a whole one.
	Tick time.Duration
	// SyncLimit is for how many ticks one of them may be silent until the others give it
	// up, 5 when 0, as ZooKeeper comes with; a second at least.
	SyncLimit int
	// Route, if set, is how servers reach each other. It is called twice for each pair
	// of them before any runs, and again when a try to start them has failed.
	Route Route
}

const fastTick = 100 * time.Millisecond

// StartZooKeeper starts the servers of an ensemble and returns when all of them
// serve clients. Stop has to be called on each of them.
func StartZooKeeper(ctx context.Context, o ZooKeeperOptions) ([]*Server, error) {
	if o.Name == "" {
		o.Name = "zk"
	}
	o.Members = max(o.Members, 1)
	if o.Tick == 0 {
		o.Tick = fastTick
	}
	o.SyncLimit = cmp.Or(o.SyncLimit, 5)
	return together(ctx, slowStartTime, func(ctx context.Context) ([]*Server, error) { return startEnsemble(ctx, o) })
}

// startEnsemble makes one try, with ports and directories of its own. The servers
// that it has started are returned with an error, too.
func startEnsemble(ctx context.Context, o ZooKeeperOptions) ([]*Server, error) {
	var peers []peer
	for range o.Members {
		quorum, err1 := freePort()
		election, err2 := freePort()
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		peers = append(peers, peer{loopback(quorum), loopback(election)})
	}
	var known [][]peer
	var closeRoutes func() error
	if o.Route != nil && o.Members > 1 {
		var err error
		if known, closeRoutes, err = findRoutes(peers, o.Route); err != nil {
			return nil, errors.Join(err, closeRoutes())
		}
	}
	var members []*Server
	for i := range o.Members {
		s := &Server{Name: o.Name + "-" + strconv.Itoa(i+1), product: images.ZooKeeper, launcher: launcherOr(o.Launcher, o.Scratch)}
		if i == 0 {
			s.close = closeRoutes
		}
		members = append(members, s)
		var config string
		if o.Members > 1 { // a server that is alone does without
			config = configFor(i, peers, known)
		}
		if err := s.startZooKeeper(ctx, &o, numberOf(i, o.Members), config); err != nil {
			return members, err
		}
	}
	for _, s := range members {
		if err := s.waitServing(ctx); err != nil {
			return members, err
		}
	}
	return members, nil
}

func (s *Server) startZooKeeper(ctx context.Context, o *ZooKeeperOptions, id int, peers string) error {
	port, err := s.settle(ctx)
	if err != nil {
		return err
	}
	config := filepath.Join(s.place.ConfigDir(), "zoo.cfg")
	logs := filepath.Join(s.place.ConfigDir(), "log4j.properties")
	return s.launch(ctx, Recipe{
		Files: map[string]string{
			config:                       zooConfig(s.Dir, port, o) + peers,
			logs:                         logConfig,
			filepath.Join(s.Dir, "myid"): strconv.Itoa(id),
		},
		Env:   map[string]string{"JDK_JAVA_OPTIONS": javaOptions},
		Child: func(context.Context) (*exec.Cmd, error) { return zooKeeperChild(o, config, logs) },
	})
}

// zooKeeperChild is the command line of a child process.
func zooKeeperChild(o *ZooKeeperOptions, config, logs string) (*exec.Cmd, error) {
	cmd, err := childOf(o.Java, "java")
	if err != nil {
		return nil, err
	}
	jar := o.Jar
	if jar == "" {
		if jar, err = Find("zookeeper.jar"); err != nil {
			return nil, err
		}
	}
	// The jar does not name the libraries that it logs with, which its package brings along.
	beside := func(name string) string { return filepath.Join(filepath.Dir(jar), name) }
	cmd.Args = append(cmd.Args, "-Dlog4j.configuration=file:"+logs, "-Dzookeeper.jmx.log4j.disable=true",
		"-cp", strings.Join([]string{jar, beside("slf4j-log4j12.jar"), beside("log4j-1.2.jar")}, ":"), "org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
	return cmd, nil
}

// logConfig makes ZooKeeper log what is wrong, and nothing else.
const logConfig = `log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %c{1}: %m%n
`

// javaOptions make a small heap, and Java start fast. Who has heard of nobody in an
// election asks again, each time after twice as long, up to a minute: too long for
// servers that are started, cut off and killed within seconds. Java takes them from the
// environment, also where a script of the image starts it.
const javaOptions = "-Xms32m -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData " +
	"-Dzookeeper.fastleader.maxNotificationInterval=400"

// patienceOfLeaders is for how many ticks somebody who was elected waits for a majority to
// follow: ten, as ZooKeeper comes with, but what a JVM needs to connect does not become
// shorter with the tick. As long as somebody waits whom nobody follows, nobody leads.
func patienceOfLeaders(tick time.Duration) int {
	const ticks, least = 10, 3 * time.Second
	return int(max(ticks, least/tick))
}

// syncLimit is what an ensemble is told: what a busy machine takes to let a JVM go on does
// not become shorter with the tick.
func (o *ZooKeeperOptions) syncLimit() int {
	const least = time.Second
	return max(o.SyncLimit, int(least/o.Tick))
}

// zooConfig is the file zoo.cfg. forceSync=no: no lock survives the machine here,
// and waiting for the disk would only make every write four times as slow.
func zooConfig(dir string, port int, o *ZooKeeperOptions) string {
	return fmt.Sprintf(`tickTime=%d
initLimit=%d
syncLimit=%d
dataDir=%s
clientPort=%d
clientPortAddress=127.0.0.1
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
forceSync=no
`, o.Tick.Milliseconds(), patienceOfLeaders(o.Tick), o.syncLimit(), dir, port)
}

// waitServing waits until the server says in which mode it serves.
func (s *Server) waitServing(ctx context.Context) error {
	return s.await(ctx, wait{
		first: 10 * time.Millisecond, longest: 10 * time.Millisecond,
		failing: "did not serve on " + s.Addr, ended: s.zooKeeperFailed,
	}, func() (bool, error) { return s.serves(ctx), nil })
}

func (s *Server) serves(ctx context.Context) bool { return s.mode(ctx) != "" }

// mode asks the server with a four letter word what it is: leader, follower or
// standalone; "" while it is not in service, or does not answer within a second.
func (s *Server) mode(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return ""
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return ""
	}
	page, err := io.ReadAll(conn)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(page)) {
		if mode, found := strings.CutPrefix(line, "Mode: "); found {
			return strings.TrimSpace(mode)
		}
	}
	return ""
}

// LeadsZooKeeper reports whether the server leads its ensemble, or is alone.
func (s *Server) LeadsZooKeeper(ctx context.Context) bool {
	mode := s.mode(ctx)
	return mode == "leader" || mode == "standalone"
}

// unableToBind is the status with which a server ends that cannot have the port for
// its peers, which it binds only when it leads.
const unableToBind = "exit status 14"

func (s *Server) zooKeeperFailed() error {
	if s.Ended() == unableToBind {
		return s.portTaken(s.LastLog())
	}
	return s.failedAtStart("try `java -version`, and free memory and disk space")
}
