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
