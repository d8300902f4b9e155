// Package results is the files of the commands matrix, compare-worlds and claims, which other
// programs and the reference read: JSON with schema 1. Fields are in alphabetical order.
package results

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"lockstep/internal/checker"
)

// Schema is the version of the files. Fields may be added, but none changes its meaning.
const Schema = 1

// Matrix is every lock under every kind of fault.
type Matrix struct {
	Backend string `json:"backend"`
	Cells   []Cell `json:"cells"`
	Schema  int    `json:"schema"`
	Seeds   int    `json:"seeds"` // variations of each script
}

// Cell is one lock under one kind of fault. Rates are shares of runs, with their 95 % interval.
type Cell struct {
	Lock     string         `json:"lock"`
	Fault    string         `json:"fault"`
	Letter   checker.Letter `json:"letter"`
	Runs     int            `json:"runs"`
	Untested int            `json:"untested"`
	Broken   int            `json:"broken"`
	Stuck    int            `json:"stuck"`
	Rate     float64        `json:"rate"`
	Low      float64        `json:"rate_low"`
	High     float64        `json:"rate_high"`
	Scripted *Sighting      `json:"scripted"` // null when no script tested anything
	Worst    *Sighting      `json:"worst"`
	Note     string         `json:"note"`
	// Also are the other letters that were found, worst first: a worse letter hides no other.
	Also      []checker.Letter `json:"also"`
	Damage    bool             `json:"damage"`          // the resource was damaged, behind a fence where the lock hands out tokens
	DamagedBy string           `json:"damaged_by"`      // the script or the story that shows it; "" for no damage
	Walked    *int64           `json:"walked"`          // schedules of the column's kinds in the walk of the fault space; null: not walked
	NoEffect  int64            `json:"without_effect"`  // of these, those whose fault had no effect
	Cut       int64            `json:"cut_short"`       // those whose runs had no end: unknown
	Story     string           `json:"story,omitempty"` // of the walk, as simulate run takes it, when it worsens the letter
}

// Sighting is one run that showed a letter.
type Sighting struct {
	Letter checker.Letter `json:"letter"`
	Script string         `json:"script"`
	Seed   uint64         `json:"seed"` // of the variation; 0: the script as it stands
	Hash   string         `json:"hash"`
}

// ReadMatrix reads a stored matrix.
func ReadMatrix(data []byte) (*Matrix, error) {
	return read(data, "is no matrix", "no cells, or another schema than 1", func(m *Matrix) bool {
		return m.Schema == Schema && len(m.Cells) > 0
	})
}

// read reads a stored result, unless it lacks something or holds a character that no page shows.
func read[T any](data []byte, isNone, lacks string, whole func(*T) bool) (*T, error) {
	out := new(T)
	switch err := json.Unmarshal(data, out); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", isNone, err)
	case !whole(out):
		return nil, fmt.Errorf("%s: it has %s", isNone, lacks)
	case !printable(string(data)):
		return nil, fmt.Errorf("%s: it has a character that no page shows", isNone)
	}
	return out, nil
}

// printable reports whether no text in valid JSON moves a cursor or changes the direction of
// writing, as is the case for all results of this program.
func printable(text string) bool {
	escaped := false
	for i, r := range text {
		switch {
		case escaped && r == 'u':
			n, err := strconv.ParseUint(text[i+1:i+5], 16, 32)
			if err != nil || !unicode.IsPrint(rune(n)) {
				return false
			}
		case escaped && !strings.ContainsRune(`"\/`, r), !unicode.IsPrint(r) && !strings.ContainsRune("\n\r\t", r):
			return false
		}
		escaped = r == '\\' && !escaped
	}
	return true
}

// Claims is the claims of the documents, measured.
type Claims struct {
	Schema int     `json:"schema"`
	Claims []Claim `json:"claims"`
}

// Claim is one claim with its measured verdict.
type Claim struct {
	N       int    `json:"n"`
	Text    string `json:"claim"`
	Source  string `json:"source"`  // "S0:28, S4:134-140"
	Verdict string `json:"verdict"` // true, false or depends; "" when it was not measured
	Figure  string `json:"figure"`
	Command string `json:"command"` // measures this claim again
}

// ReadClaims reads a stored list.
func ReadClaims(data []byte) (*Claims, error) {
	return read(data, "is no list of measured claims", "no claims, or another schema than 1", func(f *Claims) bool {
		return f.Schema == Schema && len(f.Claims) > 0
	})
}

// Of returns the result for a claim; without a verdict when it was measured with another text, or
// not at all. The list may be nil.
func (f *Claims) Of(n int, text, source string) Claim {
	if f != nil {
		for _, c := range f.Claims {
			if c.N == n && c.Text == text {
				return c
			}
		}
	}
	return Claim{N: n, Text: text, Source: source}
}
