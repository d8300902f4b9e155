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
)

// terminal is a program that runs at a pseudo-terminal.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File // what somebody types, and what the program shows

	mu    sync.Mutex
	shown bytes.Buffer
	over  chan struct{} // closed at the end of the output
}

// atTerminal starts this program at a terminal of its own, 80 columns wide.
func atTerminal(t *testing.T, args ...string) *terminal {
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
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, keys: keys, over: make(chan struct{})}
	term.cmd = &exec.Cmd{
		Path: program, Args: append([]string{"simulate"}, args...), Dir: t.TempDir(),
		Env:   []string{"LANG=en_US.UTF-8", "TERM=xterm"},
		Stdin: screen, Stdout: screen, Stderr: screen,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := term.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	go term.watch()
	return term
}

// watch collects what the program shows until nobody has the terminal open any more.
func (term *terminal) watch() {
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

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.shown.String()
}

// waitFor waits until a text is shown.
func (term *terminal) waitFor(want string) {
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

func (term *terminal) press(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.keys, keys); err != nil {
		term.t.Fatal(err)
	}
}

// exit waits for the end and returns the exit code.
func (term *terminal) exit() int {
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

// Ctrl-C ends the tour at once, and Ctrl-D as q does.
func TestTourIsLeft(t *testing.T) {
	for _, tt := range []struct {
		key  string
		want int
	}{{"\x03", exitInterrupted}, {"\x04", exitMet}} {
		term := atTerminal(t, "tour", "--no-color")
		term.waitFor("[Enter] lesson 1")
		term.press(tt.key)
		if got := term.exit(); got != tt.want {
			t.Errorf("key %q: exit code %d, want %d:\n%s", tt.key, got, tt.want, term.text())
		}
		if strings.Contains(term.text(), "\x1b[") {
			t.Error("colours in spite of --no-color")
		}
		if strings.Contains(term.text(), "context") {
			t.Errorf("an error for who leaves:\n%s", term.text())
		}
	}
}
