//go:build queue

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"lockstep/internal/campaign/queue/queuetest"
	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

func init() { queuetest.Main() } // this program also runs as the servers

var (
	queueRounds = flag.Int("queue.rounds", 25, "how often a queue is put under chaos")
	queueSeed   = flag.Uint64("queue.seed", uint64(time.Now().UnixNano()), "the seed of the chaos; timing is up to the machine")
)

// chaosInside is set in a process with a mount namespace of its own, for the disks of the servers.
const chaosInside = "LOCKSTEP_CHAOS_INSIDE"

// Workers, coordinators and servers are killed, links cut and disks filled, several at a time. The
// command still prints what one process prints, byte for byte.
func TestChaosOfAQueue(t *testing.T) {
	realtest.SecondTier(t)
	// The mounts vanish with the last process that sees them, however the test ends.
	if os.Getenv(chaosInside) == "" && exec.Command("unshare", "--mount", "true").Run() == nil {
		self := must.Get(os.Executable())(t)
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", self, "-test.run", "^TestChaosOfAQueue$", "-test.v", "-test.timeout", "0",
			fmt.Sprint("-queue.rounds=", *queueRounds), fmt.Sprint("-queue.seed=", *queueSeed))
		cmd.Env = append(os.Environ(), chaosInside+"=1")
		var said bytes.Buffer
		cmd.Stdout = io.MultiWriter(os.Stdout, &said)
		p := must.Get(osproc.Start(cmd))(t)
		<-p.Done()
		if !bytes.Contains(said.Bytes(), []byte("--- PASS: TestChaosOfAQueue")) {
			t.Error(p.Ended())
		}
		return
	}
	c := newHavoc(t)
	works := dividedWorks(t)
	alone := make([][]byte, len(works))
	codes := make([]int, len(works))
	for i, work := range works {
		var err error
		alone[i], err = simulateIn(t, c.dir, "alone.log", append(work, "--json")...).Output()
		if codes[i] = code(err); len(alone[i]) == 0 {
			t.Fatalf("%v prints nothing: %v", work, err)
		}
	}
	for i := range coordinator {
		c.keepWorker(i)
	}
	for round := range *queueRounds {
		work := works[round%len(works)]
		began := time.Now()
		got, exit := c.play(append(slices.Clone(work), "--json", "--on", c.address[2], "--ranges", strconv.Itoa(5+c.random.IntN(36))))
		fmt.Printf("    round %d: %s, %.1f s: %s\n", round+1, work[0], time.Since(began).Seconds(), strings.Join(c.did, ", "))
		if !bytes.Equal(got, alone[round%len(works)]) || exit != codes[round%len(works)] {
			t.Fatalf("round %d of seed %d, %v: one process prints\n%s\nand ends with %d, and the queue\n%s\nand %d", round+1, *queueSeed, work, alone[round%len(works)], codes[round%len(works)], got, exit)
		}
	}
	c.end()
	t.Logf("%d rounds: %v", *queueRounds, c.sums)
}

// havoc is a cluster of three servers, workers, and links between all of them.
type havoc struct {
	*testing.T
	dir     string
	random  *rand.Rand
	servers [3]*queuetest.Server
	links   [][]*toxiproxy.Proxy // from clients to servers; between servers one for each direction
	address [3]string            // of the servers, by separate links: for two groups of workers and for coordinators
	disks   bool                 // the servers have disks that can be filled

	over      chan struct{}
	keepers   sync.WaitGroup
	mu        sync.Mutex
	processes [6]*osproc.Process // the workers, and the coordinator

	did  []string       // in this round
	sums map[string]int // in all of them
}

// coordinator is its index among the processes; the workers come before it.
const coordinator = 5

func newHavoc(t *testing.T) *havoc {
	c := &havoc{T: t, dir: t.TempDir(), random: rand.New(rand.NewPCG(*queueSeed, 1)), over: make(chan struct{}), sums: map[string]int{}}
	programIn(t, c.dir)
	t.Cleanup(func() {
		logs, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
		for _, log := range logs {
			if text, err := os.ReadFile(log); t.Failed() && err == nil {
				t.Logf("%s:\n%s", log, text[max(0, len(text)-4<<10):])
			}
		}
	})
	ports := queuetest.Ports(t, 6)
	c.disks = os.Getenv(chaosInside) != ""
	routes := map[[2]int]string{}
	for i := range 3 {
		for k := range i { // both directions are cut together
			routes[[2]int{i, k}], routes[[2]int{k, i}] = "nats://"+c.link(ports[3+k]), "nats://"+c.link(ports[3+i])
			c.links = append(c.links[:len(c.links)-2], slices.Concat(c.links[len(c.links)-2:]...))
		}
	}
	for i := range c.servers {
		dir := filepath.Join(c.dir, fmt.Sprint("server-", i+1))
		store := filepath.Join(dir, "store")
		must.Do(t, os.MkdirAll(store, 0o700))
		if c.disks {
			if said, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", store).CombinedOutput(); err != nil {
				c.disks = false
				t.Logf("no disk is filled, since none can be mounted (%v): %s", err, said)
			}
			t.Cleanup(func() { _ = exec.Command("umount", "--lazy", store).Run() })
		}
		// Servers reach each other by the links only.
		c.servers[i] = queuetest.Start(t, dir, ports[i], fmt.Sprintf(`server_name: "server-%d"
cluster: {name: chaos, listen: "127.0.0.1:%d", advertise: "127.0.0.1:1", no_advertise: true, routes: [%s, %s]}`, i+1, ports[3+i], routes[[2]int{i, (i + 1) % 3}], routes[[2]int{i, (i + 2) % 3}]))
	}
	for i := range c.address {
		var all []string
		for k := range c.servers {
			all = append(all, "nats://"+c.link(ports[k]))
		}
		c.address[i] = strings.Join(all, ",")
	}
	return c
}

// link makes a link to a port and returns its address.
func (c *havoc) link(port int) string {
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), fmt.Sprint(len(c.links)), fmt.Sprintf("127.0.0.1:%d", queuetest.Ports(c, 1)[0]), fmt.Sprintf("127.0.0.1:%d", port))
	must.Do(c, p.Start())
	c.Cleanup(p.Stop)
	c.links = append(c.links, []*toxiproxy.Proxy{p})
	return p.Listen
}

// start starts this program in the test's folder.
func (c *havoc) start(log string, out *os.File, args ...string) *osproc.Process {
	said, err := os.OpenFile(filepath.Join(c.dir, log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.Error(err)
		return nil
	}
	defer said.Close()
	cmd := exec.Command(filepath.Join(c.dir, "bin/simulate"), args...)
	cmd.Dir, cmd.Stderr = c.dir, said
	if out != nil {
		cmd.Stdout = out
	}
	p, err := osproc.Start(cmd)
	if err != nil {
		c.Error(err)
		return nil
	}
	return p
}

// keepWorker keeps a worker running, as engines do.
func (c *havoc) keepWorker(i int) {
	c.keepers.Go(func() {
		for {
			p := c.start(fmt.Sprintf("worker-%d.log", i+1), nil, "dev", "work", c.address[i%2], "--jobs", "1")
			if p == nil {
				return
			}
			c.mu.Lock()
			c.processes[i] = p
			c.mu.Unlock()
			select {
			case <-p.Done():
			case <-c.over:
				_ = p.Kill()
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

// play repeats a command until it ends by itself, while faults come in waves, and returns its
// output and its exit code.
func (c *havoc) play(args []string) ([]byte, int) {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	var storm sync.WaitGroup
	c.did = nil
	storm.Go(func() {
		for range 1 + c.random.IntN(3) {
			c.wave(ctx)
		}
	})
	defer storm.Wait()
	defer cancel()
	path := filepath.Join(c.dir, "printed")
	for {
		out := must.Get(os.Create(path))(c)
		p := c.start("coordinator.log", out, args...)
		if p == nil {
			c.FailNow()
		}
		c.mu.Lock()
		c.processes[coordinator] = p
		c.mu.Unlock()
		<-p.Done()
		_ = out.Close()
		switch how := p.Ended(); how {
		case "signal: killed", "exit status 4": // or no server was there
			time.Sleep(100 * time.Millisecond)
		default:
			printed := must.Get(os.ReadFile(path))(c)
			exit, _ := strconv.Atoi(strings.TrimPrefix(how, "exit status "))
			return printed, exit
		}
	}
}

// wave begins some faults, waits, and ends them; at once when ctx ends.
func (c *havoc) wave(ctx context.Context) {
	wait := func(most time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(c.random.Int64N(int64(most)))):
		}
	}
	wait(time.Second)
	down := -1 // one server at most
	for range 1 + c.random.IntN(4) {
		server := c.random.IntN(len(c.servers))
		switch c.random.IntN(8) {
		case 0, 1:
			c.note("kill a worker")
			c.kill(c.random.IntN(coordinator))
		case 2:
			c.note("kill the coordinator")
			c.kill(coordinator)
		case 3:
			c.note("kill all workers")
			for i := range coordinator {
				c.kill(i)
			}
		case 4:
			if down < 0 {
				down = server
				c.note("kill a server")
				c.servers[server].Kill(c.T)
				defer c.servers[server].Again(c.T)
			}
		case 5:
			defer c.cut()()
		case 6:
			defer c.cut()()
			defer c.cut()()
		case 7:
			switch {
			case !c.disks || down >= 0:
			case c.random.IntN(3) == 0:
				down = server
				c.note("fill all disks")
				for i := range c.servers {
					defer c.fill(i)()
				}
			default:
				down = server
				c.note("fill a disk")
				defer c.fill(server)()
			}
		}
		wait(300 * time.Millisecond)
	}
	wait(2 * time.Second)
}

func (c *havoc) note(what string) {
	c.did = append(c.did, what)
	c.sums[what]++
}

func (c *havoc) kill(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.processes[i]; p != nil {
		if err := p.Kill(); err != nil {
			c.Error(err)
		}
	}
}

// mend restarts a link. One that was cut twice is started twice, and the address may still be in
// use by the closing listener.
func (c *havoc) mend(p *toxiproxy.Proxy) {
	for tries := 0; ; tries++ {
		switch err := p.Start(); {
		case err == nil, errors.Is(err, toxiproxy.ErrProxyAlreadyStarted):
			return
		case !errors.Is(err, syscall.EADDRINUSE) || tries == 500:
			c.Error(err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// cut cuts a link, noticed by both ends or by neither, and returns how to mend it.
func (c *havoc) cut() (mend func()) {
	link := c.links[c.random.IntN(len(c.links))]
	if c.random.IntN(2) == 0 {
		c.note("cut a link")
		for _, p := range link {
			p.Stop()
		}
		return func() {
			for _, p := range link {
				c.mend(p)
			}
		}
	}
	c.note("silence a link")
	for _, p := range link {
		for _, stream := range []string{"upstream", "downstream"} {
			toxic := fmt.Sprintf(`{"name":%q,"type":"timeout","stream":%q,"attributes":{"timeout":0}}`, stream, stream)
			_, _ = p.Toxics.AddToxicJson(strings.NewReader(toxic)) // it is silent already
		}
	}
	return func() {
		for _, p := range link {
			p.Toxics.ResetToxics(context.Background())
		}
	}
}

// fill fills the disk of a server and returns how to empty it. A server that met a full disk keeps
// no streams until it is restarted.
func (c *havoc) fill(server int) (empty func()) {
	path := filepath.Join(c.servers[server].Dir, "store", "filler")
	file, err := os.Create(path)
	for block := make([]byte, 64<<10); err == nil; {
		_, err = file.Write(block)
	}
	_ = file.Close()
	if !strings.Contains(err.Error(), "no space left") {
		c.Error(err)
	}
	return func() {
		// Truncated first: a process that is just starting may still have the file open.
		if err := errors.Join(os.Truncate(path, 0), os.Remove(path)); err != nil {
			c.Error(err)
		}
		c.servers[server].Kill(c.T)
		c.servers[server].Again(c.T)
	}
}

// end ends all processes.
func (c *havoc) end() {
	close(c.over)
	c.keepers.Wait()
	for len(processesIn(c.T, c.dir)) > 0 { // a player ends a moment later; the test's deadline bounds it
		time.Sleep(10 * time.Millisecond)
	}
}

// processesIn are the processes whose working directory is below a folder.
func processesIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, path := range must.Get(filepath.Glob("/proc/[0-9]*"))(t) {
		at, _ := os.Readlink(filepath.Join(path, "cwd")) // a process that has just ended has none
		if strings.Contains(at, dir) && path != fmt.Sprint("/proc/", os.Getpid()) {
			all = append(all, path)
		}
	}
	return all
}
