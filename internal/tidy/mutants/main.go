package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"lockstep/internal/real/realtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	part := flag.String("part", "1/1", "K/N: of every N mutations the K-th")
	flag.Parse()
	if err := hunt(ctx, flag.Arg(0), *part); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

// hunt plays the chosen mutations and returns an error unless tests kill all of them.
func hunt(ctx context.Context, pattern, part string) error {
	all, err := load()
	if err != nil {
		return err
	}
	if all, err = choose(all, pattern, part); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Println("first the tests that have to kill them, without a mutation")
	began := time.Now()
	if err := healthy(ctx, root, dir, all); err != nil {
		return err
	}
	fmt.Printf("they pass (%v); now %d mutations\n", time.Since(began).Round(time.Second), len(all))
	began = time.Now()
	var bad []string
	err = each(ctx, len(all), func(i int) func(ended int) error {
		m, since := &all[i], time.Now()
		by, err := m.play(ctx, root, dir)
		what := "killed by " + by
		if err != nil {
			what = err.Error()
		}
		return func(ended int) error {
			if err != nil {
				bad = append(bad, m.Name)
			}
			left := time.Since(began) / time.Duration(ended) * time.Duration(len(all)-ended)
			fmt.Printf("%3d of %d  %-45s %s (%v; about %v left)\n", ended, len(all), m.Name, what,
				time.Since(since).Round(time.Second), left.Round(time.Minute))
			return nil
		}
	})
	if err != nil {
		return err
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return fmt.Errorf("%d of %d mutations are not killed: %s", len(bad), len(all), strings.Join(bad, ", "))
	}
	fmt.Printf("all %d killed in %v\n", len(all), time.Since(began).Round(time.Second))
	return nil
}

// each does n pieces of work, one per processor at a time. The function that do returns is called
// with the number of pieces that have ended, one call at a time; its error ends the work.
func each(ctx context.Context, n int, do func(i int) func(ended int) error) error {
	work, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var (
		wait  sync.WaitGroup
		next  atomic.Int64
		lock  sync.Mutex
		ended int
	)
	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && work.Err() == nil; i = int(next.Add(1)) - 1 {
				report := do(i)
				lock.Lock()
				ended++
				if err := report(ended); err != nil {
					fail(err)
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return context.Cause(work)
}

// healthy returns an error unless all killers pass without a mutation: a test that always fails
// would kill everything.
func healthy(ctx context.Context, root, dir string, all []mutation) error {
	var killers []string
	for i := range all {
		for _, args := range all[i].Killers {
			if !slices.Contains(killers, args) {
				killers = append(killers, args)
			}
		}
	}
	return each(ctx, len(killers), func(i int) func(int) error {
		args := killers[i]
		out, err := goTest(ctx, root, dir, "", args)
		return func(int) error {
			switch {
			case err != nil:
				return fmt.Errorf("without a mutation, go test %s: %w\n%s", args, err, out)
			case strings.Contains(out, "[no tests to run]") || strings.Contains(out, "[no test files]"):
				return fmt.Errorf("go test %s, which has to kill a mutation, runs no test", args)
			}
			return nil
		}
	})
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// play runs the tests of a mutation and returns the test that killed it. Only a failed assertion
// is a kill, not a failed build or a timeout.
func (m *mutation) play(ctx context.Context, root, dir string) (string, error) {
	text, err := m.apply(root)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, m.Name+".go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(root, filepath.FromSlash(m.File)): changed},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, m.Name+".json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	for _, args := range m.Killers {
		out, err := goTest(ctx, root, dir, file, args)
		switch {
		case ctx.Err() != nil:
			return "", errors.New("interrupted")
		case err == nil:
		case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
			return "", fmt.Errorf("DOES NOT BUILD\n%s", out)
		case strings.Contains(out, "panic: test timed out"):
			return "", fmt.Errorf("HANGS in go test %s", args)
		default:
			if t := failedTest.FindStringSubmatch(out); t != nil {
				return t[1], nil
			}
			return "", fmt.Errorf("go test %s failed, but no test did:\n%s", args, out)
		}
	}
	return "", fmt.Errorf("SURVIVES: %s", m.Belief)
}

// goTest runs go test in root with the arguments of a killer and an overlay file, "" for none; dir
// is for temporary files. It leaves out pinned hashes: they change with nearly every mutation,
// and are rewritten with every change, so they do not know what is right.
func goTest(ctx context.Context, root, dir, overlay, args string) (string, error) {
	line := []string{"test", "-p", "1", "-short", "-failfast", "-vet=off", "-timeout", "5m", "-skip", "^TestPinnedHashes$"}
	if overlay != "" {
		line = append(line, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(line, strings.Fields(args)...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), realtest.WithoutServers+"=1", realtest.RequireServers+"=",
		"TMPDIR="+dir, "GOTMPDIR="+dir, "LOCKSTEP_REPORTS="+dir, // removed with all that killed tests leave in it
		"RAPID_NOFAILFILE=1") // otherwise a test that finds the bug writes to the work tree
	// Cancel kills the tests, too, not only the go command.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	return string(out), err
}
