package export

import (
	"bytes"
	"encoding/xml"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
)

// readJUnit writes JUnit XML and reads it again with the strict parser of the library.
func readJUnit(t *testing.T, b *bundle.Bundle) (out junitSuites) {
	t.Helper()
	data := must.Get(JUnit(b))(t)
	if err := xml.Unmarshal(data, &out); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	return out
}

// A lock without a history is an error, and no failure.
func TestJUnitWithoutHistory(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs[1] = bundle.Run{Lock: "set-nx-lua"}
	out := readJUnit(t, b)
	cases := out.Suites[0].Cases
	if c := cases[len(cases)-1]; c.Error == nil || c.Name != "set-nx-lua" || out.Errors != 1 {
		t.Errorf("%d errors, and the last case is %+v", out.Errors, c)
	}
}

// Any history gives files that can be read, without a panic.
func TestNonsenseIsWritten(t *testing.T) {
	b := reporttest.Nonsense()
	readJUnit(t, b)
	Summary(b, 0)
	Annotations(b)
}

// Each form has the same bytes every time. Hostile texts in them are tested in cmd/simulate.
func TestGoldens(t *testing.T) {
	for name, draw := range map[string]func(*bundle.Bundle) ([]byte, error){
		"junit.xml":       JUnit,
		"summary.md":      func(b *bundle.Bundle) ([]byte, error) { return Summary(b, 0), nil },
		"annotations.txt": func(b *bundle.Bundle) ([]byte, error) { return []byte(Annotations(b)), nil },
		"result.json":     func(*bundle.Bundle) ([]byte, error) { return Result(reporttest.Bundle()) },
	} {
		data := must.Get(draw(reporttest.MissedBundle()))(t)
		reporttest.Golden(t, name, data)
	}
}

func TestResultOfAFaultThatNeverFired(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs[1].Judgement.Faults[0].Times = 0
	if out, err := Result(b); err != nil || bytes.Count(out, []byte(`"fired": false`)) != 1 {
		t.Errorf("%v, %s", err, out)
	}
}
