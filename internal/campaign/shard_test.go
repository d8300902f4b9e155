package campaign

import (
	"strings"
	"testing"
)

func TestEveryPieceBelongsToOneShard(t *testing.T) {
	for _, pieces := range []int{0, 1, 5, 16, 157} {
		for _, n := range []int{1, 2, 3, 16, 200} {
			blocks, dealt := make([]int, pieces), make([]int, pieces)
			last := 0
			for k := 1; k <= n; k++ {
				s := Shard{k, n}
				from, before := s.Block(pieces)
				if from != last {
					t.Errorf("%v of %d pieces begins at %d, and the one before ends at %d", s, pieces, from, last)
				}
				last = before
				for i := from; i < before; i++ {
					blocks[i]++
				}
				for i := range s.Count(pieces) {
					dealt[s.Piece(i)]++
					if !s.Has(s.Piece(i)) {
						t.Errorf("%v has not its own piece %d", s, s.Piece(i))
					}
				}
			}
			for i := range pieces {
				if blocks[i] != 1 || dealt[i] != 1 {
					t.Errorf("%d shards: piece %d of %d is in %d blocks and dealt out %d times", n, i, pieces, blocks[i], dealt[i])
				}
			}
		}
	}
}

// An unlimited search has 2^40 seeds, and a work can have a million shards.
func TestBlocksOfHugeWorksDoNotOverflow(t *testing.T) {
	const pieces = 1 << 62
	if from, before := (Shard{Most, Most}).Block(pieces); before != pieces || from >= before {
		t.Errorf("the last shard is %d to %d of %d", from, before, pieces)
	}
}

func TestTheZeroShardIsAllOfTheWork(t *testing.T) {
	var s Shard
	if from, before := s.Block(7); from != 0 || before != 7 || s.Count(7) != 7 || s.Piece(3) != 3 || !s.Has(5) || s.String() != "1/1" {
		t.Errorf("%v: %d to %d, %d pieces", s, from, before, s.Count(7))
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		give string
		env  string
		want string // the shard, or a part of the error
	}{
		{"3/16", "", "3/16"},
		{"1/1", "", "1/1"},
		{"3", "", `"3" is no shard: write 3/16`},
		{"3/", "", "is no shard"},
		{"0/16", "", "numbered from 1 to 16"},
		{"17/16", "", "numbered from 1 to 16"},
		{"x/16", "", "numbered from 1 to 16"},
		{"3/0", "", "1 to 1000000"},
		{"3/9999999", "", "1 to 1000000"},
		{"auto/16", "", "no engine says which shard this is (none of JOB_COMPLETION_INDEX"},
		{"auto/16", "JOB_COMPLETION_INDEX=0", "1/16"},
		{"auto/16", "JOB_COMPLETION_INDEX=15", "16/16"},
		{"auto/16", "JOB_COMPLETION_INDEX=16", "means shard 17"},
		{"auto/16", "JOB_COMPLETION_INDEX=x", "which is no number"},
		// Slurm: --array=1-16, --array=0-15, --array=10-40:2.
		{"auto/16", "SLURM_ARRAY_TASK_ID=16 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=16 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=16", "16/16"},
		{"auto/16", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=15 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=16", "1/16"},
		{"auto/16", "SLURM_ARRAY_TASK_ID=40 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=40 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=16", "16/16"},
		{"auto/16", "SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=40 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=16", "not among 10, 12"},
		{"auto/16", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=8", "a Slurm array starts 8 copies (SLURM_ARRAY_TASK_COUNT): write auto/8"},
		{"auto/4", "CI_NODE_INDEX=4 CI_NODE_TOTAL=4", "4/4"},
		{"auto/4", "CI_NODE_INDEX=0 CI_NODE_TOTAL=4", "means shard 0"},
		{"auto/4", "CIRCLE_NODE_INDEX=3 CIRCLE_NODE_TOTAL=4", "4/4"},
		{"auto/4", "BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=4", "1/4"},
		{"auto/4", "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=4", "3/4"},
		{"auto/4", "CLOUD_RUN_TASK_INDEX=1 CLOUD_RUN_TASK_COUNT=5", "Cloud Run starts 5 copies"},
		{"auto/4", "LOCKSTEP_SHARD=4", "4/4"},
		{"auto/4", "LOCKSTEP_SHARD=4 JOB_COMPLETION_INDEX=3", "4/4"},
		{"auto/4", "LOCKSTEP_SHARD=4 JOB_COMPLETION_INDEX=1", "JOB_COMPLETION_INDEX says shard 2 and LOCKSTEP_SHARD says shard 4"},
	}
	for _, tt := range tests {
		env := map[string]string{}
		for _, x := range strings.Fields(tt.env) {
			name, value, _ := strings.Cut(x, "=")
			env[name] = value
		}
		s, err := Parse(tt.give, func(name string) string { return env[name] })
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != tt.want || !strings.Contains(got, tt.want) {
			t.Errorf("%s with %s: %s, want %s", tt.give, tt.env, got, tt.want)
		}
	}
}
