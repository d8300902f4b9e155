package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/osproc"
)

// ZooKeeperOptions says how to start a ZooKeeper ensemble. The zero value is one
// server with a fast tick.
type ZooKeeperOptions struct {
	Name    string          // in messages, and of the directories: zk-1, zk-2; "zk" when empty
	Members int             // 1 when 0
	Java    string          // path of java; looked up when empty
	Jar     string          // path of zookeeper.jar; looked up when empty
	Scratch *osproc.Scratch // where the directories go; one of its own when nil
	// Tick is the unit of the servers' time, whole milliseconds, 100 ms when 0:
	// sessions last 2 to 20 of it and end on a whole one.
	Tick time.Duration
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
	if err := o.findPrograms(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		var members []*Server
		if members, err = startEnsemble(ctx, o); err == nil {
			return members, nil
		}
		for _, s := range members {
			err = errors.Join(err, s.Stop())
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, err
}

func (o *ZooKeeperOptions) findPrograms() (err error) {
	if o.Java == "" {
		if o.Java, err = Find("java"); err != nil {
			return err
		}
	}
	if o.Jar == "" {
		o.Jar, err = Find("zookeeper.jar")
	}
	return err
}

// startEnsemble makes one try, with ports and directories of its own. The servers
// that it has started are returned with an error, too.
func startEnsemble(ctx context.Context, o ZooKeeperOptions) ([]*Server, error) {
	var peers strings.Builder
	for i := range o.Members {
		quorum, err := freePort()
		if err != nil {
			return nil, err
		}
		election, err := freePort()
		if err != nil {
			return nil, err
		}
		if o.Members > 1 { // a server that is alone does without
			fmt.Fprintf(&peers, "server.%d=127.0.0.1:%d:%d\n", i+1, quorum, election)
		}
	}
	var members []*Server
	for i := range o.Members {
		s := &Server{Name: o.Name + "-" + strconv.Itoa(i+1)}
		members = append(members, s)
		if err := s.startZooKeeper(&o, i+1, peers.String()); err != nil {
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

func (s *Server) startZooKeeper(o *ZooKeeperOptions, id int, peers string) error {
	scratch := o.Scratch
	if scratch == nil {
		own, err := osproc.NewScratch()
		if err != nil {
			return err
		}
		scratch, s.own = own, own
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	if s.Dir, err = scratch.Fresh(s.Name); err != nil {
		return err
	}
	files := map[string]string{
		"zoo.cfg":          zooConfig(s.Dir, port, o.Tick) + peers,
		"log4j.properties": logConfig,
		"myid":             strconv.Itoa(id),
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600); err != nil {
			return fmt.Errorf("%w: free some space, or set TMPDIR to a directory that can be written", err)
		}
	}
	return s.launch(exec.Command(o.Java, javaArgs(s.Dir, o.Jar)...), port)
}

// logConfig makes ZooKeeper log what is wrong, and nothing else.
const logConfig = `log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %c{1}: %m%n
`

// javaArgs is the command line: a small heap, and what makes Java start fast.
func javaArgs(dir, jar string) []string {
	return []string{
		"-Xms32m", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData",
		"-Dlog4j.configuration=file:" + filepath.Join(dir, "log4j.properties"), "-Dzookeeper.jmx.log4j.disable=true",
		"-cp", dir + ":" + jar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", filepath.Join(dir, "zoo.cfg"),
	}
}

// zooConfig is the file zoo.cfg. forceSync=no: no lock survives the machine here,
// and waiting for the disk would only make every write four times as slow.
func zooConfig(dir string, port int, tick time.Duration) string {
	return fmt.Sprintf(`tickTime=%d
initLimit=50
syncLimit=20
dataDir=%s
clientPort=%d
clientPortAddress=127.0.0.1
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
forceSync=no
`, tick.Milliseconds(), dir, port)
}

// waitServing waits until the server says in which mode it serves.
func (s *Server) waitServing(ctx context.Context) error {
	for {
		select {
		case <-s.Done():
			return s.zooKeeperFailed()
		case <-ctx.Done():
			return fmt.Errorf("%s did not serve on %s: %w: is the machine overloaded?", s.Name, s.Addr, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
		if s.serves(ctx) {
			break
		}
	}
	select {
	case <-s.Done(): // it was somebody else who answered on that port
		return s.zooKeeperFailed()
	default:
		return nil
	}
}

// serves asks the server for its state with a four letter word.
func (s *Server) serves(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return false
	}
	page, err := io.ReadAll(conn)
	return err == nil && bytes.Contains(page, []byte("Mode: "))
}

func (s *Server) zooKeeperFailed() error {
	raw, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err == nil && bytes.Contains(raw, []byte("Address already in use")) {
		return errPortTaken
	}
	return fmt.Errorf("%s ended at its start (%s): %s: try `java -version`, and free memory and disk space", s.Name, s.process.Ended(), lastLine(raw))
}
