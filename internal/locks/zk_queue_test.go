package locks

import "testing"

func TestNextAhead(t *testing.T) {
	// The marks in front of the numbers do not affect the order.
	names := []string{"a-0000000007", "b-0000000002", "c-0000000010", "d-0000000009"}
	tests := []struct {
		own, ahead string
		listed     bool
	}{
		{"b-0000000002", "", true},
		{"a-0000000007", "b-0000000002", true},
		{"d-0000000009", "a-0000000007", true},
		{"c-0000000010", "d-0000000009", true},
		{"e-0000000001", "", false}, // the lowest number, but not in the list
		{"e-0000000011", "c-0000000010", false},
	}
	for _, tt := range tests {
		if ahead, listed := nextAhead(names, tt.own); ahead != tt.ahead || listed != tt.listed {
			t.Errorf("%s: got %q, %v; want %q, %v", tt.own, ahead, listed, tt.ahead, tt.listed)
		}
	}
	if _, listed := nextAhead(nil, "a-0000000000"); listed {
		t.Error("a node is in an empty list")
	}
}
