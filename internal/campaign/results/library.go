package results

import "slices"

// Library is a measurement of a real library: its row of the matrix, what it takes to break it, and
// the same scripts on real servers. A Go library is played in virtual time; one in another
// language, through a program of examples, on real servers.
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

// NewLibrary is a measurement of this schema.
func NewLibrary() *Library { return &Library{Schema: schema} }

// ReadLibrary reads a stored measurement.
func ReadLibrary(data []byte) (*Library, error) {
	return read(data, "is no measured library", "no matrix, a cell of another lock, or another schema than 1", func(l *Library) bool {
		return l.Schema == schema && l.Matrix != nil &&
			!slices.ContainsFunc(l.Matrix.Cells, func(c Cell) bool { return c.Lock != l.Lock })
	})
}

// Cell returns the cell of a column; nil when it was not measured.
func (l *Library) Cell(fault string) *Cell {
	for i := range l.Matrix.Cells {
		if c := &l.Matrix.Cells[i]; c.Fault == fault {
			return c
		}
	}
	return nil
}
