package main

import (
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/measured"
)

// Every story that the page of the stored walk shows has its Chinese title, without the world, which
// the page shows beside it.
func TestStoriesOfTheStoredWalkInChinese(t *testing.T) {
	walk, err := storedWalk()
	if err != nil {
		t.Fatal(err)
	}
	inChinese(walk)
	told := 0
	walk.EachStory(func(s *measured.Shown) {
		told++
		switch han := strings.ContainsFunc(s.TextChinese, func(r rune) bool { return unicode.Is(unicode.Han, r) }); {
		case !han:
			t.Errorf("%s: no Chinese in %q", s.Story, s.TextChinese)
		case strings.Contains(s.TextChinese, "世界"):
			t.Errorf("%s: %q names the world", s.Story, s.TextChinese)
		}
	})
	if told < 100 {
		t.Errorf("only %d stories", told)
	}
}
