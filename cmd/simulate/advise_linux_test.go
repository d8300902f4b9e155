package main

import (
	"strings"
	"testing"
)

// At a terminal the three questions are asked, by number or by name; what is no answer is asked again.
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

// Ctrl-C leaves, and the end of what is typed is no answer. What a flag says is not asked.
func TestAdviceIsLeft(t *testing.T) {
	for _, tt := range []struct {
		key  string
		want int
	}{{"\x03", exitInterrupted}, {"\x04", exitUsage}} {
		term := atTerminal(t, "advise", "--have", "redis", "--no-color")
		term.waitFor("What happens if two work at once?")
		if strings.Contains(term.text(), "What do you have?") {
			t.Error("it asks what a flag has said")
		}
		term.press(tt.key)
		if got := term.exit(); got != tt.want {
			t.Errorf("key %q: exit code %d, want %d:\n%s", tt.key, got, tt.want, term.text())
		}
	}
}
