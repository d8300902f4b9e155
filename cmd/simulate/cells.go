package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/plan"
	"lockstep/internal/shell"
)

// cellFlags are the flags of the commands that play cells of the matrix.
type cellFlags struct {
	*globals
	locks   []string
	columns []string
	jobs    int
	backend string
	scale   string
}

// add gives a command the flags, with its own defaults for the world.
func (f *cellFlags) add(cmd *cobra.Command, backend, scale string) {
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "only these locks")
	cmd.Flags().StringSliceVar(&f.columns, "fault", nil, "only these columns, by their codes")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "how many to play at once (default: one for each core)")
	cmd.Flags().StringVar(&f.backend, "backend", backend, "the world: "+strings.Join(backendNames(), " or "))
	cmd.Flags().StringVar(&f.scale, "scale", scale, "multiply every duration: 0.1 plays ten times as fast")
}

// cells are those that somebody has chosen.
type cells struct {
	locks    []locks.Variant
	columns  []matrix.Column
	scalePPM int64
	refuse   func(p *plan.Plan, lock string) error // what the world cannot play
}

// chosen are cells of the matrix, or of what else has columns.
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

// count is how many there are.
func (c *cells) count() int { return len(c.locks) * len(c.columns) }

// live reports whether the cells are played on real servers.
func (f *cellFlags) live() bool { return isLive(f.backend) }

// world is the part of a command line that chooses where and how fast.
func (f *cellFlags) world() (line string) {
	if f.live() {
		line += " --backend " + f.backend
	}
	if f.scale != "1" {
		line += " --scale " + f.scale
	}
	return line
}

// playAgain is the command line that plays the worst run of a cell, saved as a file.
func (f *cellFlags) playAgain(file string, c *matrix.Cell) string {
	return fmt.Sprintf("simulate run %s --lock %s --seed %d", shell.Word(file), c.Lock, max(c.Worst.Seed, 1)) + f.world()
}

// narrowed is the part of a command line that chooses cells.
func (f *cellFlags) narrowed() (line string) {
	if len(f.locks) > 0 {
		line += " --lock " + strings.Join(f.locks, ",")
	}
	if len(f.columns) > 0 {
		line += " --fault " + strings.Join(f.columns, ",")
	}
	return line
}
