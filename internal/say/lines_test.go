package say

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		name     string
		language Language
		give     string
		columns  int
		want     []string
	}{
		{"at blanks", "en", "one two three", 8, []string{"one two", "three"}},
		{"a number keeps its unit", "en", "it waits 10 s now", 12, []string{"it waits", "10 s now"}},
		{"a word that is too long", "en", "abcdefghijkl", 8, []string{"abcdefgh", "ijkl"}},
		{"Chinese takes two columns", "zh", "一二三四五", 8, []string{"一二三四", "五"}},
		{"no stop begins a line", "zh", "一二三四。五", 8, []string{"一二三", "四。五"}},
		{"no bracket ends one", "zh", "一二三（四）", 8, []string{"一二三", "（四）"}},
		{"Latin words stay whole", "zh", "客户端 SETNX 了", 10, []string{"客户端", "SETNX 了"}},
		{"no blank is invented", "zh", "一二三四", 20, []string{"一二三四"}},
		{"a unit in Chinese", "zh", "等了 10 秒。好", 8, []string{"等了", "10 秒。", "好"}},
		{"nothing", "en", "", 20, []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := RulerFor(tt.language).Wrap(tt.give, tt.columns); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Terminals do not agree on the width of some characters. In Chinese they count as wide,
// so that a line never is wider than it was taken for.
func TestAmbiguousWidth(t *testing.T) {
	if en, zh := RulerFor("en").Width("…"), RulerFor("zh").Width("…"); en != 1 || zh != 2 {
		t.Errorf("got %d and %d, want 1 and 2", en, zh)
	}
}
