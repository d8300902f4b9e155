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
