package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockstep/internal/must"
)

// pseudoTerminal is a program that runs at a pseudo-terminal.
type pseudoTerminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File // the user's end: input and output

	mu    sync.Mutex
	shown bytes.Buffer
	over  chan struct{} // closed at the end of the output
}

// atTerminal starts this program at a terminal of its own, 80 columns wide.
func atTerminal(t *testing.T, args ...string) *pseudoTerminal {
	t.Helper()
	return atTerminalWith(t, []string{"TERM=xterm"}, args...)
}

// atTerminalWith does it with an environment.
func atTerminalWith(t *testing.T, env []string, args ...string) *pseudoTerminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { keys.Close() })
	fd := int(keys.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	screen := must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	term := &pseudoTerminal{t: t, keys: keys, over: make(chan struct{}), cmd: simulate(t, t.TempDir(), args...)}
	term.cmd.Env = append([]string{"LANG=en_US.UTF-8"}, env...)
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = screen, screen, screen
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(t, term.cmd.Start())
	screen.Close()
	go term.watch()
	return term
}

// watch collects the output until no process has the terminal open any more.
func (term *pseudoTerminal) watch() {
	defer close(term.over)
	part := make([]byte, 4096)
	for {
		n, err := term.keys.Read(part)
		term.mu.Lock()
		term.shown.Write(part[:n])
		term.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (term *pseudoTerminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.shown.String()
}

// waitFor waits until a text is shown.
func (term *pseudoTerminal) waitFor(want string) {
	term.t.Helper()
	for range 1000 {
		if strings.Contains(term.text(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = term.cmd.Process.Kill()
	term.t.Fatalf("%q is not shown; this is:\n%s", want, term.text())
}

func (term *pseudoTerminal) press(keys string) {
	term.t.Helper()
	must.Get(io.WriteString(term.keys, keys))(term.t)
}

// exit waits for the end and returns the exit code.
func (term *pseudoTerminal) exit() int {
	err := term.cmd.Wait()
	<-term.over
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		term.t.Fatal(err)
	}
	return 0
}

// Colours and progress bars need a terminal, and can be switched off.
func TestWhatATerminalGets(t *testing.T) {
	tests := []struct {
		name          string
		env           []string
		args          []string
		colours, bars bool
	}{
		{"a terminal", []string{"TERM=xterm"}, nil, true, false},
		{"many seeds", []string{"TERM=xterm"}, []string{"--times", "40"}, true, true},
		{"quiet", []string{"TERM=xterm"}, []string{"--times", "40", "--quiet"}, true, false},
		{"NO_COLOR", []string{"TERM=xterm", "NO_COLOR=1"}, nil, false, false},
		{"--no-color", []string{"TERM=xterm"}, []string{"--no-color"}, false, false},
		{"dumb", []string{"TERM=dumb"}, nil, false, false},
	}
	for _, tt := range tests {
		term := atTerminalWith(t, tt.env, append([]string{"run", "pause-past-lease"}, tt.args...)...)
		if code := term.exit(); code != exitMet {
			t.Fatalf("%s: exit code %d:\n%s", tt.name, code, term.text())
		}
		text := term.text()
		if got := strings.Contains(text, "\x1b[3"); got != tt.colours {
			t.Errorf("%s: colours %v, want %v:\n%q", tt.name, got, tt.colours, text)
		}
		if got := strings.Contains(text, "40 seeds "); got != tt.bars {
			t.Errorf("%s: a progress bar %v, want %v:\n%q", tt.name, got, tt.bars, text)
		}
	}
}

// At a terminal the tour waits: Enter goes on, a number answers, q quits.
func TestTourAtTerminal(t *testing.T) {
	term := atTerminal(t, "tour", "pause")
	term.waitFor("[Enter] go on")
	if strings.Contains(term.text(), "Predict") {
		t.Fatal("it does not wait")
	}
	term.press("\n")
	term.waitFor("[1-3] your answer")
	term.press("1\n")
	term.waitFor("You predicted 1. The run shows 3")
	if !strings.Contains(term.text(), "\x1b[") {
		t.Error("a terminal gets no colours")
	}
	term.press("q\n")
	term.waitFor("What you saw")
	if code := term.exit(); code != exitMet {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(term.text(), "Step by step") {
		t.Error("it went on after q")
	}
}

// At a terminal advise asks its three questions, and repeats one after a wrong answer.
func TestAdviceIsAskedForAtATerminal(t *testing.T) {
	term := atTerminal(t, "advise", "--no-color")
	term.waitFor("What do you have?")
	term.press("etcd\n")
	term.waitFor("What happens if two work at once?")
	term.press("9\n")
	term.waitFor("a number from 1 to 3")
	term.press("3\n")
	term.waitFor("What does the lock protect, and can that refuse an old token?")
	term.press("1\n")
	term.waitFor("which-lock.html")
	if code := term.exit(); code != exitMet {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(term.text(), "Use etcd, one transaction (etcd-txn), and have the resource refuse,") {
		t.Errorf("no answer:\n%s", term.text())
	}
}

// Ctrl-C ends what asks at once, Ctrl-D ends the tour as q does, and the end of the input is no
// answer to advise. Questions that flags answer are not asked.
func TestATerminalIsLeft(t *testing.T) {
	tour, advise := []string{"tour"}, []string{"advise", "--have", "redis"}
	for _, tt := range []struct {
		args       []string
		shown, key string
		want       int
	}{
		{tour, "[Enter] lesson 1", "\x03", exitInterrupted},
		{tour, "[Enter] lesson 1", "\x04", exitMet},
		{advise, "What happens if two work at once?", "\x03", exitInterrupted},
		{advise, "What happens if two work at once?", "\x04", exitUsage},
	} {
		term := atTerminal(t, append(tt.args, "--no-color")...)
		term.waitFor(tt.shown)
		term.press(tt.key)
		if got := term.exit(); got != tt.want {
			t.Errorf("%v, key %q: exit code %d, want %d:\n%s", tt.args, tt.key, got, tt.want, term.text())
		}
		for _, not := range []string{"\x1b[", "context", "What do you have?"} {
			if strings.Contains(term.text(), not) {
				t.Errorf("%v, key %q: %q is shown:\n%s", tt.args, tt.key, not, term.text())
			}
		}
	}
}
