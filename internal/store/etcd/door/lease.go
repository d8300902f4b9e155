package door

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"lockstep/internal/store/etcd"
)

// LeaseGrant implements pb.LeaseServer.
func (m *member) LeaseGrant(ctx context.Context, r *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	if r.ID != 0 {
		return nil, m.refuse("a lease whose number the client has chosen")
	}
	lease, err := ask[etcd.Lease](ctx, m, etcd.Grant{TTL: seconds(r.TTL)})
	if err != nil {
		return nil, err
	}
	return &pb.LeaseGrantResponse{Header: m.header(0), ID: number(lease.ID), TTL: int64(lease.TTL / time.Second)}, nil
}

// number turns the model's number of a lease into that of the client, and back. An etcd member
// begins its numbers with one of its own (idutil.Generator), so they do not grow from one lease to
// the next, and are no fencing tokens.
func number(lease int64) int64 { return lease ^ lease&3<<60 }

// seconds is a time to live, the longest that there is for one that is longer.
func seconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second
}

// LeaseRevoke implements pb.LeaseServer.
func (m *member) LeaseRevoke(ctx context.Context, r *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	if _, err := ask[any](ctx, m, etcd.Revoke{Lease: number(r.ID)}); err != nil {
		return nil, err
	}
	return &pb.LeaseRevokeResponse{Header: m.header(0)}, nil
}

// LeaseKeepAlive implements pb.LeaseServer: one request after the other, as etcd does it. A lease
// that is gone has a time to live of 0.
func (m *member) LeaseKeepAlive(stream pb.Lease_LeaseKeepAliveServer) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		ttl, err := ask[time.Duration](stream.Context(), m, etcd.KeepAlive{Lease: number(r.ID)})
		if err != nil && !errors.Is(err, rpctypes.ErrGRPCLeaseNotFound) {
			return err
		}
		answer := &pb.LeaseKeepAliveResponse{Header: m.header(0), ID: r.ID, TTL: int64(ttl / time.Second)}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// LeaseTimeToLive implements pb.LeaseServer.
func (m *member) LeaseTimeToLive(context.Context, *pb.LeaseTimeToLiveRequest) (*pb.LeaseTimeToLiveResponse, error) {
	return nil, m.refuse("the time that a lease has left")
}

// LeaseLeases implements pb.LeaseServer.
func (m *member) LeaseLeases(context.Context, *pb.LeaseLeasesRequest) (*pb.LeaseLeasesResponse, error) {
	return nil, m.refuse("the list of leases")
}
