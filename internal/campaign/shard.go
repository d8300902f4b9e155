// Package campaign divides work that plays many runs among independent machines, and keeps and
// combines their results.
//
// A Work is one command with all that determines its result. It is divided into independent units,
// such as shards. Their results are appended to a file of Results. Files can be merged in any
// order, and all units together are what one machine would have found, as a single shard.
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
