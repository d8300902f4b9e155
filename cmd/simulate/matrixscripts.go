package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/matrix"
	"lockstep/internal/say"
)

// listedScript is one script behind a cell.
type listedScript struct {
	Lock   string `json:"lock"`
	Fault  string `json:"fault"`
	Script string `json:"script"`
	Letter string `json:"letter"`
	File   string `json:"file,omitempty"` // where it was written

	name say.Both
	text string
}

// listScripts shows each script with the letter that it showed, and writes them when they are
// to be exported.
func (f *matrixFlags) listScripts(m *matrix.Matrix) error {
	all := f.listed(m)
	if f.export != "" {
		if err := exportScripts(all); err != nil {
			return err
		}
	}
	if f.json {
		return printCells(f.stdout, map[string]any{"schema": 1, "scripts": all})
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

// listed are the scripts of all cells.
func (f *matrixFlags) listed(m *matrix.Matrix) []listedScript {
	all := []listedScript{}
	for i := range m.Cells {
		c := &m.Cells[i]
		for k := range c.Scripts {
			s := &c.Scripts[k]
			one := listedScript{Lock: c.Lock, Fault: c.Fault, Script: s.Name.English, Letter: string(s.Letter), name: s.Name, text: s.File()}
			if f.export != "" {
				one.File = filepath.Join(f.export, fmt.Sprintf("%s-%s-%d-%s.yaml", c.Lock, c.Fault, k+1, fileWords(s.Name.English)))
			}
			all = append(all, one)
		}
	}
	return all
}

// exportScripts writes all of them, or none when one of the files is there.
func exportScripts(all []listedScript) error {
	for i := range all {
		switch _, err := os.Lstat(all[i].File); {
		case err == nil:
			return fmt.Errorf("%s is there already, and nothing is overwritten: choose another folder, or remove it", all[i].File)
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

// fileWords makes a part of a file's name of a sentence.
func fileWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
