package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
)

// Histories of any content give files that can be read, and no panic.
func TestNonsenseIsWritten(t *testing.T) {
	b := reporttest.Nonsense()
	readJUnit(t, b)
	Summary(b, 0)
	Annotations(b)
}

// The new files, too, have the same bytes every time, and golden files.
func TestGoldenOfMachines(t *testing.T) {
	for name, draw := range map[string]func(*bundle.Bundle) ([]byte, error){
		"junit.xml":       JUnit,
		"summary.md":      func(b *bundle.Bundle) ([]byte, error) { return Summary(b, 0), nil },
		"annotations.txt": func(b *bundle.Bundle) ([]byte, error) { return []byte(Annotations(b)), nil },
	} {
		one, err := draw(reporttest.MissedBundle())
		if err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, one)
	}
}

func BenchmarkMachineFormats(b *testing.B) {
	for name, draw := range map[string]func(*bundle.Bundle) ([]byte, error){
		"junit":   JUnit,
		"summary": func(b *bundle.Bundle) ([]byte, error) { return Summary(b, 0), nil },
	} {
		b.Run(name, func(b *testing.B) {
			bundle := reporttest.Bundle()
			for b.Loop() {
				if _, err := draw(bundle); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The result has the same bytes every time, and hostile texts are harmless in it.
func TestResult(t *testing.T) {
	one, err := Result(reporttest.Bundle())
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "result.json", one)
	unfired := reporttest.Bundle()
	unfired.Runs[1].Judgement.Faults[0].Times = 0
	if out, err := Result(unfired); err != nil || bytes.Count(out, []byte(`"fired": false`)) != 1 {
		t.Errorf("one fault never fired: %v, %s", err, out)
	}
	hostile, err := Result(reporttest.HostileBundle())
	if err != nil || !json.Valid(hostile) || strings.ContainsAny(string(hostile), "\x1b\u202e\u009b") {
		t.Errorf("the result is not harmless JSON: %v", err)
	}
}
