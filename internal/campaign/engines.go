package campaign

import (
	"fmt"
	"strconv"
	"strings"
)

// engine is a convention by which copies of one command learn their numbers.
type engine struct {
	name  string
	index string // the variable that numbers the copies
	first int    // the number of the first one
	least string // the variable with that number instead; "" for none
	step  string // the variable with the increment; "" for 1
	count string // the variable with the number of copies; "" for none
}

// engines follow the manuals.
var engines = []engine{
	{name: "a Kubernetes Indexed Job", index: "JOB_COMPLETION_INDEX"},
	{
		name: "a Slurm array", index: "SLURM_ARRAY_TASK_ID", first: 1, least: "SLURM_ARRAY_TASK_MIN",
		step: "SLURM_ARRAY_TASK_STEP", count: "SLURM_ARRAY_TASK_COUNT",
	},
	{name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{name: "Cloud Run", index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT"},
	{name: "GitLab CI", index: "CI_NODE_INDEX", first: 1, count: "CI_NODE_TOTAL"},
	{name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"},
	{name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"},
	{name: "a matrix that sets it", index: "LOCKSTEP_SHARD", first: 1},
}

// fromEngine asks the environment which of n shards this one is.
func fromEngine(n int, getenv func(string) string) (Shard, error) {
	var found Shard
	var by *engine
	var names []string
	for i := range engines {
		e := &engines[i]
		names = append(names, e.index)
		if getenv(e.index) == "" {
			continue
		}
		s, err := e.shard(n, getenv)
		if err != nil {
			return Shard{}, err
		}
		if by != nil && s != found {
			return Shard{}, fmt.Errorf("auto/%d: %s says shard %d and %s says shard %d: write the number of one of them", n, by.index, found.Number, e.index, s.Number)
		}
		found, by = s, e
	}
	if by == nil {
		return Shard{}, fmt.Errorf("auto/%d: no engine says which shard this is (none of %s is set): write its number, as in 3/%d", n, strings.Join(names, ", "), n)
	}
	return found, nil
}

// shard reads the variables of one engine.
func (e *engine) shard(n int, getenv func(string) string) (Shard, error) {
	var failed error
	read := func(name string, otherwise int) int {
		if name == "" || getenv(name) == "" {
			return otherwise
		}
		x, err := strconv.Atoi(getenv(name))
		if err != nil && failed == nil {
			failed = fmt.Errorf("auto/%d: %s is %q, which is no number", n, name, getenv(name))
		}
		return x
	}
	index, first, step, count := read(e.index, 0), read(e.least, e.first), read(e.step, 1), read(e.count, n)
	if failed != nil {
		return Shard{}, failed
	}
	if count != n {
		return Shard{}, fmt.Errorf("auto/%d: %s starts %d copies (%s): write auto/%d", n, e.name, count, e.count, count)
	}
	if step < 1 || (index-first)%step != 0 {
		return Shard{}, fmt.Errorf("auto/%d: %s is %d, which is not among %d, %d and so on", n, e.index, index, first, first+step)
	}
	k := (index-first)/step + 1
	if k < 1 || k > n {
		return Shard{}, fmt.Errorf("auto/%d: %s is %d, which means shard %d: shards are numbered from 1 to %d", n, e.index, index, k, n)
	}
	return Shard{k, n}, nil
}
