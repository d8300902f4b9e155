package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"lockstep/internal/bubble/seeded"
)

type testFlags struct {
	*globals
	seed uint64
	jobs int
}

func testCommand(g *globals) *cobra.Command {
	f := &testFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "test [package]... [-- flag of go test]...",
		Short: "Run your Go tests with locktest, by a seed",
		Long: `Run go test with a Go runtime whose choices follow the seed: the order of goroutines,
select, timers, math/rand and maps. Tests with package locktest then repeat their
histories in any process. Everything is recompiled for this.

The runtime is generated from the sources of the Go that is installed. If they are
not as expected, it says so and runs plain go test.

` + exitHint,
		Example: `  simulate test ./...  # every test, and each again
  simulate test --seed 7 . -- -run TestMyLock/pause -v  # one run again`,
		Args: func(*cobra.Command, []string) error {
			if f.json {
				return errors.New("--json: go test has its own format: simulate test -- -json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			packages, more := args, []string(nil)
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				packages, more = args[:at], args[at:]
			}
			return f.run(cmd.Context(), packages, more)
		},
	}
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the first seed of each story")
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.NumCPU(), "how many packages to test at once, each on a core of its own")
	return cmd
}

func (f *testFlags) run(ctx context.Context, packages, more []string) error {
	goroot, version, err := seeded.Installed(ctx, ".")
	if err != nil {
		return environment(err)
	}
	dir, err := os.MkdirTemp("", "lockstep-runtime-")
	if err != nil {
		return environment(err)
	}
	defer os.RemoveAll(dir)
	if len(packages) == 0 {
		packages = []string{"."}
	}
	args := []string{"test", "-p", strconv.Itoa(f.jobs)}
	env := append(os.Environ(), fmt.Sprintf("LOCKSTEP_SEED=%d", f.seed))
	overlay, err := seeded.Write(goroot, version, dir)
	var unknown *seeded.UnknownGo
	switch {
	case errors.As(err, &unknown):
		fmt.Fprintln(os.Stderr, "simulate:", err)
		env = append(env, "GOMAXPROCS=1")
	case err != nil:
		return environment(err)
	default:
		// Plain go test runs vet; here it would check the whole standard library again.
		args = append(args, "-vet=off", "-overlay", overlay, "-tags", seeded.Tag)
	}
	tried := filepath.Join(dir, "tried") // a file, since go test hides the output of passing tests
	cmd := exec.CommandContext(ctx, "go", slices.Concat(args, packages, more)...)
	cmd.Env = append(env, "LOCKSTEP_SUMMARY="+tried)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, f.stdout, os.Stderr
	var exit *exec.ExitError
	err = cmd.Run()
	if text, unread := os.ReadFile(tried); unread == nil && !slices.Contains(more, "-json") {
		fmt.Fprintf(f.stdout, "\n%s", text)
	}
	switch {
	case errors.As(err, &exit):
		return silent(exitMissed) // go test has said why
	case err != nil:
		return environment(err)
	}
	return nil
}
