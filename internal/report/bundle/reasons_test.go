package bundle

import (
	"slices"
	"testing"
)

func TestReasons(t *testing.T) {
	got := Reasons([]string{"b", "a", "b"})
	if want := []Reason{{"b", 2}, {"a", 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
