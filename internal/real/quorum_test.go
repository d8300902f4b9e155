package real

import (
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	stores "lockstep/internal/store"
	"lockstep/internal/store/nats"
)

// When all links hold, no server leads: the servers reach each other only by their links. All of
// them can be stopped.
func TestServersReachEachOtherByTheirLinksOnly(t *testing.T) {
	t.Parallel()
	for _, q := range livestore.All(stores.Quorum) {
		t.Run(string(q.Store), func(t *testing.T) {
			if q.Store == nats.ID { // the last to notice; the others ask the same
				realtest.SecondTier(t)
			}
			realtest.NeedServers(t, q.Store)
			t.Parallel()
			c := &quorum{group: &group{h: &harness{}}, q: q}
			c.mesh = newMesh(c.group, []string{"1", "2", "3"})
			members, err := q.Start(t.Context(), livestore.Wish{Members: 3, Route: c.route, Fronts: c.fronts})
			if err != nil {
				t.Fatal(err)
			}
			leaders := func() (n int) {
				for _, s := range members {
					if leads, err := q.Leads(t.Context(), s); leads && err == nil {
						n++
					}
				}
				return n
			}
			if n := leaders(); n != 1 || len(c.mesh.paths) < 6 {
				t.Errorf("%d leaders and %d links, want one, and a link from each to each", n, len(c.mesh.paths))
			}
			for _, p := range c.mesh.paths {
				p.link.Switch(link.Up, link.Hold)
				p.link.Switch(link.Down, link.Hold)
			}
			if !realtest.Soon(20*time.Second, func() bool { return leaders() == 0 }) {
				t.Error("an unreachable server still leads")
			}
			for _, s := range members {
				if err := s.Stop(); err != nil {
					t.Error(err)
				}
				must.Equalf(t, osproc.StartTime(s.Pid()), "", "%s is still there", s.Name)
			}
			if err := c.mesh.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAMissingServerIsOneSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, q := range livestore.All(stores.Quorum) {
		needs := stores.Of(q.Store).Programs
		if len(needs) == 0 { // its servers are this program
			continue
		}
		_, err := q.Start(t.Context(), livestore.Wish{})
		p := needs[0]
		if want := p.Name + " is not installed: " + p.Install; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %q", q.Store, err, want)
		}
	}
}
