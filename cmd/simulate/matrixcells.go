package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
	"lockstep/measurements"
)

type listedScript struct {
	Lock   string `json:"lock"`
	Fault  string `json:"fault"`
	Script string `json:"script"`
	Letter string `json:"letter"`
	File   string `json:"file,omitempty"` // where it was written

	name say.Phrase
	text string
}

// listScripts lists each script with its letter, and exports them on request.
func (f *matrixFlags) listScripts(m *matrix.Matrix) error {
	all := f.listed(m)
	if f.export != "" {
		if err := exportScripts(all); err != nil {
			return err
		}
	}
	if f.json {
		return f.printCells(map[string]any{"schema": 1, "scripts": all})
	}
	width := 0
	for i := range all {
		width = max(width, len(all[i].Lock))
	}
	for i := range all {
		s := &all[i]
		fmt.Fprintf(f.stdout, "%-*s  %s  %-2s  %s\n", width, s.Lock, s.Fault, s.Letter, s.name.In(f.language))
	}
	if f.export == "" {
		return nil
	}
	_, err := fmt.Fprintf(f.stdout, "\n%s\n", f.named("wrote", say.ScriptsExported.With(say.Number(len(all)), say.Verbatim(f.export))))
	return err
}

func (f *matrixFlags) listed(m *matrix.Matrix) []listedScript {
	all := []listedScript{}
	for i := range m.Cells {
		c := &m.Cells[i]
		for k := range c.Scripts {
			s := &c.Scripts[k]
			one := listedScript{Lock: c.Lock, Fault: c.Fault, Script: s.Name.English(), Letter: string(s.Letter), name: s.Name, text: s.File()}
			if f.export != "" {
				one.File = filepath.Join(f.export, fmt.Sprintf("%s-%s-%d-%s.yaml", c.Lock, c.Fault, k+1, scenario.Slug(s.Name.English())))
			}
			all = append(all, one)
		}
	}
	return all
}

// exportScripts writes all scripts, or none if one of the files exists.
func exportScripts(all []listedScript) error {
	for i := range all {
		switch _, err := os.Lstat(all[i].File); {
		case err == nil:
			return alreadyThere(all[i].File, "folder")
		case !errors.Is(err, fs.ErrNotExist):
			return unwritable(err, "--export")
		}
	}
	for i := range all {
		if err := writeNew(all[i].File, []byte(all[i].text)); err != nil {
			return err
		}
	}
	return nil
}

type matrixOptions struct {
	Locks  []string `json:"locks,omitempty"`
	Faults []string `json:"faults,omitempty"`
	Scale  string   `json:"scale"`
	Seeds  int      `json:"seeds"`
	Walk   string   `json:"walk"` // the hash of the stored walk
}

// measureElsewhere measures one share, or takes the results of merged parts into o. It does nothing
// if this machine measures all cells.
func (f *matrixFlags) measureElsewhere(ctx context.Context, o *matrix.Options) error {
	if !f.shards.elsewhere() {
		return nil
	}
	stored, err := measurements.Explore()
	if err != nil {
		return bug(err)
	}
	of := matrixOptions{f.locks, f.columns, f.scale, f.seeds, runstore.SHA256(stored)}
	o.Kept = campaign.NewResults(&campaign.Work{}, 0)
	return f.shards.gather(ctx, f.globals, "matrix", of, o.Kept, func(s campaign.Shard) error {
		mine := *o
		mine.Shard = s
		_, err := f.cells(ctx, mine)
		return err
	})
}

// cellFlags are the flags of the commands that play cells of the matrix.
type cellFlags struct {
	*globals
	locks   []string
	columns []string
	jobs    int
	backend string
	scale   string
}

// add adds the flags to a command, with its own defaults for the world.
func (f *cellFlags) add(cmd *cobra.Command, backend, scale string) {
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "only these locks")
	cmd.Flags().StringSliceVar(&f.columns, "fault", nil, "only these columns, by their codes")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "how many to play at once (default: one for each core)")
	cmd.Flags().StringVar(&f.backend, "backend", backend, "the world: "+strings.Join(backendNames(), " or "))
	cmd.Flags().StringVar(&f.scale, "scale", scale, "multiply every duration: 0.1 plays ten times as fast")
}

type cells struct {
	locks    []locks.Variant
	columns  []matrix.Column
	scalePPM int64
	refuse   func(p *plan.Plan, lock string) error // what the world cannot play
}

// chosen returns the chosen cells among columns, of the matrix or of topologies; nil: they are
// chosen by something else.
func (f *cellFlags) chosen(columns []matrix.Column) (c cells, err error) {
	if c.scalePPM, err = parseScale(f.scale); err != nil {
		return c, err
	}
	if c.locks, err = chosenLocks(f.locks); err != nil {
		return c, err
	}
	if c.columns, err = chosenColumns(f.columns, columns); err != nil {
		return c, err
	}
	c.refuse = func(p *plan.Plan, lock string) error { return refusal(f.backend, c.scalePPM, p, lock) }
	return c, nil
}

func (c *cells) count() int { return len(c.locks) * len(c.columns) }

// live reports whether the cells are played on real servers.
func (f *cellFlags) live() bool { return isLive(f.backend) }

// world is the part of a command line that chooses the world and its speed.
func (f *cellFlags) world() (line string) {
	if f.live() {
		line = option("backend", f.backend, "")
	}
	return line + option("scale", f.scale, "1")
}

// playAgain is the command line that plays the worst run of a cell, saved as a file.
func (f *cellFlags) playAgain(file string, c *matrix.Cell) string {
	return fmt.Sprintf("simulate run %s --lock %s --seed %d", shell.Word(file), c.Lock, max(c.Worst.Seed, 1)) + f.world()
}

// narrowed is the part of a command line that chooses cells.
func (f *cellFlags) narrowed() string {
	return option("lock", strings.Join(f.locks, ","), "") +
		option("fault", strings.Join(f.columns, ","), "")
}
