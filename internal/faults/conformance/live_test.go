//go:build live

package conformance

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

// The live world starts this program again for its clients.
func TestMain(m *testing.M) {
	real.WorkerMain()
	os.Exit(m.Run())
}

// The live world refuses exactly the cases that have Refused, with this reason.
func TestWhatTheLiveWorldCannotDoIsRefused(t *testing.T) {
	for _, c := range Cases() {
		p := c.Plan(t)
		switch err := real.Refuse(p, c.Lock, real.Options{}); {
		case err != nil && c.Refused == "":
			t.Errorf("%s: %v: if this cannot be helped, set Refused in its case", c.Name(), err)
		case c.Refused != "" && (err == nil || !strings.Contains(err.Error(), c.Refused)):
			t.Errorf("%s: %v, want %q", c.Name(), err, c.Refused)
		}
	}
}

// programsOf returns the programs that the servers of a case need.
func programsOf(c *Case, p *plan.Plan) []string {
	needs := []string{"redis-server"}
	if v, _ := locks.Lookup(c.Lock); v.Store == locks.StoreMySQL {
		needs = []string{"mariadbd"}
	}
	if strings.HasSuffix(c.Verb, "-clock") && strings.HasPrefix(c.What, "a server") {
		needs = append(needs, programs.Faketime)
	}
	return needs
}

func TestTheLiveWorldDoesWhatVerbsSay(t *testing.T) {
	realtest.SecondTier(t)
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range Cases() {
		if c.Refused != "" {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			p := c.Plan(t)
			for _, program := range programsOf(&c, p) {
				realtest.Need(t, program)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			h := must.Get(real.Run(ctx, p, c.Lock, 1, real.Options{}))(t)
			for _, wrong := range c.Judge(p, h) {
				t.Error(wrong)
			}
			if t.Failed() {
				_ = history.WriteJSONL(t.Output(), h)
			}
		})
	}
}
