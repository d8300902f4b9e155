package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	workerMain() // the live world starts this very program as its workers
	testscript.Main(m, map[string]func(){"simulate": func() { os.Exit(execute()) }})
}

// The scripts in testdata/script are what a user types and sees.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("REPOSITORY", root)
			bin := filepath.SplitList(env.Getenv("PATH"))[0] // where testscript has put this program
			env.Setenv("SIMULATE", filepath.Join(bin, "simulate"))
			return os.Symlink(filepath.Join(root, "scenarios"), filepath.Join(env.WorkDir, "scenarios"))
		},
		Condition: func(name string) (bool, error) {
			if name != "live" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return live, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "size": size},
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

// size makes a file of that many bytes, most of them a hole: size huge.yaml 100000000
func size(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(n))
	ts.Check(f.Close())
}
