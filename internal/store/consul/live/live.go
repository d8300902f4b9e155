// Package live plays Consul on real servers.
package live

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
)

func init() {
	livestore.Register(livestore.Driver{
		Store: consul.ID, Refuse: cannotHurry, Stagger: 50 * time.Millisecond,
		Cluster: cluster, Leads: leads, Protocol: protocol, Connect: connect, Probe: consul.Get{Key: "nothing"},
		LifetimeElsewhere: true,
	})
}

// leastSecond is the shortest second: shorter sessions of real servers may end long before their
// time. leastSession is the shortest session in seconds (session_ttl_min).
const (
	leastSecond  = 100 * time.Millisecond
	leastSession = 10
)

func cannotHurry(p *plan.Plan) error {
	second := consul.Second(p.SettingsOf(store.Of(consul.ID)))
	if second >= leastSecond {
		return nil
	}
	return fmt.Errorf("sessions of Consul would last %v, and real ones last a second at least: choose a --scale of 0.1 or more, or servers.consul.second: %v",
		leastSession*second, leastSecond)
}

// markHeader is the header by which a link recognises a request. Servers ignore it.
const markHeader = "Lockstep-Call"

func protocol() link.Dissector { return &link.HTTP{Header: markHeader, Changes: changes} }

// changes reports whether a request may change an entry: one for a session does not until it ends
// it.
func changes(method, path string) bool {
	return method != http.MethodGet &&
		(strings.HasPrefix(path, "/v1/kv/") || strings.HasPrefix(path, "/v1/txn") || strings.HasPrefix(path, "/v1/session/destroy/"))
}

// leads reports whether the server says that it leads its cluster.
func leads(ctx context.Context, s *servers.Server) (bool, error) {
	var leader string
	err := s.Ask(ctx, http.MethodGet, "/v1/status/leader", nil, &leader)
	return leader == s.Bus, err
}
