package main

import (
	"strings"
	"testing"
)

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
