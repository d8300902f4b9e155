package explore

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/must"
	"lockstep/internal/sim"
)

// Without a check a pause past the lease damages the data; with one, according to the walk, it does
// not.
func TestWithoutACheck(t *testing.T) {
	x := resultstest.Explored(t)
	x.Locks = slices.DeleteFunc(x.Locks, func(l results.ExploredLock) bool {
		return !slices.Contains([]string{"etcd-txn", "etcd-prefix-watch", "set-nx-lua"}, l.Lock)
	})
	got := must.Get(Unchecked(context.Background(), sim.New(), x))(t)
	pause := slices.IndexFunc(got["etcd-txn"], func(u results.Unchecked) bool { return slices.Equal(u.Kinds, []string{"pause"}) })
	if len(got) != 1 || pause < 0 || !got["etcd-txn"][pause].Damaged {
		t.Errorf("%+v", got)
	}
	for i := range x.Locks {
		if l := &x.Locks[i]; l.Lock == "etcd-txn" && (len(l.Breaks["damage"]) > 0 || len(got[l.Lock]) != len(l.Breaks["overlap"])) {
			t.Errorf("%d stories of %d were played, and %v damage the data where it checks", len(got[l.Lock]), len(l.Breaks["overlap"]), l.Breaks["damage"])
		}
	}
}
