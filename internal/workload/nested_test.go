package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
)

// stage is a world for one client. Its sleeps take no time, and it notes what the client does.
type stage struct {
	ports.Env
	notes  []string
	depth  int   // how often the lock is held
	most   int   // how often it may be
	broken error // what Release returns
	lost   context.Context

	impatient context.CancelFunc // ends the latest timeout
}

func (s *stage) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *stage) Background() context.Context { return context.Background() }
func (s *stage) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	ctx, s.impatient = context.WithCancel(ctx)
	return ctx, s.impatient
}

func (s *stage) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() == nil && d > 0 {
		s.note("%v", d)
	}
	return ctx.Err()
}
func (s *stage) Int64N(int64) int64 { return 0 }
func (s *stage) Uint64() uint64     { return 0 }

// A stage is its client's lock, too: re-entrant up to most holds. One more attempt ends the
// client's timeout.
func (s *stage) Acquire(ctx context.Context) (locks.Lease, error) {
	if s.depth == s.most {
		s.note("waits for itself")
		s.impatient()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.depth++
	s.note("acquire")
	return s, nil
}

func (s *stage) Release(context.Context) error {
	s.depth--
	s.note("release")
	return s.broken
}
func (s *stage) Lost() context.Context { return s.lost }
func (s *stage) Token() int64          { return int64(s.depth) }

func (s *stage) Read(context.Context, int64) (int64, error)    { s.note("read"); return 0, nil }
func (s *stage) Write(_ context.Context, token, _ int64) error { s.note("write"); return nil }
func (s *stage) Reach(faults.MomentKind)                       {}
func (s *stage) ExtraWork() time.Duration                      { return 0 }
func (s *stage) Record(k history.Kind, token, v int64, text string) {
	switch k {
	case history.Reenters, history.Reentered, history.ReenterFailed, history.Left:
		s.note("%v %d %s", k, v, text)
	case history.AcquireFailed, history.GaveUp:
		s.note("%v", k)
	}
}

func TestNestedAcquisitions(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name   string
		nested int
		stage  stage
		want   string
	}{
		{"none", 0, stage{most: 1}, "acquire, read, 3s, write, release"},
		{
			"twice", 2, stage{most: 3},
			"acquire, read, reenters 1 , acquire, reentered 1 , reenters 2 , acquire, reentered 2 , 1.5s, " +
				"release, left 2 , release, left 1 , 1.5s, write, release",
		},
		{
			"an inner release that fails", 1, stage{most: 2, broken: errors.New("no")},
			"acquire, read, reenters 1 , acquire, reentered 1 , 1.5s, release, left 1 no, 1.5s, write, release",
		},
		{
			"a lock that is not re-entrant", 2, stage{most: 1},
			"acquire, read, reenters 1 , waits for itself, reenter-failed 1 context canceled, 1.5s, 1.5s, write, release",
		},
		{
			"the lock is lost: nothing more is asked for", 1, stage{most: 2, lost: over},
			"acquire, read, reenters 1 , reenter-failed 1 context canceled, release",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.stage
			c := Client{Env: &s, Lock: &s, Resource: &s, Control: &s, Rand: &s, Plan: plan.Workload{
				Repeat: 1, Wait: time.Minute, Nested: tt.nested, Work: plan.Range{Min: 3 * time.Second, Max: 3 * time.Second},
			}}
			c.Play()
			must.Equal(t, strings.Join(s.notes, ", "), tt.want)
		})
	}
}
