package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/internal/browser"
	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/runstore"
)

func TestMain(m *testing.M) {
	workerMain() // the live world starts this program as its workers,
	playerMain() // and a worker of a queue as its players
	testscript.Main(browser.Tests{M: m}, map[string]func(){
		"simulate": func() { watchMemory(); os.Exit(execute()) }, "simulate-interrupted": interruptedInside, "stuck": stuck,
	})
}

// interruptedInside is simulate, interrupted when its work checks its context for the nth time (n
// is the first argument). No fixed delay hits the middle of a simulation on every machine.
func interruptedInside() {
	n, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	os.Args = slices.Delete(os.Args, 1, 2)
	watchMemory()
	os.Exit(executeSeen(func(ctx context.Context) context.Context { return &impatient{Context: ctx, left: n} }))
}

// impatient is a context that interrupts its process when Err is called for the nth time.
type impatient struct {
	context.Context
	left int64
}

func (c *impatient) Err() error {
	if atomic.AddInt64(&c.left, -1) == 0 {
		self, err := os.FindProcess(os.Getpid())
		if err = errors.Join(err, self.Signal(syscall.SIGTERM)); err != nil {
			panic(err)
		}
		<-c.Done()
	}
	return c.Context.Err()
}

// stuck writes a file for ever, without looking at a context.
func stuck() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	endInTime(ctx)
	fmt.Println(writeAtLength("report.html", func(io.Writer) error { select {} }))
}

func writeAtLength(path string, write func(io.Writer) error) error {
	return runstore.WriteWhole(path, &runstore.File{Write: write})
}

// The scripts in testdata/script are what a user types and sees.
func TestScripts(t *testing.T) {
	t.Parallel() // with those on real servers, which wait more than they compute
	playScripts(t, "testdata/script")
}

// Those in testdata/live are played on real servers, which may be late: scripts/test-live
// gives them a second chance.
func TestScriptsOnRealServers(t *testing.T) {
	t.Parallel()
	playScripts(t, "testdata/live")
}

// Scripts that take most of a minute each.
func TestLongScriptsOnRealServers(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	playScripts(t, "testdata/live-long")
}

func playScripts(t *testing.T, dir string) {
	root := must.Get(filepath.Abs("../.."))(t)
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: *reporttest.Update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("REPOSITORY", root)
			bin := filepath.SplitList(env.Getenv("PATH"))[0] // where testscript has put this program
			env.Setenv("SIMULATE", filepath.Join(bin, "simulate"))
			return os.Symlink(filepath.Join(root, "scenarios"), filepath.Join(env.WorkDir, "scenarios"))
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "live":
				return live, nil
			case "queue":
				return queued, nil
			case "root":
				return os.Geteuid() == 0, nil
			case "docker": // a container engine answers, and this program can use it
				return live && exec.Command("docker", "info").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "size": size, "fetch": fetch, "occupy": occupy},
	})
}

// status runs a program and demands an exit code: status 3 simulate run x.yaml
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// size makes a sparse file of that many bytes: size huge.yaml 100000000
func size(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(n))
	ts.Check(f.Close())
}

// addressPatience is how long a server may take to print its address on a busy machine.
const addressPatience = 30 * time.Second

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// fetch requests a page from the server whose output is in a file, and stores the answer:
// fetch serve.txt /latest page.html
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: fetch OUTPUT PATH FILE")
	}
	var origin []byte
	for deadline := time.Now().Add(addressPatience); origin == nil; time.Sleep(10 * time.Millisecond) {
		output, _ := os.ReadFile(ts.MkAbs(args[0])) // not there yet, or not complete
		if origin = address.Find(output); origin == nil && time.Now().After(deadline) {
			ts.Fatalf("no address in %s: %s", args[0], output)
		}
	}
	response, err := http.Get(string(origin) + args[1])
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), body, 0o644))
	if found := response.StatusCode == http.StatusOK; found == neg {
		ts.Fatalf("%s: %s", args[1], response.Status)
	}
}

// occupy listens on a port until the script ends and sets a variable to its number: occupy PORT
func occupy(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	ts.Setenv(args[0], strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
}
