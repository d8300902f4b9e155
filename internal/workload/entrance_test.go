package workload

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// enter plays a script and returns when each client began: "120 A acquired" is an event at 120 ms,
// "10 fault" the beginning of a fault, "500" just moves the time on.
func enter(t *testing.T, stagger time.Duration, script string) string {
	t.Helper()
	e := NewStartOrder(3, stagger, 400*time.Millisecond)
	var began []string
	at := 0
	admit := func() {
		for {
			next, from, ok := e.Next()
			now := time.Duration(at) * time.Millisecond
			if !ok || from > now {
				return
			}
			e.Begins(now)
			began = append(began, fmt.Sprintf("%c %d", 'A'+next, at))
		}
	}
	admit()
	for _, line := range strings.Split(script, "; ") {
		words := strings.Fields(line)
		var until int
		must.Get(fmt.Sscan(words[0], &until))(t)
		for at < until {
			at++
			admit()
		}
		switch {
		case len(words) == 2 && words[1] == "fault":
			e.FaultBegins()
		case len(words) == 3:
			kind, ok := history.ParseKind(words[2])
			if !ok {
				t.Fatal("no kind " + words[2])
			}
			e.Observe(int(words[1][0]-'A'), kind, time.Duration(at)*time.Millisecond)
		}
		admit()
	}
	return strings.Join(began, ", ")
}

func TestClientsBeginInTheOrderOfTheStory(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"as planned", "0 A sent; 3 A acquired; 50 B sent; 200", "A 0, B 50, C 100"},
		{"a busy machine: A is late", "80 A sent; 90 A acquired; 91 B sent; 500", "A 0, B 90, C 141"},
		{"a busy machine: B is late", "3 A acquired; 300 B sent; 500", "A 0, B 50, C 350"},
		{"a request is not a grant", "0 A sent; 1 A replied; 399", "A 0"},
		{"A has no answer", "0 A sent; 300 A timed-out; 301 B sent; 500", "A 0, B 300, C 351"},
		{"A fails", "300 A acquire-failed; 400", "A 0, B 300"},
		{"A gives up", "300 A gave-up; 500", "A 0, B 300"},
		{"A dies by itself", "300 A crashed; 500", "A 0, B 300"},
		{"A is done at once", "3 A finished; 500", "A 0, B 50, C 450"},
		{"events of later clients do not count", "3 C acquired; 4 B sent; 399", "A 0"},
		{"A gives back what it gets", "3 A replied; 900", "A 0, B 400, C 800"},
		{"a fault: only the stagger counts", "10 fault; 500", "A 0, B 50, C 100"},
		{"a late fault", "300 fault; 500", "A 0, B 300, C 350"},
		{"a fault while B is on its way", "3 A acquired; 60 fault; 500", "A 0, B 50, C 100"},
	}
	for _, tt := range tests {
		must.Equalf(t, enter(t, 50*time.Millisecond, tt.script), tt.want, "%s", tt.name)
	}
	must.Equalf(t, enter(t, 0, "1"), "A 0, B 0, C 0", "without a stagger")
}
