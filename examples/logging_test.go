package examples_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"lockstep/internal/logcheck"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

var update = flag.Bool("update", false, "write the sources of logging into docs/log-your-locks.md")

// story is the log of a program in each language: its lines, with clients numbered in the order of
// their first lines, and the verdict.
type story struct {
	lock    string
	lines   []string
	verdict logcheck.Verdict
}

var stories = []story{
	{"works", []string{
		"1 waiting", "1 acquired 1", "2 waiting", "1 extended 1", "1 write 1", "1 released 1",
		"2 acquired 2", "2 write 2", "2 released 2", // the work of 2 fails
		"1 waiting", "1 acquired 3", "2 waiting", "1 lost 3", // 2 has given up meanwhile
		"2 waiting", "2 acquired 4", "2 released 4",
	}, logcheck.None},
	{"lies", []string{
		"1 waiting", "1 acquired 1", "2 waiting", "2 acquired 2", "2 write 2", "2 released 2", "1 write 1", "1 released 1",
	}, logcheck.Certain},
}

// judge judges a log as it is, and compares its lines. It returns the names of the clients.
func (s *story) judge(t *testing.T, log []byte) (clients []string) {
	t.Helper()
	// All margins are 0: one machine has one clock, and each release is written before it is
	// requested.
	r, err := logcheck.Check(t.Context(), logcheck.Options{}, logcheck.Source{In: bytes.NewReader(log)})
	if err != nil {
		t.Fatalf("%v in\n%s", err, log)
	}
	if r.Overlap() != s.verdict || r.StaleWrite() != s.verdict {
		t.Errorf("%s: two holders are %s and stale writes %s, want %s", s.lock, r.Overlap(), r.StaleWrite(), s.verdict)
	}
	var lines []string
	for line := range bytes.Lines(log) {
		var e struct {
			Time                time.Time
			Client, Lock, Event string
			Token               *int64
		}
		must.Do(t, json.Unmarshal(line, &e))
		// A local time that says it is in UTC is hours off.
		if _, offset := e.Time.Zone(); offset != 0 || time.Since(e.Time).Abs() > time.Hour || e.Lock != lock {
			t.Errorf("not in UTC, or of another lock: %s", line)
		}
		if !slices.Contains(clients, e.Client) {
			clients = append(clients, e.Client)
		}
		said := fmt.Sprint(slices.Index(clients, e.Client)+1, " ", e.Event)
		if e.Token != nil {
			said += fmt.Sprint(" ", *e.Token)
		}
		lines = append(lines, said)
	}
	must.Slicesf(t, lines, s.lines, "%s: the lines", s.lock)
	return clients
}

// lock is the name of the lock in all stories, which needs quoting.
const lock = `jobs "ä" \1`

// program plays both stories, each in a process of its own, whose clients must have other names.
func program(t *testing.T, command ...string) {
	t.Helper()
	dir, seen := t.TempDir(), map[string]bool{}
	for _, story := range stories {
		cmd := exec.Command(command[0], append(command[1:], story.lock)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TZ=Asia/Kolkata")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", story.lock, err, out)
		}
		file := filepath.Join(dir, "locks.jsonl")
		log, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, client := range story.judge(t, log) {
			if seen[client] {
				t.Errorf("two processes have a client %s", client)
			}
			seen[client] = true
		}
		must.Do(t, os.Remove(file))
	}
}

func TestTheLogOfPython(t *testing.T) {
	t.Setenv("PYTHONPATH", absolute(t, "logging/python"))
	program(t, realtest.Interpreter(t, "python3"), "-B", absolute(t, "testdata/logging/story.py"), "locks.jsonl")
}

// Many locks of Python return a secret of their holder.
func TestTheLogOfPythonHasNoSecrets(t *testing.T) {
	cmd := exec.Command(realtest.Interpreter(t, "python3"), "-B", "-c", `
import locklog
locklog.to("/dev/stdout")
with locklog.held("jobs", lambda: "5ecret", lambda: None) as hold:
    hold.write()`)
	cmd.Dir = "logging/python"
	log, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(log, []byte("\n")) != 4 || bytes.Contains(log, []byte("5ecret")) {
		t.Errorf("%v\n%s", err, log)
	}
}

// With SLF4J, logback writes the same lines.
func TestTheLogOfJava(t *testing.T) {
	realtest.SecondTier(t)
	classes := t.TempDir()
	build := exec.Command("javac", "-d", classes, "logging/java/LockLog.java", "testdata/logging/Story.java")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v (scripts/install-examples installs it)\n%s", err, out)
	}
	t.Run("java.util.logging", func(t *testing.T) {
		program(t, "java", "-cp", classes, "Story", "locks.jsonl")
	})
	t.Run("logback", func(t *testing.T) {
		path := classes
		for _, jar := range []string{"slf4j-api", "jul-to-slf4j", "logback-classic", "logback-core"} {
			path += string(filepath.ListSeparator) + "/usr/share/java/" + jar + ".jar"
		}
		bridge := filepath.Join(classes, "logging.properties")
		if err := os.WriteFile(bridge, []byte("handlers = org.slf4j.bridge.SLF4JBridgeHandler\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		program(t, "java", "-Djava.util.logging.config.file="+bridge, "-Dlogback.configurationFile="+absolute(t, "logging/java/logback.xml"), "-cp", path, "Story")
	})
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	return must.Get(filepath.Abs(path))(t)
}

// included matches a source on the page: a comment with its path, and a block of code.
var included = regexp.MustCompile("(?s)<!-- examples/(logging/\\S+) -->\n(```\\w+\n)(.*?)```\n")

// The page shows all sources as they are.
func TestThePageShowsTheSourcesOfLogging(t *testing.T) {
	const file = "../docs/log-your-locks.md"
	page := must.Get(os.ReadFile(file))(t)
	shown := 0
	want := included.ReplaceAllFunc(page, func(block []byte) []byte {
		shown++
		m := included.FindSubmatch(block)
		source := must.Get(os.ReadFile(string(m[1])))(t)
		return slices.Concat([]byte("<!-- examples/"), m[1], []byte(" -->\n"), m[2], source, []byte("```\n"))
	})
	if all, err := filepath.Glob("logging/*/*"); err != nil || shown != len(all) {
		t.Errorf("the page shows %d sources of %d (%v)", shown, len(all), err)
	}
	switch {
	case *update:
		must.Do(t, os.WriteFile(file, want, 0o644))
	case !bytes.Equal(page, want):
		t.Errorf("%s does not show the sources as they are: go test ./examples -update", file)
	}
}
