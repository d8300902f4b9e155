package real_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/campaign/matrix"
)

// part is the file of a measurement under way: a line that says what is measured, and one for each cell whose runs
// are over. A line that was cut off by the interruption counts for nothing.
type part struct {
	path string
	what string
	kept []matrix.Kept
}

// openPart goes on with what is stored of the same measurement, or starts over.
func openPart(path, what string) (*part, error) {
	p := &part{path: path, what: what}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(first) != what || len(first) == len(data) {
		return p, os.WriteFile(path, []byte(what+"\n"), 0o644)
	}
	whole := len(first) + 1
	for line := range bytes.SplitAfterSeq(rest, []byte("\n")) {
		var k matrix.Kept
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &k) != nil {
			break
		}
		whole += len(line)
		p.kept = append(p.kept, k)
	}
	return p, os.WriteFile(path, data[:min(whole, len(data))], 0o644)
}

// keep adds a cell.
func (p *part) keep(k matrix.Kept) error {
	line, err := json.Marshal(k)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(p.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// A measurement goes on with every cell that is wholly stored, and with none of another one.
func TestAPartIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "x.jsonl")
	open := func(what string) *part {
		p, err := openPart(path, what)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	cell := func(fault string) matrix.Kept {
		return matrix.Kept{Record: matrix.Record{Lock: "x", Fault: fault, Runs: 3}, Scripts: []string{"a script"}}
	}
	faults := func(p *part) string {
		var out []string
		for _, k := range p.kept {
			out = append(out, fmt.Sprint(k.Record.Fault, " ", k.Record.Runs, " ", k.Scripts))
		}
		return strings.Join(out, " ")
	}
	p := open("one")
	for _, fault := range []string{"N0", "CC", "CH"} {
		if err := p.keep(cell(fault)); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := faults(open("one")), "N0 3 [a script] CC 3 [a script] CH 3 [a script]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := os.WriteFile(path, stored[:len(stored)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	p = open("one")
	if got, want := faults(p), "N0 3 [a script] CC 3 [a script]"; got != want {
		t.Errorf("cut off: %s, want %s", got, want)
	}
	if err := p.keep(cell("HL")); err != nil {
		t.Fatal(err)
	}
	if got, want := faults(open("one")), "N0 3 [a script] CC 3 [a script] HL 3 [a script]"; got != want {
		t.Errorf("after what was cut off: %s, want %s", got, want)
	}
	if got := faults(open("another")) + faults(open("one")); got != "" {
		t.Errorf("of another measurement: %s", got)
	}
}
