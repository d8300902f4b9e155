package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// An argument has its story, or says that there is none.
func TestEveryArgumentHasItsStory(t *testing.T) {
	page := must.Get(files.ReadFile("pages/track-record.md"))(t)
	_, debate, _ := strings.Cut(string(page), "## The debate about Redlock")
	arguments := regexp.MustCompile(`(?m)^\| \[.*\| (.*) \| (.*) \|$`).FindAllStringSubmatch(debate, -1)
	if len(arguments) < 9 {
		t.Fatalf("%d arguments", len(arguments))
	}
	for _, a := range arguments {
		name := strings.TrimSuffix(strings.TrimPrefix(a[1], `{{.Named "`), `"}}`)
		if name == "" {
			if !strings.HasPrefix(a[2], "not played: ") {
				t.Errorf("%q has no story, and does not say why", a[0])
			}
			continue
		}
		if found, err := filepath.Glob("../../scenarios/*/" + name + ".yaml"); err != nil || len(found) != 1 {
			t.Errorf("%q: %d scenarios are called %s, %v", a[0], len(found), name, err)
		}
	}
}

func TestSharesAreRounded(t *testing.T) {
	for _, tt := range []struct {
		lost, of int
		want     string
	}{{0, 0, "none"}, {0, 7, "0.0 %"}, {1, 2000, "0.1 %"}, {1, 2001, "0.0 %"}, {413, 2420, "17.1 %"}, {3, 3, "100.0 %"}} {
		if got := (Share{Lost: tt.lost, Accepted: tt.of}).percent(); got != tt.want {
			t.Errorf("%d of %d: %s, want %s", tt.lost, tt.of, got, tt.want)
		}
	}
}
