package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/report/bundle"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

type list struct {
	kind, meaning string
	header        []string
	make          func(context.Context, *globals) (listed, error)
}

var lists = []list{
	{"locks", "the designs", []string{"lock", "store", "idea"}, listLocks},
	{"bugs", "published bugs of lock libraries, each with its story", []string{"bug", "library", "what goes wrong"}, listBugs},
	{"faults", "the verbs of scenarios", []string{"fault", "what it does"}, listFaults},
	{"moments", "what a fault can wait for", []string{"moment", "when it is"}, listMoments},
	{"properties", "what locks are judged by", []string{"property", "what it demands"}, listProperties},
	{"scenarios", "the stories", []string{"scenario", "locks", "title"}, listScenarios},
	{"runs", "what was played", []string{"run", "directory"}, listRuns},
}

func listCommand(g *globals) *cobra.Command {
	kinds := each.Map(lists, func(l list) string { return word(l.kind, l.meaning) })
	var pruneTo string
	sure := false
	cmd := &cobra.Command{
		Use:   "list locks|bugs|faults|moments|properties|scenarios|runs",
		Short: "List locks, faults, scenarios, runs and more",
		Example: `  simulate list locks                   # the designs
  simulate list locks --json            # for a script
  simulate list runs --prune-to 500MiB  # which runs can go`,
		Args:      oneOf("list", kinds),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case pruneTo == "" && sure:
				return errors.New("--yes is for --prune-to")
			case pruneTo != "" && args[0] != "runs":
				return fmt.Errorf("--prune-to is for `simulate list runs`, not for %s", args[0])
			case pruneTo != "":
				limit, err := parseSize(pruneTo)
				if err != nil {
					return err
				}
				return g.prune(cmd.Context(), limit, sure)
			}
			l := lists[slices.IndexFunc(lists, func(l list) bool { return l.kind == args[0] })]
			items, err := l.make(cmd.Context(), g)
			if err != nil {
				return err
			}
			if g.json {
				return g.printJSON(items.forJSON)
			}
			if len(items.rows) == 0 {
				g.printSaid(say.NoneBelowYet.With(say.Verbatim(g.out)))
				return nil
			}
			g.printTable(l.header, items.rows)
			return nil
		},
	}
	cmd.Flags().StringVar(&pruneTo, "prune-to", "", "of runs: say which can be deleted, the oldest first, until the store has no more than this, such as 500MiB")
	cmd.Flags().BoolVar(&sure, "yes", false, "with --prune-to: delete them")
	return speaks(cmd, g)
}

// listed is a list for programs and for people.
type listed struct {
	forJSON any
	rows    [][]string
}

// listOf is the list of all these, each as an object and as a row.
func listOf[T, J any](all []T, of func(T) (J, []string)) (listed, error) {
	objects, rows := []J{}, [][]string(nil)
	for _, one := range all {
		object, row := of(one)
		objects, rows = append(objects, object), append(rows, row)
	}
	return listed{objects, rows}, nil
}

func listLocks(_ context.Context, g *globals) (listed, error) {
	type lock struct {
		ID         string   `json:"id"`
		Store      string   `json:"store"`
		Library    string   `json:"library,omitempty"` // played on real servers only
		Misprint   bool     `json:"misprint,omitempty"`
		Summary    string   `json:"summary"`
		Source     string   `json:"source"`
		Guarantees string   `json:"guarantees"`
		BreaksWhen string   `json:"breaks_when"`
		Protocol   []string `json:"protocol"`
	}
	var all []lock
	var rows [][]string
	for _, v := range locks.All() {
		d := v.Doc(say.English)
		if locks.Misprint(v.ID) && (len(all) == 0 || !all[len(all)-1].Misprint) {
			rows = append(rows, make([]string, 3), []string{say.Text("The course: misprints").In(g.language), "", ""})
		}
		all = append(all, lock{v.ID, string(v.Store), v.Library, locks.Misprint(v.ID), d.Idea, d.Source, d.Guarantees, d.BreaksWhen, d.Protocol})
		idea := say.LockIdea.With(say.Flag(v.CheckSimulated() != nil), say.Verbatim(v.Doc(g.language).Idea))
		rows = append(rows, []string{v.ID, string(v.Store), idea.In(g.language)})
	}
	return listed{all, rows}, nil
}

func listBugs(_ context.Context, g *globals) (listed, error) {
	type bug struct {
		ID      string `json:"id"` // of the lock that has it, and of its story
		Library string `json:"library"`
		Has     string `json:"has"`
		Gone    string `json:"gone,omitempty"`
		Issue   string `json:"issue"`
		Summary string `json:"summary"`
		Fixed   string `json:"fixed"` // the lock without it
	}
	return listOf(locks.Bugs(), func(v locks.Variant) (bug, []string) {
		return bug{v.ID, v.Bug.Library, v.Bug.Has, v.Bug.Gone, v.Bug.Issue, v.Doc(say.English).Idea, v.Bug.Fixed},
			[]string{v.ID, v.Bug.Library, v.Doc(g.language).Idea}
	})
}

func listFaults(_ context.Context, g *globals) (listed, error) {
	type fault struct {
		Name    string `json:"name"`
		Summary string `json:"summary"`
		Example string `json:"example"`
	}
	return listOf(faults.All(), func(s faults.Spec) (fault, []string) {
		return fault{s.Name, s.Summary.English(), s.Example}, []string{s.Name, s.Summary.In(g.language)}
	})
}

func listMoments(_ context.Context, g *globals) (listed, error) {
	type moment struct {
		Moment  string `json:"moment"` // follows a client in a scenario; COMMAND stands for a command
		Summary string `json:"summary"`
	}
	return listOf(faults.MomentPhrases(), func(m faults.MomentPhrase) (moment, []string) {
		words := strings.Replace(m.Text, "%s", "COMMAND", 1)
		return moment{words, m.Doc.English()}, []string{words, m.Doc.In(g.language)}
	})
}

func listProperties(_ context.Context, g *globals) (listed, error) {
	type property struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
		Source  string `json:"source"`
	}
	return listOf(checker.All(), func(p checker.Property) (property, []string) {
		return property{p.ID, p.Summary.English(), p.Source}, []string{p.ID, p.Summary.In(g.language)}
	})
}

func listScenarios(ctx context.Context, g *globals) (listed, error) {
	type item struct {
		Name  string   `json:"name"`
		File  string   `json:"file"`
		Title string   `json:"title"`
		Level int      `json:"level"`
		Locks []string `json:"locks"`
	}
	all := []item{}
	var rows [][]string
	files := library()
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(shelf(a), shelf(b)) })
	for _, file := range files {
		p, err := loadFile(ctx, file)
		if err != nil {
			rows = append(rows, []string{scenarioName(file), "", say.InvalidFile.With(say.Verbatim(file)).In(g.language)})
			continue
		}
		all = append(all, item{scenarioName(file), file, p.Name, p.Level, p.Locks})
		rows = append(rows, []string{scenarioName(file), fmt.Sprint(len(p.Locks)), p.Prose(g.language).Name})
	}
	return listed{all, rows}, nil
}

// shelf orders scenarios: lessons first, then questions of practice.
func shelf(file string) int {
	order := []string{"lessons", "questions"}
	if i := slices.Index(order, filepath.Base(filepath.Dir(file))); i >= 0 {
		return i
	}
	return len(order)
}

// listRuns lists the run directories, newest first. A store that does not exist yet has none.
func listRuns(_ context.Context, g *globals) (listed, error) {
	type item struct {
		Scenario string `json:"scenario"`
		Dir      string `json:"run_dir"`
	}
	runs, err := runstore.List(os.DirFS(g.out))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return listed{}, environment(fmt.Errorf("the runs below %s cannot be listed: %w: make them readable, or name another place with --out", g.out, err))
	}
	return listOf(runs, func(r runstore.Stored) (item, []string) {
		dir := filepath.Join(g.out, filepath.FromSlash(r.Path()))
		return item{r.Scenario, dir}, []string{r.Scenario, dir}
	})
}

// printTable prints rows under a header, the last column wrapped to the width.
func (g *globals) printTable(header []string, rows [][]string) {
	ruler, last := say.RulerFor(g.language), len(header)-1
	table := [][]string{each.Map(header, func(h string) string { return say.Text(h).In(g.language) })}
	for _, row := range rows {
		table = append(table, each.Map(row, terminalText))
	}
	widths := make([]int, last)
	for _, row := range table {
		for i := range widths {
			widths[i] = max(widths[i], ruler.Width(row[i]))
		}
	}
	for _, row := range table {
		head := " "
		for i, width := range widths {
			head += ruler.Pad(row[i], width) + "  "
		}
		g.wrapped(head, strings.Repeat(" ", ruler.Width(head)), "", row[last])
	}
}

func writeIndex(root string, l say.Language) error {
	if err := notRun(root); err != nil {
		return err
	}
	return bug(runstore.WriteIndex(root, l))
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

func (g *globals) warnLargeStore() {
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
		return environment(err)
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
		rows := each.Map(p.Runs, func(r runstore.Pruned) []string { return []string{bytesText(r.Bytes), r.Dir} })
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
	var bytes int64
	for _, k := range kept {
		bytes += k.Bytes
	}
	why := bundle.Reasons(each.Map(kept, func(k runstore.Pruned) string { return k.Why }))
	reasons := each.Map(why, func(r bundle.Reason) say.Part { return say.SomeWhich.With(say.Number(r.N), say.Text(r.Text)) })
	return say.KeptRuns.With(say.Number(len(kept)), say.Verbatim(bytesText(bytes)), say.List(reasons))
}

// parseSize parses a size such as 500MiB; 0 needs no unit.
func parseSize(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	n, err := units.RAMInBytes(text)
	if err != nil || strings.TrimRight(text, "0123456789. ") == "" {
		return 0, fmt.Errorf("--prune-to %.40q: give a size with its unit, such as 500MiB or 2GiB; 0 for an empty store", text)
	}
	return n, nil
}

func bytesText(n int64) string {
	return units.CustomSize("%.1f %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"})
}
