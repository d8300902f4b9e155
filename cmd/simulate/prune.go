package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/docker/go-units"

	"lockstep/internal/history"
	"lockstep/internal/rundir"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// largeStore is from how many bytes on a run says that the run store is large.
const largeStore = 1 << 30

// tellLargeStore says on stderr that a run store is large, and what to do about it.
func (g *globals) tellLargeStore() {
	store, err := os.OpenRoot(g.out)
	if err != nil {
		return // who has just stored a run has been told
	}
	defer store.Close()
	runs, err := runstore.List(store.FS())
	if err != nil || !runstore.Larger(store.FS(), runs, largeStore) {
		return
	}
	fmt.Fprintln(os.Stderr, "simulate:", terminalText(fmt.Sprintf("the runs in %s have more than %s: `simulate list runs --prune-to 500MiB%s` says which of the oldest can go",
		g.out, bytesText(largeStore), g.outFlag())))
}

// outFlag is --out as somebody has to type it; "" for the usual place.
func (g *globals) outFlag() string {
	if g.out == defaultOut {
		return ""
	}
	return " --out " + shell.Word(g.out)
}

// pruned is a run that goes, or one that is kept although it is old.
type pruned struct {
	run   runstore.Stored
	Dir   string `json:"run_dir"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why,omitempty"` // it is kept
}

// pruning is what is to become of a store.
type pruning struct {
	Schema  int      `json:"schema"`
	Deleted bool     `json:"deleted"`
	Bytes   int64    `json:"bytes"`       // of all runs, before
	Freed   int64    `json:"freed_bytes"` // of those that go
	Runs    []pruned `json:"runs"`
	Kept    []pruned `json:"kept"`
}

// prune deletes the oldest runs of the store until it has no more than limit bytes, if sure;
// else it says which these are.
func (g *globals) prune(ctx context.Context, w io.Writer, limit int64, sure bool) error {
	if rundir.Is(g.out) {
		return fmt.Errorf("%s is a stored run, not a run store: name the store with --out", g.out)
	}
	store, err := openStore(g.out)
	if err != nil {
		return err
	}
	defer store.Close()
	p, err := g.planPruning(store.FS(), limit)
	if err != nil {
		return &environmentError{err}
	}
	if sure && len(p.Runs) > 0 {
		if err := errors.Join(g.remove(ctx, p.Runs), writeIndex(g.out, g.language)); err != nil {
			return err
		}
		p.Deleted = true
	}
	if g.json {
		return printJSON(w, p)
	}
	return g.showPruning(w, p, limit)
}

// remove deletes runs, the oldest first.
func (g *globals) remove(ctx context.Context, runs []pruned) error {
	for i := range runs {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %d of %d runs were deleted", i, len(runs))
		}
		err := runstore.Remove(g.out, &runs[i].run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // somebody else was faster
			return &environmentError{fmt.Errorf("%d of %d runs were deleted: %w", i, len(runs), err)}
		}
	}
	return nil
}

// planPruning goes from the oldest run on.
func (g *globals) planPruning(store fs.FS, limit int64) (*pruning, error) {
	runs, err := runstore.List(store)
	if err != nil {
		return nil, err
	}
	shown, err := runstore.Shown(store)
	if err != nil {
		return nil, err
	}
	p := &pruning{Schema: 1, Runs: []pruned{}, Kept: []pruned{}}
	all := make([]pruned, len(runs))
	for i := range runs {
		all[i] = pruned{run: runs[i], Dir: filepath.Join(g.out, filepath.FromSlash(runs[i].Path())), Bytes: runs[i].Size(store)}
		p.Bytes += all[i].Bytes
	}
	latest := runstore.Latest(g.out)
	for i := len(all) - 1; i >= 0 && p.Bytes-p.Freed > limit; i-- {
		one := all[i]
		switch path := one.run.Path(); {
		case path == latest:
			one.Why = "the newest run"
		case shown[path]:
			one.Why = "shown by a page of the store"
		default:
			one.Why = keptAs(store, &one.run)
		}
		if one.Why != "" {
			p.Kept = append(p.Kept, one)
			continue
		}
		p.Freed += one.Bytes
		p.Runs = append(p.Runs, one)
	}
	return p, nil
}

// keptAs says why a run must not be deleted for its age; "" when it may be. What ended as the
// story says, in the simulator, can be played again at any time. What did not is what
// somebody looked for, and real servers repeat nothing.
func keptAs(store fs.FS, s *runstore.Stored) string {
	summary, err := runstore.ReadSummary(store, s.Path())
	switch {
	case err != nil || !s.Own(store):
		return "not as this program has left it"
	case !history.Simulated(summary.Backend):
		return "played on real servers"
	case !summary.Met:
		return "not as expected"
	default:
		return ""
	}
}

func (g *globals) showPruning(w io.Writer, p *pruning, limit int64) error {
	if p.Bytes <= limit {
		_, err := fmt.Fprintln(w, g.said(say.SmallStore.With(say.Verbatim(g.out), say.Verbatim(bytesText(p.Bytes)))))
		return err
	}
	if len(p.Runs) > 0 {
		var rows [][]string
		for i := range p.Runs {
			rows = append(rows, []string{bytesText(p.Runs[i].Bytes), p.Runs[i].Dir})
		}
		g.printTable(w, []string{"size", "directory"}, rows)
		fmt.Fprintln(w)
	}
	of := say.WouldDelete
	if p.Deleted {
		of = say.DeletedRuns
	}
	fmt.Fprintln(w, g.said(of.With(say.Number(len(p.Runs)), say.Verbatim(bytesText(p.Freed)), say.Verbatim(bytesText(p.Bytes)))))
	if len(p.Kept) > 0 {
		fmt.Fprintln(w, g.said(keptRuns(p.Kept)))
	}
	if len(p.Runs) == 0 || p.Deleted {
		return nil
	}
	_, err := fmt.Fprintln(w, g.said(say.NothingDeleted.With()))
	return err
}

// keptRuns counts old runs that stay, by the reason.
func keptRuns(kept []pruned) say.Phrase {
	counts := map[string]int{}
	var bytes int64
	var order []string
	for _, k := range kept {
		if counts[k.Why]++; counts[k.Why] == 1 {
			order = append(order, k.Why)
		}
		bytes += k.Bytes
	}
	var reasons say.List
	for _, why := range order {
		reasons = append(reasons, say.SomeWhich.With(say.Number(counts[why]), say.Text(why)))
	}
	return say.KeptRuns.With(say.Number(len(kept)), say.Verbatim(bytesText(bytes)), reasons)
}

// parseSize reads a size such as 500MiB; nothing needs no unit.
func parseSize(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	n, err := units.RAMInBytes(text)
	if err != nil || strings.TrimRight(text, "0123456789. ") == "" {
		return 0, fmt.Errorf("--prune-to %.40q: say a size with its unit, such as 500MiB or 2GiB; 0 for none at all", text)
	}
	return n, nil
}

// bytesText is a size for people.
func bytesText(n int64) string {
	return units.CustomSize("%.1f %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"})
}
