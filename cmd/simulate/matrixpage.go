package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/store"
)

// matrixPage converts a measured matrix to the data of its page: rows are grouped by store, and the
// worst run of each cell is played again and narrated.
func (f *matrixFlags) matrixPage(ctx context.Context, m *matrix.Matrix) (*matrixpage.Matrix, error) {
	runs, err := f.worstRuns(ctx, m)
	if err != nil {
		return nil, err
	}
	replay := fmt.Sprintf("simulate matrix --seeds %d", m.Seeds) + f.world() + f.narrowed()
	drawn := &matrixpage.Matrix{Language: f.language, Backend: m.Backend, Seeds: m.Seeds, Replay: replay}
	for _, c := range m.Columns {
		drawn.Columns = append(drawn.Columns, matrixpage.Column{Code: c.Code, Name: c.Name.In(f.language), Summary: c.Summary.In(f.language), Kinds: c.Kinds()})
	}
	rows := make([]int, len(m.Locks))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(groupOf(m.Locks[a]).rank, groupOf(m.Locks[b]).rank) })
	walk, err := storedWalk()
	if err != nil {
		return nil, err
	}
	for _, i := range rows {
		v := m.Locks[i]
		row := f.row(v, groupOf(v).name)
		searched := walk.Lock(v.ID)
		row.Apart, row.Tokens = locks.Misprint(v.ID) && len(f.locks) == 0, searched != nil && searched.Fenced()
		if f.whole() {
			row.More = !locks.Main(v.ID)
			switch {
			case locks.Main(v.ID):
				row.Group = say.Text("Designs to choose from, the least harmed first").In(f.language)
			case !row.Apart:
				row.Group = say.Text("Variants, and designs with a known defect").In(f.language)
			}
		}
		for k := range m.Columns {
			c := m.Cell(i, k)
			cell := matrixpage.Cell{
				Cell: c.Measured(), Worst: runs[i*len(m.Columns)+k], WalkDamages: c.Walked.Damages(),
				Tried: each.Map(c.Tried(), func(name say.Phrase) string { return name.In(f.language) }),
			}
			cell.Note, cell.DamagedBy = c.Note.In(f.language), matrix.Named(c.DamagedBy).In(f.language)
			row.Cells = append(row.Cells, cell)
			f.unexpected(&row, k, kindsFor(&m.Columns[k], v.ID, walk))
			if w := c.Worst; w != nil {
				drawn.Lease = w.Played().Lease
			}
		}
		drawn.Locks = append(drawn.Locks, row)
	}
	if f.live() || f.narrowed() != "" {
		return drawn, nil
	}
	libraries, err := f.libraryRows(m.Columns, walk)
	at := slices.IndexFunc(drawn.Locks, func(l matrixpage.Lock) bool { return l.Apart })
	if at < 0 {
		at = len(drawn.Locks)
	}
	drawn.Locks = slices.Insert(drawn.Locks, at, libraries...)
	return drawn, err
}

func (f *matrixFlags) row(v locks.Variant, group say.Phrase) matrixpage.Lock {
	d := v.Doc(f.language)
	return matrixpage.Lock{
		ID: v.ID, Name: locks.Name(v.ID).In(f.language), Group: group.In(f.language), Store: demands(v).In(f.language),
		Idea: d.Idea, Protocol: d.Protocol, BreaksWhen: d.BreaksWhen, Source: d.Source,
	}
}

// unexpected notes in a cell with which stores of the lock its faults are not expected.
func (f *matrixFlags) unexpected(row *matrixpage.Lock, column int, kinds []string) {
	where, everywhere := advice.NotExpectedWith(row.ID, kinds)
	if where == nil {
		return
	}
	c := &row.Cells[column]
	all := say.List(each.Map(where, func(h say.Words) say.Part { return h }))
	c.NotExpected, c.Unexpected = say.NotExpectedIn.With(all).In(f.language), everywhere
}

// whole reports whether the matrix has all locks and columns. Its page shows the main locks first,
// and its evidence is on separate pages.
func (f *matrixFlags) whole() bool { return len(f.locks) == 0 && len(f.columns) == 0 }

// libraryRows are the stored rows of the libraries, measured with their own code.
func (f *matrixFlags) libraryRows(columns []matrix.Column, walk *results.Explored) (rows []matrixpage.Lock, err error) {
	all, err := storedLibraries()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		v, _ := locks.Lookup(l.Lock)
		how := say.ByItsOwnCode.With(say.Verbatim(l.Library+" "+l.Version), say.Verbatim(l.Go)).In(f.language)
		row := f.row(v, say.LibrariesByTheirCode.With())
		row.More = f.whole()
		row.Tokens = l.Walk == nil || l.Walk.Locks[0].Fenced() // unknown without a walk
		for k := range columns {
			cell := results.Cell{Letter: checker.LetterNone}
			if c := l.Cell(columns[k].Code); c != nil {
				cell = *c
				cell.DamagedBy, cell.Walked, cell.Story = matrix.Named(c.DamagedBy).In(f.language), nil, "" // its walk is in docs/libraries.md
			}
			cell.Note = how
			row.Cells = append(row.Cells, matrixpage.Cell{Cell: cell})
			f.unexpected(&row, k, kindsFor(&columns[k], l.Lock, walk))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// worstRuns plays the worst run of each cell again, and narrates those in which something broke.
// Workers share the cells.
func (f *matrixFlags) worstRuns(ctx context.Context, m *matrix.Matrix) ([]*matrixpage.Run, error) {
	out := make([]*matrixpage.Run, len(m.Cells))
	err := run.Share(ctx, f.jobs, len(m.Cells), nil, func(ctx context.Context, _ []run.World, i int) (err error) {
		out[i], err = f.worstRun(ctx, &m.Cells[i])
		return err
	})
	return out, err
}

// worstRun is the worst run of a cell, narrated if it shows harm; nil for a safe cell.
func (f *matrixFlags) worstRun(ctx context.Context, c *matrix.Cell) (*matrixpage.Run, error) {
	s := c.Worst
	if s == nil || c.Letter == checker.LetterSafe {
		return nil, nil
	}
	file := fmt.Sprintf("%s-%s.yaml", c.Lock, c.Fault)
	r := &matrixpage.Run{
		Letter: s.Letter, Script: s.Name.In(f.language), Varied: s.Seed > 0, Hash: s.Hash, File: file, YAML: s.File(),
		Command: f.playAgain(file, c),
	}
	if c.Letter == checker.LetterDelay || f.live() { // a real run cannot be repeated
		return r, nil
	}
	j, err := matrix.Replay(ctx, simulator, s, c.Lock, false)
	if err != nil {
		return nil, fmt.Errorf("%s under %s, played again: %w", c.Lock, c.Fault, err)
	}
	if j.History.Hash().String() != s.Hash {
		return nil, bug(fmt.Errorf("%s under %s, played again, gave another history", c.Lock, c.Fault))
	}
	r.Tale = matrixpage.NewTale(&j, s.Played().LagOf(c.Lock))
	if !checker.HandsOutTokens(j.History) || !s.Letter.TwoHold() {
		return r, nil
	}
	again, err := matrix.Replay(ctx, simulator, s, c.Lock, true)
	if err != nil {
		return nil, fmt.Errorf("%s under %s, played with a check of tokens: %w", c.Lock, c.Fault, err)
	}
	r.Checked = r.Tale.Again(&again, s.Played().LagOf(c.Lock))
	r.CheckedCommand = r.Command + shell.Set("workload.fence="+string(plan.FenceReadsAndWrites))
	return r, nil
}

type lockGroup struct {
	rank int
	name say.Phrase
}

// groupOf is the heading of a variant: by store, with misprints last.
func groupOf(v locks.Variant) lockGroup {
	switch {
	case v.Library != "":
		return lockGroup{990, say.Text("Unmodified libraries on real servers")}
	case locks.Misprint(v.ID):
		return lockGroup{999, say.Text("The course: misprints")}
	case v.Servers.Shards > 0:
		return redisCluster
	}
	return storeGroup(v.Kind())
}

// redisCluster has the designs that need shards.
var redisCluster = lockGroup{15, verbatimPhrase("Redis Cluster")}

// storeGroup has the designs on a store.
func storeGroup(s *store.Store) lockGroup {
	name := verbatimPhrase(s.Title)
	switch {
	case s.IsRedis():
		name = say.Text("Redis, one primary")
	case s.Topology == store.Independent:
		name = say.Text("Redis, independent primaries")
	}
	return lockGroup{10 * s.Place, name}
}

// verbatimPhrase is a name, the same in every language.
func verbatimPhrase(name string) say.Phrase { return say.Verbatim(name).Phrase() }

// demands lists the requirements of a design on its servers.
func demands(v locks.Variant) say.Remarks {
	s := v.Servers
	parts := say.Remarks{storeGroup(v.Kind()).name}
	if s.Shards > 0 {
		parts = say.Remarks{redisCluster.name, say.LeastShards.With(say.Number(s.Shards))}
	}
	for _, x := range []struct {
		wanted bool
		what   say.Phrase
	}{
		{s.Nodes > 0, say.SoManyNodes.With(say.Number(s.Nodes))},
		{s.Replicas > 0, say.LeastReplicas.With(say.Number(s.Replicas))},
		{s.FsyncAlways, say.Text("every write on disk before its reply")},
		{s.RestartAfterLease, say.Text("a crashed server stays down for longer than a lease")},
		{s.MinReplicas > 0, say.RefusesAlone.With(say.Number(s.MinReplicas), say.Planned(s.MinReplicasMaxLag))},
		{s.TairString, say.Text("the module TairString")},
		{s.Redis84, say.Text("Redis 8.4 or later")},
	} {
		if x.wanted {
			parts = append(parts, x.what)
		}
	}
	return parts
}
