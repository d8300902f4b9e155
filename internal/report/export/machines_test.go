package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
)

// Histories of any content give files that can be read, and no panic.
func TestNonsenseIsWritten(t *testing.T) {
	h := history.New(history.Header{
		Nodes:  []history.Node{{Name: "A", Role: history.RoleClient}, {Name: "S", Role: history.RoleStore}},
		Faults: []history.Fault{{Number: 1}},
	})
	for i := range 600 {
		h.Add(history.Event{
			Kind: history.Kind(i * 7 % 60), Node: history.NodeID(i % 4), Peer: history.NodeID(i % 5), Owner: history.NodeID(i % 3),
			Cause: int32(i*13%700 - 20), Value: int64(i%9 - 4), At: history.Instant(i / 3), Text: history.TextID(i % 3), Clock: int64(i*i*1e6) - 5e9,
		})
	}
	j := checker.Judgement{History: h, Findings: []checker.Finding{reporttest.Broke("fifo", -5, 1<<60, []history.NodeID{9}, 3, -4, 9000)}}
	b := &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: j}, {Lock: "y", Judgement: checker.Judgement{History: history.New(history.Header{})}}, {Lock: "z"}}}
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
		if two, _ := draw(reporttest.MissedBundle()); !bytes.Equal(one, two) {
			t.Errorf("%s differs between two renderings", name)
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
	if two, _ := Result(reporttest.Bundle()); !bytes.Equal(one, two) {
		t.Error("the result differs between two renderings")
	}
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
