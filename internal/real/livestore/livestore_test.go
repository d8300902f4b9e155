package livestore

import (
	"context"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/sql"
)

// The error of an incomplete driver says what is missing.
func TestAnIncompleteDriverIsRefused(t *testing.T) {
	whole := Driver{
		Protocol: func() link.Dissector { return nil }, Connect: func(Client) (Executor, error) { return nil, nil },
		Launch:  func(context.Context, Single) (Database, error) { return nil, nil },
		Cluster: func(Wish) servers.Cluster { return servers.Cluster{} },
		Leads:   func(context.Context, *servers.Server) (bool, error) { return false, nil },
	}
	for _, id := range []store.ID{etcd.ID, sql.MySQLID} {
		d := whole
		if d.Store = id; d.check() != nil {
			t.Errorf("%s: %v", id, d.check())
		}
	}
	for want, remove := range map[string]func(d *Driver){
		`no such store`:                 func(d *Driver) { d.Store = "nothing" },
		`(Cluster, Leads)`:              func(d *Driver) { d.Store, d.Leads = etcd.ID, nil },
		`how its servers are started`:   func(d *Driver) { d.Store, d.Cluster = etcd.ID, nil },
		`one of its servers is started`: func(d *Driver) { d.Store, d.Launch = sql.MySQLID, nil },
		`where its requests begin`:      func(d *Driver) { d.Store, d.Protocol = etcd.ID, nil },
		`how its requests are executed`: func(d *Driver) { d.Store, d.Connect = sql.MySQLID, nil },
	} {
		d := whole
		remove(&d)
		must.Fail(t, d.check(), want)
	}
	again := whole
	again.Store = etcd.ID
	Register(again)
	defer delete(registry, etcd.ID)
	if again.check() == nil {
		t.Error("a driver was registered twice")
	}
}
