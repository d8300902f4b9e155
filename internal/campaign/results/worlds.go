package results

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/each"
)

// Worlds is the scripts of the matrix in both worlds.
type Worlds struct {
	Agree     int                  `json:"agree"`
	Backend   string               `json:"backend"`
	Cells     []WorldCell          `json:"cells"`
	Differ    int                  `json:"differ"`
	Durations map[string]Durations `json:"durations"` // by lock
	NotPlayed int                  `json:"not_played"`
	ScalePPM  int64                `json:"scale_ppm"` // what the durations of the scripts were multiplied by, in millionths
	Schema    int                  `json:"schema"`
	Times     int                  `json:"times"` // seeds of each cell
	Untested  int                  `json:"untested"`
}

// Agreement is the result of comparing the two worlds.
type Agreement string

// The agreements. Delay and safe differ only by what is normal waiting, which a busy machine
// changes, so both count as held.
const (
	Agrees    Agreement = "agrees"
	Differs   Agreement = "differs"
	Untested  Agreement = "untested"   // a run was inconclusive
	NotPlayed Agreement = "not played" // Why says why
)

// Agreements are all of them.
func Agreements() []Agreement { return []Agreement{Agrees, Differs, Untested, NotPlayed} }

// WorldCell is one lock under one kind of fault, in both worlds.
type WorldCell struct {
	Lock      string     `json:"lock"`
	Fault     string     `json:"fault"`           // of a story the kinds of its faults, joined by a plus
	Story     string     `json:"story,omitempty"` // the file
	Agreement Agreement  `json:"agreement"`
	Script    string     `json:"script,omitempty"`    // the name of what was played
	Simulated string     `json:"simulated,omitempty"` // with the first seed
	Agreeing  int        `json:"agreeing"`            // of Runs: real letters equal to the simulated ones
	Runs      []WorldRun `json:"runs,omitempty"`      // none when it was not played
	ScalePPM  int64      `json:"scale_ppm,omitempty"` // of the script, when it is not that of the comparison
	Why       string     `json:"why,omitempty"`
}

// WorldRun is the outcome of one seed in both worlds.
type WorldRun struct {
	Seed      uint64    `json:"seed"`
	Simulated string    `json:"simulated"` // the letter; of a story the ways in which it breaks the lock: overlap+damage
	Real      string    `json:"real"`
	Agreement Agreement `json:"agreement"`         // as of a cell
	History   string    `json:"history,omitempty"` // the file with that of the real run
}

// Durations are those of a lock in all runs that were played in both worlds.
type Durations struct {
	Failover InBoth `json:"failover"`
	Hold     InBoth `json:"hold"`
	Wait     InBoth `json:"wait"`
}

// InBoth is a distribution in each of the two worlds.
type InBoth struct {
	Real      Times `json:"real"`
	Simulated Times `json:"simulated"`
}

// Times is a distribution of durations in microseconds; all 0 when it is empty.
type Times struct {
	Count int   `json:"count"`
	P50   int64 `json:"p50_us"`
	P99   int64 `json:"p99_us"`
	Max   int64 `json:"max_us"`
}

// ReadWorlds reads a stored comparison.
func ReadWorlds(data []byte) (*Worlds, error) {
	return read(data, "is no comparison of worlds", "no cells, no scale, or another schema than 1", func(c *Worlds) bool {
		return c.Schema == Schema && len(c.Cells) > 0 && c.ScalePPM >= 1
	})
}

// Cell returns the cell of a lock and a column, nil when it is missing.
func (c *Worlds) Cell(lock, fault string) *WorldCell {
	return each.Find(c.Cells, func(x *WorldCell) bool { return x.Lock == lock && x.Fault == fault })
}

// Scale is the scale in the notation of the command line.
func (c *Worlds) Scale() string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%06d", c.ScalePPM/1_000_000, c.ScalePPM%1_000_000), "0"), ".")
}

// Library is a measurement of a real library: a Go library in virtual time, one in another language
// on real servers.
type Library struct {
	Schema  int       `json:"schema"`
	Lock    string    `json:"lock"`
	Library string    `json:"library"` // import path, or the part of the library that the program uses
	Version string    `json:"version"` // of its module or package
	Go      string    `json:"go"`      // that it was compiled with
	Matrix  *Matrix   `json:"matrix"`
	Walk    *Explored `json:"walk"`   // null: not walked
	Worlds  *Worlds   `json:"worlds"` // null: not compared with real servers
	// Program is the file in examples that plays it, "" for a Go library, and ScalePPM the factor
	// for the durations of its scripts, in millionths; 0 for none.
	Program  string `json:"program"`
	ScalePPM int64  `json:"scale_ppm"`
}

// ReadLibrary reads a stored measurement.
func ReadLibrary(data []byte) (*Library, error) {
	return read(data, "is no measured library", "no matrix, a cell of another lock, or another schema than 1", func(l *Library) bool {
		return l.Schema == Schema && l.Matrix != nil &&
			!slices.ContainsFunc(l.Matrix.Cells, func(c Cell) bool { return c.Lock != l.Lock })
	})
}

// Cell returns the cell of a column; nil when it was not measured.
func (l *Library) Cell(fault string) *Cell {
	return each.Find(l.Matrix.Cells, func(c *Cell) bool { return c.Fault == fault })
}
