package sanitize

import (
	"testing"
)

func TestClean(t *testing.T) {
	tests := []struct {
		give  string
		limit int
		want  string
	}{
		{"plain", 40, "plain"},
		{"  many \n\t blanks ", 40, "many blanks"},
		{"\x1b[31mred", 40, `\x1b[31mred`},
		{"a\u202eb", 40, `a\u202eb`},
		{"\xff", 40, `\xff`},
		{"Grüße, 世界", 40, "Grüße, 世界"},
		{"abcdef", 3, "abc..."},
	}
	for _, tt := range tests {
		if got := Text(tt.give, tt.limit); got != tt.want {
			t.Errorf("clean(%q, %d) = %q, want %q", tt.give, tt.limit, got, tt.want)
		}
	}
}
