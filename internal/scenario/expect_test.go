package scenario

import "testing"

// What is said of one lock comes before what is said of every lock.
func TestALocksOwnExpectationComesFirst(t *testing.T) {
	p, err := Parse("expect.yaml", []byte(`scenario: Who expects what
locks: [setnx, set-nx-lua]
clients: [A, B]
expect:
  every lock: {mutual-exclusion: kept, progress: kept}
  setnx: {progress: broken}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range p.Expect {
		got[e.Lock+" "+e.Property] = e.Verdict
	}
	want := map[string]string{
		"setnx mutual-exclusion": "kept", "setnx progress": "broken",
		"set-nx-lua mutual-exclusion": "kept", "set-nx-lua progress": "kept",
	}
	for about, verdict := range want {
		if got[about] != verdict {
			t.Errorf("%s: %q, want %s", about, got[about], verdict)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
