package bundle

import (
	"slices"
	"testing"
)

func TestReasons(t *testing.T) {
	got := Reasons([]string{"b", "a", "b"})
	if want := []Reason{{2, "b"}, {1, "a"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
