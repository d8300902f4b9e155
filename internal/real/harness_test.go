package real

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// An error of a store that is being set up says when the run was canceled, and why it ended.
func TestTheEndOfAContextIsTheCause(t *testing.T) {
	lost, late := errors.New("connection lost"), errors.New("the servers were not ready")
	open := t.Context()
	ended, cancel := context.WithCancelCause(open)
	cancel(late)
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{open, lost, "connection lost"},
		{ended, lost, "the servers were not ready: connection lost"},
		{ended, fmt.Errorf("redis-1: %w", late), "redis-1: the servers were not ready"},
	} {
		if got := because(tt.ctx, tt.err); got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
