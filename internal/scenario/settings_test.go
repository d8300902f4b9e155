package scenario

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/must"
)

func TestSettings(t *testing.T) {
	p, err := Parse("x.yaml", []byte(`scenario: A title
subtitle: More of a title
story: Nobody needs to be told this.
question: Is this a setting?
lesson: It is not.
origin: A search wrote this.
seed: 7
locks: [set-nx-lua]
clients: [A, B]
servers: {redis: {replicas: 2}}
clocks: {A: {offset: +2s}}
faults:
  - {when: A enters, after: 1s, pause: A, for: 15s}
  - {at: 3s, partition: [[A, B], store], for: 2s}
vary: {lease: [1s, 2s]}
expect:
  set-nx-lua: {progress: kept}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Setting{}
	for _, s := range Settings(p) {
		if _, twice := got[s.Name]; twice {
			t.Errorf("%s is listed twice", s.Name)
		}
		got[s.Name] = s
	}
	for _, want := range []Setting{
		{"clients", "A, B", false},
		{"lease", "10s", false},
		{"workload, wait", "up to 60s", false},
		{"network, latency", "1ms..2ms", false},
		{"servers, redis, replicas", "2", true},
		{"clocks, A, offset", "+2s", false},
		{"fault 1", "when: A enters, after: 1s, pause: A, for: 15s", false},
		{"fault 2", "at: 3s, partition: [A, B], store, for: 2s", false},
		{"expect, set-nx-lua, progress", "kept", true},
	} {
		if got[want.Name] != want {
			t.Errorf("%s: %+v, want %+v", want.Name, got[want.Name], want)
		}
	}
	for name := range got {
		for _, told := range []string{"scenario", "subtitle", "story", "question", "lesson", "origin", "locks", "level", "seed", "vary"} {
			if strings.HasPrefix(name, told) {
				t.Errorf("%s is not a setting of the world", name)
			}
		}
	}
}

// A subtitle survives the resolved file in both languages, and is as short as a title.
func TestSubtitle(t *testing.T) {
	const text = "scenario: A title\nsubtitle: %s\nlocks: [set-nx-lua]\nzh:\n  scenario: 标题\n  subtitle: 副标题\n"
	p := must.Get(Parse("x.yaml", fmt.Appendf(nil, text, "what it is about")))(t)
	if checkRoundTrip(t, p); p.Subtitle != "what it is about" || p.Chinese.Subtitle != "副标题" {
		t.Errorf("%q, %q", p.Subtitle, p.Chinese.Subtitle)
	}
	if _, err := Parse("x.yaml", fmt.Appendf(nil, text, strings.Repeat("x", MaxTitle+1))); err == nil || !strings.Contains(err.Error(), "the subtitle has") {
		t.Errorf("a long subtitle: %v", err)
	}
}
