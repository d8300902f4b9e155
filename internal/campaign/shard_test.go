package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/internal/must"
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

// work is a work to divide; change, if not nil, changes it.
func work(t *testing.T, change func(*Work)) *Work {
	t.Helper()
	w := must.Get(NewWork("v1", "search", &Scenario{File: "storm.yaml", Text: "scenario: <&\u2028 Storm\n"}, map[string]int{"seeds": 100}))(t)
	if change != nil {
		change(w)
	}
	return w
}

// part is the file of one shard, written and read back.
func part(t *testing.T, file string, w *Work, s Shard, result any) *Results {
	t.Helper()
	l := must.Get(NewLine(w, s.String(), result))(t)
	r := NewResults(w, s.Of)
	must.Do(t, r.Put(l))
	return again(t, file, r.Store())
}

func again(t *testing.T, file string, data []byte) *Results {
	t.Helper()
	return must.Get(Read(file, data))(t)
}

// Parts merge to the same results in any order and grouping, even with repetitions.
func TestMergingIsCommutativeAssociativeAndIdempotent(t *testing.T) {
	const n = 9
	random := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for range 50 {
		var parts []*Results
		for k := 1; k <= n; k++ {
			parts = append(parts, part(t, fmt.Sprint(random.Uint64()), work(t, nil), Shard{k, n}, []int{k, k * k}))
		}
		for len(parts) > 1 {
			random.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			some := 2 + random.IntN(len(parts)-1)
			merged := must.Get(Merge(parts[:some]))(t)
			some -= random.IntN(2) // one of them comes again
			parts = append(parts[some:], again(t, fmt.Sprint(random.Uint64()), merged.Store()))
		}
		must.Do(t, parts[0].Missing())
		if want == nil {
			want = parts[0].Store()
		}
		if !bytes.Equal(parts[0].Store(), want) {
			t.Fatalf("merged in another order:\n%s\n%s", parts[0].Store(), want)
		}
	}
	results, err := All[[]int](again(t, "all", want))
	if err != nil || len(results) != n {
		t.Fatal(results, err)
	}
	for i, r := range results {
		if k := i + 1; r[0] != k || r[1] != k*k {
			t.Errorf("shard %d has the result %v", k, r)
		}
	}
}

func TestPartsThatCannotBeMerged(t *testing.T) {
	one := part(t, "a.json", work(t, nil), Shard{1, 3}, 7)
	tests := []struct {
		other *Results
		want  string
	}{
		{part(t, "b.json", work(t, nil), Shard{1, 3}, 8), "1/3 is one thing in a.json and another in b.json"},
		{part(t, "b.json", work(t, nil), Shard{2, 4}, 7), "a.json divides the work into 3 shards and b.json into 4"},
		{part(t, "b.json", work(t, func(w *Work) { w.Version = "v2" }), Shard{2, 3}, 7), "different work: version v1 of the program made one and version v2 the other"},
		{part(t, "b.json", work(t, func(w *Work) { w.Command = "sweep" }), Shard{2, 3}, 7), "one is of search and the other of sweep"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.Text = "scenario: Calm\n" }), Shard{2, 3}, 7), "storm.yaml was changed in between"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.File = "calm.yaml" }), Shard{2, 3}, 7), "one is of storm.yaml and the other of calm.yaml"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.Set = []string{"lease=3s"} }), Shard{2, 3}, 7), `["lease=3s"]`},
		{part(t, "b.json", work(t, func(w *Work) { w.Options = []byte(`{"seeds":9}`) }), Shard{2, 3}, 7), `the options differ: {"seeds":100} and {"seeds":9}`},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario = nil }), Shard{2, 3}, 7), "different work"},
	}
	for _, tt := range tests {
		for _, parts := range [][]*Results{{one, tt.other}, {tt.other, one}} {
			_, err := Merge(parts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if errors.Is(err, ErrDiverged) != strings.Contains(tt.want, "one thing") {
				t.Errorf("%v: ErrDiverged is wrong", err)
			}
		}
	}
}

func TestMissingNamesTheShards(t *testing.T) {
	var parts []*Results
	for _, k := range []int{2, 3, 7, 8} {
		parts = append(parts, part(t, fmt.Sprint(k), work(t, nil), Shard{k, 9}, k))
	}
	all := must.Get(Merge(parts))(t)
	if err := all.Missing(); err == nil || !strings.HasPrefix(err.Error(), "of 9 shards these are missing: 1, 4 to 6, 9.") {
		t.Error(err)
	}
}

// A changed file is read up to the change, or not at all.
func TestAFileThatWasTamperedWithIsNoResult(t *testing.T) {
	both := must.Get(Merge([]*Results{part(t, "a", work(t, nil), Shard{1, 3}, 7), part(t, "b", work(t, nil), Shard{2, 3}, []int{64})}))(t)
	stored := both.Store()
	check := func(bad []byte) {
		t.Helper()
		if r, err := Read("a.json", bad); err == nil && !bytes.HasPrefix(stored, r.Store()) {
			t.Fatalf("%q is read as %q", bad, r.Store())
		} else if err == nil && r.Len() != bytes.Count(bad, []byte("\n"))-1 {
			t.Fatalf("%q is read with %d lines", bad, r.Len())
		}
	}
	for i := range stored {
		for _, b := range []byte{stored[i] ^ 1, '9', ' ', '\n'} {
			bad := bytes.Clone(stored)
			bad[i] = b
			check(bad)
		}
		check(stored[:i])
		check(append(stored[:i:i], stored[i+1:]...))
	}
	for text, want := range map[string]string{
		string(stored) + "{}\n":                          "a.json is not as it was written, in line 4 (",
		string(stored) + string(stored):                  "a.json is not as it was written, in line 4 (",
		"scenario: Calm\n":                               "a.json is no file of results, or half of one (line 1: ",
		`{"results":1}` + "\n":                           "a.json is no file of results, or half of one (line 1: it does not say of which work",
		`{"results":2}` + "\n":                           "a.json has form 2 of results, and this program reads form 1",
		strings.Replace(string(stored), "100", "999", 1): "a.json is not as it was written, in line 1: make it again",
	} {
		if _, err := Read("a.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, not %q", text, err, want)
		}
	}
}
