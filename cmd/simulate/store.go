package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/docker/go-units"

	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

func writeIndex(root string, l say.Language) error {
	if err := notRun(root); err != nil {
		return err
	}
	return bugUnless(runstore.WriteIndex(root, l))
}

// notRun refuses a run directory as a store.
func notRun(root string) error {
	if runstore.IsRun(root) {
		return fmt.Errorf("%s is a stored run, not a run store: name the store with --out", root)
	}
	return nil
}

// largeStore is the size in bytes from which on the run store counts as large.
const largeStore = 1 << 30

func (g *globals) tellLargeStore() {
	if !runstore.Larger(os.DirFS(g.out), largeStore) {
		return
	}
	out := ""
	if g.out != defaultOut {
		out = " --out " + shell.Word(g.out)
	}
	warn("the runs in %s have more than %s: `simulate list runs --prune-to 500MiB%s` says which of the "+
		"oldest can go", g.out, bytesText(largeStore), out)
}

// prune deletes the oldest runs until the store has at most limit bytes; unless sure, it only lists
// them.
func (g *globals) prune(ctx context.Context, limit int64, sure bool) error {
	if err := notRun(g.out); err != nil {
		return err
	}
	store, err := openStore(g.out)
	if err != nil {
		return err
	}
	defer store.Close()
	p, err := runstore.Prune(g.out, store.FS(), limit)
	if err != nil {
		return &environmentError{err}
	}
	if sure && len(p.Runs) > 0 {
		if err := errors.Join(p.Delete(ctx), writeIndex(g.out, g.language)); err != nil {
			return err
		}
	}
	if g.json {
		return g.printJSON(p)
	}
	g.showPruning(p, limit)
	return nil
}

func (g *globals) showPruning(p *runstore.Pruning, limit int64) {
	if p.Bytes <= limit {
		g.printSaid(say.SmallStore.With(say.Verbatim(g.out), say.Verbatim(bytesText(p.Bytes))))
		return
	}
	if len(p.Runs) > 0 {
		rows := each(p.Runs, func(r runstore.Pruned) []string { return []string{bytesText(r.Bytes), r.Dir} })
		g.printTable([]string{"size", "directory"}, rows)
		fmt.Fprintln(g.stdout)
	}
	of := say.WouldDelete
	if p.Deleted {
		of = say.DeletedRuns
	}
	g.printSaid(of.With(say.Number(len(p.Runs)), say.Verbatim(bytesText(p.Freed)), say.Verbatim(bytesText(p.Bytes))))
	if len(p.Kept) > 0 {
		g.printSaid(keptRuns(p.Kept))
	}
	if len(p.Runs) > 0 && !p.Deleted {
		g.printSaid(say.Text("Nothing is deleted yet: add --yes to delete."))
	}
}

// keptRuns counts the old runs that stay, by reason.
func keptRuns(kept []runstore.Pruned) say.Phrase {
	counts := map[string]int{}
	var bytes int64
	var order []string
	for _, k := range kept {
		if counts[k.Why]++; counts[k.Why] == 1 {
			order = append(order, k.Why)
		}
		bytes += k.Bytes
	}
	reasons := each(order, func(why string) say.Part { return say.SomeWhich.With(say.Number(counts[why]), say.Text(why)) })
	return say.KeptRuns.With(say.Number(len(kept)), say.Verbatim(bytesText(bytes)), say.List(reasons))
}

// parseSize parses a size such as 500MiB; 0 needs no unit.
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

func bytesText(n int64) string {
	return units.CustomSize("%.1f %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"})
}
