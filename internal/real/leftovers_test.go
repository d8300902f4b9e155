package real_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

// envMark is in the environment of all processes of one test.
const envMark = "LOCKSTEP_TEST_MARK"

// machine is the state of this machine before a run, as far as the run may change it.
type machine struct {
	t          *testing.T
	tmp        string
	mark       string
	goroutines int
	sockets    map[string]string // of this process
	segments   []string          // that were lost before
}

// lookAround records the state of the machine, and gives the test a directory for temporary files
// and a mark of its own.
func lookAround(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, tmp: open(t), mark: fmt.Sprintf("%s=%x", envMark, rand.Uint64())}
	t.Setenv("TMPDIR", m.tmp)
	name, value, _ := strings.Cut(m.mark, "=")
	t.Setenv(name, value)
	m.goroutines, m.sockets = runtime.NumGoroutine(), listening(os.Getpid())
	m.segments = lostSegments()
	return m
}

// nothingLeft checks for everything that the runs since then, with these processes, may have left.
// It waits a little, since a dead process does not vanish at once on a busy machine.
func (m *machine) nothingLeft(pids ...int) {
	m.t.Helper()
	defer func() {
		for _, wrong := range left(m.tmp, m.goroutines) {
			m.t.Error(wrong)
		}
	}()
	for what, look := range map[string]func() []string{
		"processes": func() []string { return texts(m.processes()) },
		"files": func() []string {
			left, _ := filepath.Glob(filepath.Join(m.tmp, "*"))
			return left
		},
		"sockets": func() (out []string) {
			for socket, port := range listening(os.Getpid()) {
				if m.sockets[socket] == "" {
					out = append(out, port)
				}
			}
			return out
		},
		"files in memory": func() []string { return inMemory(append(pids, os.Getpid())) },
		"segments of lost memory": func() []string {
			return slices.DeleteFunc(lostSegments(), func(id string) bool { return slices.Contains(m.segments, id) })
		},
	} {
		m.eventuallyNone(what, look)
	}
}

func (m *machine) eventuallyNone(what string, look func() []string) {
	m.t.Helper()
	if !realtest.Soon(5*time.Second, func() bool { return len(look()) == 0 }) {
		m.t.Errorf("%s left: %v", what, look())
	}
}

func texts(pids []int) (out []string) {
	for _, pid := range pids {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		out = append(out, fmt.Sprintf("%d (%s)", pid, strings.TrimSpace(string(name))))
	}
	return out
}

// processes lists the living processes of the test except this one. They have the mark, which those
// of PostgreSQL overwrite, but their working directory is below the test's.
func (m *machine) processes() []int {
	var out []int
	for _, pid := range allProcesses() {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		at, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		if !slices.Contains(strings.Split(string(env), "\x00"), m.mark) && !strings.HasPrefix(at, m.tmp+"/") {
			continue
		}
		if pid != os.Getpid() && osproc.StartTime(pid) != "" {
			out = append(out, pid)
		}
	}
	return out
}

// listening returns the sockets on which some processes listen, and their ports.
func listening(pids ...int) map[string]string {
	ports := map[string]string{} // by inode
	table, err := os.Open("/proc/net/tcp")
	if err != nil {
		return nil
	}
	defer table.Close()
	for lines := bufio.NewScanner(table); lines.Scan(); {
		const local, state, inode, listen = 1, 3, 9, "0A"
		if f := strings.Fields(lines.Text()); len(f) > inode && f[state] == listen {
			ports["socket:["+f[inode]+"]"] = f[local]
		}
	}
	out := map[string]string{}
	for _, pid := range pids {
		paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, path := range paths {
			socket, _ := os.Readlink(path)
			if port, found := ports[socket]; found {
				out[socket] = port
			}
		}
	}
	return out
}

// inMemory lists the files of some processes in the directory of shared memory.
func inMemory(pids []int) (out []string) {
	entries, _ := os.ReadDir("/dev/shm")
	for _, e := range entries {
		words := strings.FieldsFunc(e.Name(), func(r rune) bool { return r == '-' || r == '_' })
		for _, pid := range pids {
			if slices.Contains(words, strconv.Itoa(pid)) {
				out = append(out, e.Name())
			}
		}
	}
	return out
}

// lostSegments lists the unused segments of shared memory whose makers are dead.
func lostSegments() (out []string) {
	raw, _ := os.ReadFile("/proc/sysvipc/shm")
	for i, line := range strings.Split(string(raw), "\n") {
		const id, maker, users = 1, 4, 6
		f := strings.Fields(line)
		if i == 0 || len(f) <= users || f[users] != "0" {
			continue
		}
		if pid, _ := strconv.Atoi(f[maker]); osproc.StartTime(pid) == "" {
			out = append(out, f[id])
		}
	}
	return out
}

// ending is a kind of servers whose runs are ended in all ways.
type ending struct {
	name, lock string
	nodes      int
	server     string // the name of its process
}

var endings = []ending{
	{name: "redis group", lock: "set-nx-lua", server: "redis-server"},
	{name: "redis nodes", lock: "redlock", server: "redis-server"},
	{name: "etcd", lock: "etcd-mutex", nodes: 3, server: "etcd"},
	{name: "zookeeper", lock: "zk-sequential", nodes: 3, server: "java"},
	{name: "consul", lock: "consul-session", nodes: 3, server: "consul"},
	{name: "mariadb", lock: "mysql-unique-ttl", server: "mariadbd"},
	{name: "postgres", lock: "pg-advisory", server: "postgres"},
}

// endingOf returns the ending of a lock.
func endingOf(lock string) *ending {
	if i := slices.IndexFunc(endings, func(e ending) bool { return e.lock == lock }); i >= 0 {
		return &endings[i]
	}
	return &ending{lock: lock} // a program
}

// seeded returns a random source, and logs its seed, which the environment can set.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("LOCKSTEP_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d: LOCKSTEP_TEST_SEED=%d chooses the same times", seed, seed)
	return rand.New(rand.NewPCG(seed, 0))
}
