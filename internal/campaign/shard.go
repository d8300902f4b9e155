// Package campaign divides work that plays many runs among independent machines. A Work is one
// command with all that determines its result. It is divided into independent units, such as
// shards, whose Results are appended to a file; files can be merged in any order.
package campaign

import (
	"fmt"
	"strconv"
	"strings"
)

// Most is how many shards a work can have.
const Most = 1_000_000

// Shard is one share of a work. The zero Shard is all of it.
type Shard struct {
	Number int // from 1 on
	Of     int
}

// whole gives the zero Shard its numbers.
func (s Shard) whole() Shard {
	if s.Of == 0 {
		return Shard{1, 1}
	}
	return s
}

// String returns the usual notation: "3/16".
func (s Shard) String() string {
	s = s.whole()
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// Block is the shard's share of pieces that belong together in their order: from one on, before
// another.
func (s Shard) Block(pieces int) (from, before int) {
	s = s.whole()
	return pieces/s.Of*(s.Number-1) + pieces%s.Of*(s.Number-1)/s.Of, pieces/s.Of*s.Number + pieces%s.Of*s.Number/s.Of
}

// Has reports whether a piece, counted from 0, belongs to the shard if they are dealt out one by
// one: neighbouring pieces take similar times, so every shard gets some of each kind.
func (s Shard) Has(piece int) bool {
	s = s.whole()
	return piece%s.Of == s.Number-1
}

// Count is the number of pieces that are dealt out to the shard.
func (s Shard) Count(pieces int) int {
	s = s.whole()
	return (pieces - s.Number + s.Of) / s.Of
}

// Piece is the shard's ith piece, both counted from 0.
func (s Shard) Piece(i int) int {
	s = s.whole()
	return s.Number - 1 + i*s.Of
}

// Parse reads "3/16", or "auto/16", for which getenv looks up the number in a variable of an engine
// that starts many copies of one command.
func Parse(text string, getenv func(string) string) (Shard, error) {
	number, of, two := strings.Cut(text, "/")
	n, err := strconv.Atoi(of)
	if !two || err != nil {
		return Shard{}, fmt.Errorf("%q is no shard: write 3/16 for the third of sixteen, or auto/16", text)
	}
	if n < 1 || n > Most {
		return Shard{}, fmt.Errorf("%q: divide the work into 1 to %d shards", text, Most)
	}
	if number == "auto" {
		return fromEngine(n, getenv)
	}
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k > n {
		return Shard{}, fmt.Errorf("%q: shards are numbered from 1 to %d", text, n)
	}
	return Shard{k, n}, nil
}

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
