package docs

import (
	"path/filepath"
	"strings"
	"testing"
)

// An argument has its story, or says that there is none.
func TestEveryArgumentHasItsStory(t *testing.T) {
	for _, a := range redlockDebate {
		if a.story == "" {
			if !strings.HasPrefix(a.close, "not played: ") {
				t.Errorf("%q has no story, and does not say why", a.says)
			}
			continue
		}
		if found, err := filepath.Glob("../../scenarios/*/" + a.story + ".yaml"); err != nil || len(found) != 1 {
			t.Errorf("%q: %d scenarios are called %s, %v", a.says, len(found), a.story, err)
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
