package locks

import (
	"errors"
	"testing"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func nodes(n int) quorum {
	return quorum{&Deps{Nodes: make([]redis.Port, n), Lease: 10 * time.Second}}
}

func TestQuorum(t *testing.T) {
	for _, tt := range []struct{ nodes, majority int }{{1, 1}, {2, 2}, {3, 2}, {4, 3}, {5, 3}, {7, 4}} {
		if got := nodes(tt.nodes).majority(); got != tt.majority {
			t.Errorf("%d nodes: a majority of %d, want %d", tt.nodes, got, tt.majority)
		}
	}
	for _, tt := range []struct{ lease, timeout, drift time.Duration }{
		{10 * time.Second, 50 * time.Millisecond, 102 * time.Millisecond},
		{30 * time.Second, 150 * time.Millisecond, 302 * time.Millisecond},
		{500 * time.Millisecond, 5 * time.Millisecond, 7 * time.Millisecond},
	} {
		q := quorum{&Deps{Lease: tt.lease}}
		if NodeTimeout(q.Lease) != tt.timeout || q.drift() != tt.drift {
			t.Errorf("a lease of %v: %v for a node and %v for drift, want %v and %v",
				tt.lease, NodeTimeout(q.Lease), q.drift(), tt.timeout, tt.drift)
		}
	}
}

// The result of a release from the answers of the nodes.
func TestQuorumReleased(t *testing.T) {
	ok, gone, lost := error(nil), ErrNotHeld, ports.ErrTimeout
	tests := []struct {
		give []error
		want error
	}{
		{[]error{ok, ok, ok, ok, ok}, nil},
		{[]error{ok, ok, ok, lost, lost}, nil},
		{[]error{ok, ok, ok, gone, gone}, nil},
		{[]error{gone, gone, gone, gone, gone}, ErrNotHeld},
		{[]error{ok, ok, gone, gone, gone}, ErrNotHeld},
		{[]error{gone, gone, gone, lost, lost}, ErrNotHeld},
		{[]error{ok, ok, lost, gone, gone}, lost}, // the third one would decide, and did not answer
		{[]error{lost, lost, lost, lost, lost}, lost},
		{[]error{ok, ok, ok}, nil}, // asked only where it was held
		{[]error{ok, ok, gone}, ErrNotHeld},
		{[]error{ok, ok, lost}, lost},
	}
	for _, tt := range tests {
		if got := nodes(5).released(tt.give); !errors.Is(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.give, got, tt.want)
		}
	}
}
