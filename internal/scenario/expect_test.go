package scenario

import (
	"strings"
	"testing"
)

// What a file expects of its locks a, b and c means the same after it was resolved.
func TestExpectationsRoundTrip(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing is said", "", ""},
		{"anything", "expect: anything", "expect:\n  every lock: anything\n"},
		{"anything of every lock", "expect: {every lock: anything}", "expect:\n  every lock: anything\n"},
		{"anything of one", "expect: {setnx: anything}", "expect:\n  setnx: anything\n"},
		{
			"all at once", "expect: {set-nx-lua: anything, setnx: {progress: broken}, every lock: {progress: kept, mutual-exclusion: broken}}",
			"expect:\n  every lock:\n    mutual-exclusion: broken\n    progress: kept\n  setnx:\n    progress: broken\n  set-nx-lua: anything\n",
		},
	}
	for _, tt := range tests {
		p, err := Parse("x.yaml", []byte("scenario: x\nlocks: [setnx, set-nx-lua]\n"+tt.text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		checkRoundTrip(t, p)
		text := Resolved(p)
		if at := strings.Index(text, "expect:"); at > 0 && strings.TrimRight(text[at:], "\n")+"\n" != tt.want || at < 0 && tt.want != "" {
			t.Errorf("%s: got\n%s", tt.name, text)
		}
	}
}

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
	for _, lock := range p.Locks {
		said, _ := p.Said(lock)
		for _, e := range said {
			got[e.Lock+" "+e.Property] = e.Verdict
		}
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
