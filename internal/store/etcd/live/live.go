// Package live starts real etcd servers and asks them.
package live

import (
	"context"
	"net/http"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/etcd"
)

func init() {
	livestore.Register(livestore.Driver{
		Store: etcd.ID, Stagger: 30 * time.Millisecond,
		Cluster: cluster, Leads: leads, Protocol: protocol, Connect: connect, Probe: etcd.Op{Kind: etcd.Get, Key: "lockstep"},
		LifetimeElsewhere: true, Removals: removals,
	})
}

// leads reports whether the member leads its cluster.
func leads(ctx context.Context, s *servers.Server) (bool, error) {
	var status struct {
		Header struct {
			Member string `json:"member_id"`
		} `json:"header"`
		Leader string `json:"leader"`
	}
	err := s.Ask(ctx, http.MethodPost, "/v3/maintenance/status", struct{}{}, &status)
	return status.Leader != "" && status.Leader == status.Header.Member, err
}
