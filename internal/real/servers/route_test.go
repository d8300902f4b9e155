package servers_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"lockstep/internal/real/link"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// routes opens a link for each route, and closes all at the end.
type routes struct {
	t     *testing.T
	mu    sync.Mutex
	links []*link.Link
}

func (r *routes) open(_, _ int, addr string) (string, error) {
	l, err := link.Open(link.Options{Name: "peers", Upstream: addr, Raw: true})
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links = append(r.links, l)
	r.t.Cleanup(func() { l.Close() })
	return l.Addr(), nil
}

// cut holds back everything on all routes.
func (r *routes) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.links {
		switchBoth(l, link.Hold)
	}
}

// Routes that let nothing through must keep the servers apart: nobody leads then. Were
// there another way from one to another, they would go on as before.
func TestServersReachEachOtherByTheirRoutesOnly(t *testing.T) {
	start := map[string]func(context.Context, *routes) ([]*servers.Server, error){
		"etcd": func(ctx context.Context, r *routes) ([]*servers.Server, error) {
			return servers.StartEtcd(ctx, servers.EtcdOptions{Members: 3, Route: r.open})
		},
		"zookeeper.jar": func(ctx context.Context, r *routes) ([]*servers.Server, error) {
			return servers.StartZooKeeper(ctx, servers.ZooKeeperOptions{Members: 3, Route: r.open})
		},
		"consul": func(ctx context.Context, r *routes) ([]*servers.Server, error) { return r.startConsulBehind(ctx) },
	}
	leads := map[string]func(*servers.Server, context.Context) bool{
		"etcd": (*servers.Server).LeadsEtcd, "zookeeper.jar": (*servers.Server).LeadsZooKeeper, "consul": (*servers.Server).LeadsConsul,
	}
	for program, start := range start {
		t.Run(program, func(t *testing.T) {
			realtest.Need(t, program)
			t.Setenv("TMPDIR", t.TempDir())
			r := &routes{t: t}
			members, err := start(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				for _, m := range members {
					if err := m.Stop(); err != nil {
						t.Error(err)
					}
				}
			}()
			leaders := func() (n int) {
				for _, m := range members {
					if leads[program](m, t.Context()) {
						n++
					}
				}
				return n
			}
			if n := leaders(); n != 1 {
				t.Fatalf("%d leaders, want 1", n)
			}
			r.cut()
			for end := time.Now().Add(20 * time.Second); leaders() > 0; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("somebody still leads, whom nobody can reach")
				}
			}
		})
	}
}

func TestAServerComesBackWithWhatItHad(t *testing.T) {
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	members, err := servers.StartEtcd(t.Context(), servers.EtcdOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := members[0]
	defer s.Stop()
	addr, pid := s.Addr, s.Pid()
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Relaunch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Addr != addr || s.Pid() == pid {
		t.Errorf("on %s as process %d, want %s and another process than %d", s.Addr, s.Pid(), addr, pid)
	}
	for end := time.Now().Add(20 * time.Second); !s.LeadsEtcd(t.Context()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never leads again")
		}
	}
}

// switchBoth sets the mode of both directions.
func switchBoth(l *link.Link, m link.Mode) {
	l.Switch(link.Up, m)
	l.Switch(link.Down, m)
}

// startConsulBehind starts servers of Consul, each of which has a front.
func (r *routes) startConsulBehind(ctx context.Context) ([]*servers.Server, error) {
	const members = 3
	return servers.StartConsul(ctx, servers.ConsulOptions{Members: members, Fronts: func() (known []string, _ error) {
		for to := range members {
			front, err := link.OpenFront(servers.ConsulFront(to))
			if err != nil {
				return nil, err
			}
			r.t.Cleanup(func() { front.Close() })
			_, port, _ := net.SplitHostPort(front.Addr())
			upstream := net.JoinHostPort(servers.ConsulHost(to), port)
			for from := range members {
				l, err := link.Open(link.Options{Name: "peers", Upstream: upstream, Raw: true})
				if err != nil {
					return nil, err
				}
				r.t.Cleanup(func() { l.Close() })
				front.Admit(servers.ConsulHost(from), l)
				if from != to {
					r.mu.Lock()
					r.links = append(r.links, l)
					r.mu.Unlock()
				}
			}
			known = append(known, front.Addr())
		}
		return known, nil
	}})
}
