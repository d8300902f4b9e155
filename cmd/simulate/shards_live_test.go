//go:build live

package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

var killRounds = flag.Int("shard.rounds", 10, "how often shards are killed, started again and merged")

// Shards are killed at random times, started again, and merged in groups. No partial file is taken
// for a part, and in the end nothing is lost or counted twice.
func TestKilledShardsLeaveNothingHalf(t *testing.T) {
	realtest.SecondTier(t)
	dir := t.TempDir()
	programIn(t, dir)
	program := func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, "bin/simulate"), args...)
		cmd.Dir = dir
		return cmd
	}
	works := dividedWorks(t)
	alone := make([][]byte, len(works))
	for i, work := range works {
		alone[i], _ = program(append(work, "--json")...).Output() // with any exit code
		if len(alone[i]) == 0 {
			t.Fatalf("%v prints nothing", work)
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	killed := 0
	for round := range *killRounds {
		work, want := works[round%len(works)], alone[round%len(works)]
		n := 1 + random.IntN(6)
		parts := filepath.Join(dir, fmt.Sprint("round-", round))
		must.Do(t, os.Mkdir(parts, 0o755))
		for _, k := range random.Perm(n) {
			args := append(append([]string{}, work...), "--shard", fmt.Sprintf("%d/%d", k+1, n), "--part", parts+"/")
			for random.IntN(3) > 0 {
				cmd := program(args...)
				must.Do(t, cmd.Start())
				time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
				if cmd.Process.Kill() == nil {
					killed++
				}
				_ = cmd.Wait()
			}
			if out, err := program(args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		files, err := filepath.Glob(filepath.Join(parts, "part-*.json"))
		if err != nil || len(files) != n {
			t.Fatalf("%d parts of %d: %v", len(files), n, err)
		}
		for step := 0; len(files) > 1 && random.IntN(4) > 0; step++ {
			random.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
			some := 2 + random.IntN(len(files)-1)
			group := filepath.Join(parts, fmt.Sprintf("group-%d.json", step))
			if out, err := program(append(append([]string{"dev", "merge"}, files[:some]...), "--partial", group)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			files = append(files[some:], group)
		}
		got, _ := program(append([]string{"dev", "merge", "--json"}, files...)...).Output() // with the exit code of the command
		if !bytes.Equal(got, want) {
			t.Fatalf("round %d, %v in %d shards: one machine prints\n%s\nand the shards\n%s", round, work, n, want, got)
		}
	}
	t.Logf("%d rounds, %d kills", *killRounds, killed)
}
