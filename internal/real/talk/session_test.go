package talk

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
)

// page describes the protocol for authors of programs.
const page = "../../../docs/own-lock-programs.md"

// session returns the lines of the page's example without their arrows, and a shell script that
// plays the program.
func session(t *testing.T) (asked, answered []string, script string) {
	t.Helper()
	text := must.Get(os.ReadFile(page))(t)
	_, after, ok := strings.Cut(string(text), "<!-- session -->\n```\n")
	example, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatal("the page has no session")
	}
	lines := bufio.NewScanner(strings.NewReader(example))
	var b strings.Builder
	for lines.Scan() {
		switch arrow, line, _ := strings.Cut(lines.Text(), " "); arrow {
		case "->":
			asked = append(asked, line)
			b.WriteString("read -r q; echo \"$q\" >>\"$HEARD\"\n")
		case "<-":
			answered = append(answered, line)
			b.WriteString("echo '" + line + "'\n")
		default:
			t.Fatalf("not a line of the session: %q", lines.Text())
		}
	}
	return asked, answered, b.String() + "read -r q"
}

// A program that gives the answers of the page's example gets exactly its requests.
func TestTheSessionOfThePageIsPlayed(t *testing.T) {
	asked, answered, script := session(t)
	if len(asked) != 7 || len(answered) != 8 {
		t.Fatalf("%d requests and %d answers", len(asked), len(answered))
	}
	heard := filepath.Join(t.TempDir(), "heard")
	t.Setenv("HEARD", heard)
	p := start(t, script, long)
	l := must.Get(p.Lock("A", locks.Key, []string{"127.0.0.1:41001"}, 10*time.Second))(t)
	if !l.(*lock).extend {
		t.Error("the program does not get extend requests")
	}
	l.(*lock).extend = false                 // the test sends them itself, without waiting
	patient := func() (locks.Lease, error) { // the page has a wait_ms of a whole minute
		a, err := p.ask(question{Op: "acquire", Name: locks.Key, WaitMS: 60000}, 0)
		if err != nil || !*a.OK {
			return nil, err
		}
		return newLease(l.(*lock), a.Token), nil
	}
	first, err := patient()
	if err != nil || first.Token() != 34 {
		t.Fatalf("%v, %v", first, err)
	}
	if a, err := p.ask(question{Op: "extend"}, 0); err != nil || !*a.OK {
		t.Errorf("extend: %v", err)
	}
	if err := first.Release(context.Background()); err != nil {
		t.Errorf("release: %v", err)
	}
	if again, err := patient(); again != nil || err != nil {
		t.Errorf("an acquisition with an unknown outcome: %v, %v", again, err)
	}
	second, err := patient()
	if err != nil || second.Token() != 35 {
		t.Fatalf("%v, %v", second, err)
	}
	<-second.Lost().Done()
	must.Equalf(t, second.Release(context.Background()), locks.ErrNotHeld, "release of a lost lock")
	said, err := os.ReadFile(heard)
	if want := strings.Join(asked, "\n") + "\n"; err != nil || string(said) != want {
		t.Errorf("the program was asked\n%swant\n%s", said, want)
	}
}
