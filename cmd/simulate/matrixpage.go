package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/report/page"
	"lockstep/internal/run"
)

// matrixPage maps a measured matrix to what its page shows: rows by the kind of
// their store, and the worst run of each cell played again and told.
func (f *matrixFlags) matrixPage(ctx context.Context, m *matrix.Matrix) (*matrixpage.Matrix, error) {
	runs, err := f.worstRuns(ctx, m)
	if err != nil {
		return nil, err
	}
	drawn := &matrixpage.Matrix{Language: f.language, Backend: m.Backend, Seeds: m.Seeds, Replay: f.matrixReplay(m.Seeds)}
	for _, c := range m.Columns {
		column := page.Column{Code: c.Code, Name: c.Name, Summary: c.Summary}
		for _, k := range c.Kinds() {
			column.Kinds = append(column.Kinds, page.Kind{Name: k.Name, During: duringInWords[k.During]})
		}
		drawn.Columns = append(drawn.Columns, column)
	}
	rows := make([]int, len(m.Locks))
	for i := range rows {
		rows[i] = i
	}
	sort.SliceStable(rows, func(a, b int) bool { return groupOf(m.Locks[rows[a]]).rank < groupOf(m.Locks[rows[b]]).rank })
	for _, i := range rows {
		v := m.Locks[i]
		d, g := v.Doc(f.language), groupOf(v)
		row := matrixpage.Lock{
			ID: v.ID, Group: g.name, Store: demands(v), Idea: d.Idea, Protocol: d.Protocol,
			BreaksWhen: d.BreaksWhen, Source: d.Source,
		}
		for k := range m.Columns {
			c := m.Cell(i, k)
			row.Cells = append(row.Cells, matrixpage.Cell{
				Tried:  c.Tried(),
				Letter: c.Letter, Note: c.Note, Runs: c.Runs, Untested: c.Untested, Broken: c.Broken, Stuck: c.Stuck,
				Rate: c.Rate, Low: c.Low, High: c.High, Worst: runs[i*len(m.Columns)+k],
				Also: c.Also(), DamagedBy: c.DamagedBy, Walk: walkOfCell(c),
			})
			if w := c.Worst; w != nil {
				drawn.Lease = w.Played().Lease
			}
		}
		drawn.Locks = append(drawn.Locks, row)
	}
	return drawn, nil
}

// duringInWords is what a client is at that a fault of the walk hits.
var duringInWords = map[string]string{"acquire": "while acquiring", "hold": "while holding", "release": "while releasing"}

// walkOfCell is what the walk has come to in a cell.
func walkOfCell(c *matrix.Cell) *matrixpage.Walk {
	if c.Walked == nil {
		return nil
	}
	w := &matrixpage.Walk{Schedules: c.Walked.Schedules, Vain: c.Walked.Vain, Cut: c.Walked.Cut}
	if s := c.Story; s != nil {
		w.Story = &matrixpage.Story{World: s.World, Text: s.Text, Command: playStory(c)}
	}
	return w
}

// matrixReplay is the command line that measures the matrix again.
func (f *matrixFlags) matrixReplay(seeds int) string {
	line := fmt.Sprintf("simulate matrix --seeds %d", seeds)
	return line + f.world() + f.narrowed()
}

// worstRuns plays the worst run of each cell again, and tells those in which
// something broke. Workers share the cells; each run has its place in the result.
func (f *matrixFlags) worstRuns(ctx context.Context, m *matrix.Matrix) ([]*matrixpage.Run, error) {
	out := make([]*matrixpage.Run, len(m.Cells))
	err := run.Share(ctx, f.jobs, len(m.Cells), nil, func(ctx context.Context, _ []run.World, i int) (err error) {
		out[i], err = f.worstRun(ctx, &m.Cells[i])
		return err
	})
	return out, err
}

// worstRun is the worst run of a cell, told when it proves harm; nil for a cell
// that has nothing to show.
func (f *matrixFlags) worstRun(ctx context.Context, c *matrix.Cell) (*matrixpage.Run, error) {
	s := c.Worst
	if s == nil || c.Letter == checker.LetterSafe {
		return nil, nil
	}
	file := fmt.Sprintf("%s-%s.yaml", c.Lock, c.Fault)
	r := &matrixpage.Run{
		Letter: s.Letter, Script: s.Name, Varied: s.Seed > 0, Hash: s.Hash, File: file, YAML: s.File(),
		Command: f.playAgain(file, c),
	}
	if c.Letter == checker.LetterDelay || f.live() { // a real run cannot be played again as it was
		return r, nil
	}
	j, err := matrix.Replay(ctx, simulator, s, c.Lock)
	if err != nil {
		return nil, fmt.Errorf("%s under %s, played again: %w", c.Lock, c.Fault, err)
	}
	if j.History.Hash().String() != s.Hash {
		return nil, &bugError{fmt.Errorf("%s under %s, played again, gave another history", c.Lock, c.Fault)}
	}
	r.Tale = matrixpage.NewTale(&j, s.Played().Redis.Lag)
	return r, nil
}

// lockGroup is a heading of the page.
type lockGroup struct {
	rank int
	name string
}

// groupOf puts a variant under its heading: by its store, and what the documents
// print with a mistake in it last.
func groupOf(v locks.Variant) lockGroup {
	if v.Library != "" {
		return lockGroup{90, "Libraries, as they are, on real servers"}
	}
	if strings.HasPrefix(v.ID, "lit-") {
		return lockGroup{99, "Defects, exactly as the documents print them"}
	}
	if v.Servers.Shards > 0 {
		return lockGroup{1, redisCluster}
	}
	switch v.Store {
	case locks.StoreRedis:
		return lockGroup{0, storeName(v.Store)}
	case locks.StoreRedisNodes:
		return lockGroup{2, storeName(v.Store)}
	case locks.StoreEtcd:
		return lockGroup{3, storeName(v.Store)}
	case locks.StoreZooKeeper:
		return lockGroup{4, storeName(v.Store)}
	case locks.StoreConsul:
		return lockGroup{5, storeName(v.Store)}
	case locks.StoreMySQL:
		return lockGroup{6, storeName(v.Store)}
	case locks.StorePostgres:
		return lockGroup{7, storeName(v.Store)}
	}
	return lockGroup{50, storeName(v.Store)}
}

// redisCluster is what the servers of a design that demands shards are called.
const redisCluster = "Redis Cluster"

func storeName(s locks.Store) string {
	switch s {
	case locks.StoreRedis:
		return "Redis, one primary"
	case locks.StoreRedisNodes:
		return "Redis, independent primaries"
	case locks.StoreEtcd:
		return "etcd"
	case locks.StoreZooKeeper:
		return "ZooKeeper"
	case locks.StoreConsul:
		return "Consul"
	case locks.StoreMySQL:
		return "MySQL"
	case locks.StorePostgres:
		return "PostgreSQL"
	}
	return string(s)
}

// demands says what a design wants of its servers.
func demands(v locks.Variant) string {
	s := v.Servers
	parts := []string{storeName(v.Store)}
	if s.Shards > 0 {
		parts = []string{redisCluster, fmt.Sprintf("at least %d shards", s.Shards)}
	}
	if s.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("%d nodes", s.Nodes))
	}
	if s.Replicas > 0 {
		parts = append(parts, fmt.Sprintf("at least %d replicas", s.Replicas))
	}
	if s.FsyncAlways {
		parts = append(parts, "every write on disk before its reply")
	}
	if s.RestartAfterLease {
		parts = append(parts, "a crashed server stays away for longer than a lease")
	}
	if s.MinReplicas > 0 {
		parts = append(parts, fmt.Sprintf("no writes unless %d replicas have been heard from within %s", s.MinReplicas, s.MinReplicasMaxLag))
	}
	if s.TairString {
		parts = append(parts, "the module TairString")
	}
	if s.Redis84 {
		parts = append(parts, "Redis 8.4 or later")
	}
	return strings.Join(parts, "; ")
}
