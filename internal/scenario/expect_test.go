package scenario

import (
	"strings"
	"testing"
)

// Expectations survive being resolved.
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
