package live

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

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/zookeeper"
)

const fastTick = 100 * time.Millisecond

// unableToBind is the exit status of a server that cannot bind the port for its peers, which
// it does only when it leads.
const unableToBind = "exit status 14"

// cluster starts the servers of an ensemble and waits until all serve clients.
func cluster(w livestore.Wish) servers.Cluster {
	tick := cmp.Or(zookeeper.Tick(w.Settings), fastTick)
	var peers []peer
	var known [][]peer
	return servers.Cluster{
		Prepare: func(members []*servers.Server) (err error) {
			peers, known, err = findPeers(members, w.Route)
			return err
		},
		Recipe: func(i int, members []*servers.Server) (servers.Recipe, error) {
			text := zooConfig(members[i], tick)
			if len(members) > 1 {
				text += configFor(i, peers, known)
			}
			return recipe(members[i], text, numberOf(i, len(members))), nil
		},
		Ready: func(ctx context.Context, s *servers.Server) bool {
			mode, err := modeOf(ctx, s)
			return mode != "" && err == nil
		},
		Failing: "did not serve", Cure: "try `java -version`",
		PortTaken: func(s *servers.Server) bool { return s.Ended() == unableToBind },
	}
}

// findPeers says where servers listen for each other, and where each finds the others; known is nil
// where they call each other directly.
func findPeers(members []*servers.Server, route servers.Route) (peers []peer, known [][]peer, err error) {
	for _, s := range members {
		election, err := servers.FreeAddr("127.0.0.1")
		if err != nil {
			return nil, nil, err
		}
		peers = append(peers, peer{s.Bus, election})
	}
	if route == nil || len(members) == 1 {
		return peers, nil, nil
	}
	known, closeRoutes, err := findRoutes(peers, route)
	if err != nil {
		return nil, nil, errors.Join(err, closeRoutes())
	}
	members[0].AtStop(closeRoutes)
	return peers, known, nil
}

// recipe gives a server a configuration that says where it finds the others.
func recipe(s *servers.Server, text string, number int) servers.Recipe {
	config, logs := filepath.Join(s.ConfigDir(), "zoo.cfg"), filepath.Join(s.ConfigDir(), "log4j.properties")
	return servers.Recipe{
		Files: map[string]string{config: text, logs: logConfig, filepath.Join(s.Dir, "myid"): strconv.Itoa(number)},
		Env:   map[string]string{"JDK_JAVA_OPTIONS": javaOptions},
		Child: func(ctx context.Context) (*exec.Cmd, error) { return childOf(ctx, config, logs) },
	}
}

// childOf is the command line of a child process.
func childOf(ctx context.Context, config, logs string) (*exec.Cmd, error) {
	cmd, err := servers.Child("java")(ctx)
	if err != nil {
		return nil, err
	}
	jar, err := programs.Find("zookeeper.jar")
	if err != nil {
		return nil, err
	}
	// The jar does not name the libraries for its log, which its package installs beside it.
	beside := func(name string) string { return filepath.Join(filepath.Dir(jar), name) }
	cmd.Args = append(cmd.Args, "-Dlog4j.configuration=file:"+logs, "-Dzookeeper.jmx.log4j.disable=true",
		"-cp", strings.Join([]string{jar, beside("slf4j-log4j12.jar"), beside("log4j-1.2.jar")}, ":"), "org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
	return cmd, nil
}

// logConfig makes ZooKeeper log warnings and errors only.
const logConfig = `log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %c{1}: %m%n
`

// javaOptions make a small heap, and Java start fast. A server that finds no other in an
// election asks again, each time after twice as long, up to a minute: too long for
// servers that are started, cut off and killed within seconds. Java takes them from the
// environment, also where a script of the image starts it.
const javaOptions = "-Xms32m -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData " +
	"-Dzookeeper.fastleader.maxNotificationInterval=400"

// patienceOfLeaders is for how many ticks an elected server waits for a majority to follow:
// ten, ZooKeeper's default, but the time that a JVM needs to connect does not shrink with the
// tick. As long as an elected server waits without followers, there is no leader.
func patienceOfLeaders(tick time.Duration) int {
	const ticks, least = 10, 3 * time.Second
	return int(max(ticks, least/tick))
}

// syncLimit is for how many ticks a server may be silent until the others give it up: the time for
// which a busy machine may stop a JVM does not shrink with the tick.
func syncLimit(tick time.Duration) int {
	const least = time.Second
	return max(zookeeper.SyncLimit, int(least/tick))
}

// zooConfig is the file zoo.cfg. forceSync=no: no lock has to survive the machine here,
// and waiting for the disk would slow down every write.
func zooConfig(s *servers.Server, tick time.Duration) string {
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
`, tick.Milliseconds(), patienceOfLeaders(tick), syncLimit(tick), s.Dir, servers.Port(s.Addr))
}

// modeOf asks the server with a four letter word what it is: leader, follower or
// standalone; "" while it is not in service. It waits for the answer for a second.
func modeOf(ctx context.Context, s *servers.Server) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return "", err
	}
	page, err := io.ReadAll(conn)
	for line := range strings.Lines(string(page)) {
		if mode, found := strings.CutPrefix(line, "Mode: "); found {
			return strings.TrimSpace(mode), err
		}
	}
	return "", err
}
