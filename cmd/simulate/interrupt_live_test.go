//go:build live

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// interrupted is a scenario with long phases: A holds for some seconds; then the store is dead, and
// the final quiet period lasts for ten leases.
const interrupted = `scenario: To be interrupted
story: A works, and then the store dies.
question: What is left?
locks: [set-nx-lua]
lease: 1s
clients: [A, B]
workload: {repeat: once, wait: up to 2s, work: 2s}
faults:
  - when: A enters
    after: 1500ms
    crash: redis-1
lesson: None.
`

// program is a run of this program in a directory of its own.
type program struct {
	t        *testing.T
	dir, tmp string
	cmd      *exec.Cmd
	said     bytes.Buffer
}

func playLive(t *testing.T, scenario string) *program {
	t.Helper()
	realtest.Need(t, "redis-server")
	p := &program{t: t, dir: t.TempDir(), tmp: t.TempDir()}
	writeIn(t, filepath.Join(p.dir, "scenario.yaml"), scenario)
	p.cmd = simulate(t, p.dir, "run", "scenario.yaml", "--backend", "process")
	p.cmd.Env = append(p.cmd.Env, "TMPDIR="+p.tmp)
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	must.Do(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// await waits until look returns true.
func (p *program) await(what string, look func() bool) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !look(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("not seen: %s\n%s", what, &p.said)
		}
	}
}

// has reports whether the program has a server with that command line, or a worker.
func (p *program) has(process string) bool {
	for _, pid := range p.processes() {
		line, _ := os.ReadFile(pid + "/cmdline")
		env, _ := os.ReadFile(pid + "/environ")
		if strings.Contains(string(line), process) || process == "worker" && strings.Contains(string(env), "LOCKSTEP_WORKER=1") {
			return true
		}
	}
	return false
}

// locked asks the program's redis-server whether it has an entry.
func (p *program) locked() bool {
	for _, pid := range p.processes() {
		line, _ := os.ReadFile(pid + "/cmdline")
		_, address, ok := strings.Cut(string(bytes.Trim(line, "\x00 ")), "redis-server ") // it writes its address there
		if !ok {
			continue
		}
		server, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			continue
		}
		_ = server.SetDeadline(time.Now().Add(time.Second))
		_, _ = server.Write([]byte("DBSIZE\r\n"))
		answer := make([]byte, 16)
		n, _ := server.Read(answer)
		server.Close()
		if entries := string(answer[:n]); strings.HasPrefix(entries, ":") && entries != ":0\r\n" {
			return true
		}
	}
	return false
}

// processes lists the program's child processes, as directories of /proc.
func (p *program) processes() (out []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, pid := range all {
		env, _ := os.ReadFile(pid + "/environ")
		at, _ := os.Readlink(pid + "/cwd") // some servers write over their environment
		ours := strings.Contains(string(env), "TMPDIR="+p.tmp+"\x00") || strings.HasPrefix(at, p.tmp+"/")
		if ours && pid != fmt.Sprintf("/proc/%d", p.cmd.Process.Pid) {
			out = append(out, pid)
		}
	}
	return out
}

// interrupt sends Ctrl-C, and checks how the program ends and what is left.
func (p *program) interrupt() {
	p.t.Helper()
	begun, _ := os.ReadDir(p.tmp)
	must.Do(p.t, p.cmd.Process.Signal(os.Interrupt))
	at := time.Now()
	_ = p.cmd.Wait() // how it ended is in ProcessState
	took := time.Since(at)
	code := p.cmd.ProcessState.ExitCode()
	if signaled := p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled(); signaled && len(begun) == 0 {
		code = exitInterrupted // before main: the shell says so
	}
	if code != exitInterrupted {
		p.t.Errorf("%v, want exit code %d:\n%s", p.cmd.ProcessState, exitInterrupted, &p.said)
	}
	p.empty()
	p.t.Logf("ended %v after Ctrl-C", took)
}

func (p *program) empty() {
	p.t.Helper()
	for end := time.Now().Add(5 * time.Second); len(p.processes()) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("processes left: %v", p.processes())
		}
	}
	if left, _ := os.ReadDir(p.tmp); len(left) > 0 {
		p.t.Errorf("left: %v", left)
	}
}

// stored checks whether the run is stored.
func (p *program) stored(want bool) {
	p.t.Helper()
	histories, _ := filepath.Glob(filepath.Join(p.dir, "reports", "*", "*", "history.jsonl"))
	flat, _ := filepath.Glob(filepath.Join(p.dir, "reports", "*", "history.jsonl"))
	if got := len(histories)+len(flat) > 0; got != want {
		p.t.Errorf("stored: %t, want %t:\n%s", got, want, &p.said)
	}
}

func TestCtrlCInTheSetUp(t *testing.T) {
	p := playLive(t, interrupted)
	p.await("a directory", func() bool { left, _ := os.ReadDir(p.tmp); return len(left) > 0 })
	p.interrupt()
	p.stored(false)
}

func TestCtrlCWhileClientsPlay(t *testing.T) {
	p := playLive(t, interrupted)
	p.await("a lock that a client holds", p.locked)
	p.interrupt()
	p.stored(true)
}

func TestCtrlCInTheQuietPeriod(t *testing.T) {
	t.Parallel()
	p := playLive(t, interrupted)
	p.await("a server", func() bool { return p.has("redis-server") })
	p.await("its death", func() bool { return !p.has("redis-server") })
	time.Sleep(4 * time.Second) // A and B have given up, the probe has not
	p.interrupt()
	p.stored(true)
}

// The tear-down kills the clients first, and is over some milliseconds later: a Ctrl-C
// may come too late.
func TestCtrlCInTheTearDown(t *testing.T) {
	for range 20 {
		calm, _, _ := strings.Cut(interrupted, "faults:")
		p := playLive(t, strings.Replace(calm, "work: 2s", "work: 20ms", 1)+"lesson: None.\n")
		p.await("a client", func() bool { return p.has("worker") })
		p.await("its death", func() bool { return !p.has("worker") })
		inTime := len(p.processes()) > 0
		if inTime {
			p.interrupt()
			p.stored(true)
			return
		}
		_ = p.cmd.Wait() // too late: try again
	}
	t.Error("the tear-down was always over before")
}

// A second Ctrl-C does not wait for the tear-down.
func TestASecondCtrlCEndsAtOnce(t *testing.T) {
	p := playLive(t, interrupted)
	p.await("a server", func() bool { return p.has("redis-server") })
	_ = p.cmd.Process.Signal(os.Interrupt)
	time.Sleep(time.Millisecond)
	must.Do(t, p.cmd.Process.Signal(os.Interrupt))
	_ = p.cmd.Wait() // how it ended is in ProcessState
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() && status.ExitStatus() != exitInterrupted {
		t.Errorf("it ended with %v:\n%s", p.cmd.ProcessState, &p.said)
	}
	p.empty()
}

func TestCtrlCAtARandomTime(t *testing.T) {
	t.Parallel()
	for range realtest.Rounds(t, realtest.Tiers(2, 4)) {
		p := playLive(t, interrupted)
		after := time.Duration(rand.Int64N(int64(5 * time.Second)))
		t.Logf("after %v", after)
		time.Sleep(after)
		p.interrupt()
	}
}
