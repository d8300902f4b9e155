package real

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

func init() {
	register(locks.StoreMySQL, kind{
		refuse:  refuseSplitSeconds,
		product: images.MariaDB, find: findPrograms("mariadbd", "mariadb-install-db"),
		stagger: 30 * time.Millisecond,
		make: func(g *group) store {
			return &database{group: g, set: g.h.plan.MySQL, driver: "mysql", speaks: link.MySQL, launch: launchMariaDB, drop: dropMariaDB}
		},
	})
	register(locks.StorePostgres, kind{
		product: images.Postgres, find: findPrograms("postgres", "initdb"),
		stagger: 30 * time.Millisecond,
		noClock: errSessions,
		make: func(g *group) store {
			return &database{group: g, set: g.h.plan.Postgres, driver: "postgres", speaks: link.Postgres, launch: launchPostgres, drop: dropPostgres}
		},
	})
}

// database is a server of MariaDB or PostgreSQL, and its replicas if there are some.
type database struct {
	*group
	set    plan.SQL
	driver string
	speaks link.Protocol
	launch func(context.Context, *harness, launching) (sqlServer, string, error)
	drop   func(context.Context, *sql.DB) (bool, error) // ends the session with the lock, or deletes its row
	mesh   *mesh                                        // nil for a server that is alone
	lag    time.Duration
}

// launching says how a server of a database is started.
type launching struct {
	name        string
	idle        time.Duration        // after which it ends a session
	replication *servers.Replication // nil for one that is alone
	upstream    string               // where it reaches its primary; "" for a primary
}

// sqlServer is the process of a database.
type sqlServer interface {
	server
	DSN(addr string) string       // for an operator
	ClientDSN(addr string) string // for a client, which cannot write to a replica
	Relaunch(context.Context) error
	Rejoin(ctx context.Context, primary string) error // as Relaunch, as a replica
	Follow(ctx context.Context, primary string) error
	Promote(context.Context) error
	InStep(ctx context.Context, primary string) error
}

// databaseOf is the process of a database.
func databaseOf(m *member) sqlServer { return m.server.(sqlServer) }

func launchMariaDB(ctx context.Context, h *harness, l launching) (sqlServer, string, error) {
	db, err := servers.StartMariaDB(ctx, servers.MariaDBOptions{
		Name: l.name, Launcher: h.launcher, Replication: l.replication, Upstream: l.upstream,
		Clock: touchesClock(h.plan, l.name), IdleTimeout: l.idle.Round(time.Second),
	})
	if err != nil {
		return nil, "", err
	}
	return db, db.Addr, nil
}

// refuseSplitSeconds refuses an idle timeout that MariaDB cannot count. A hundredth of it
// more or less does no harm: eight hours need not come out even at every scale.
func refuseSplitSeconds(p *plan.Plan, _ *locks.Variant) error {
	idle := p.MySQL.IdleTimeout
	if off := (idle - idle.Round(time.Second)).Abs(); off > idle/100 {
		return fmt.Errorf("MariaDB counts its wait_timeout in whole seconds, and the idle-timeout of servers.mysql is %v as it is played: choose it, or --scale, so that it comes to whole seconds", idle)
	}
	return nil
}

func launchPostgres(ctx context.Context, h *harness, l launching) (sqlServer, string, error) {
	db, err := servers.StartPostgres(ctx, servers.PostgresOptions{
		Name: l.name, Launcher: h.launcher, Replication: l.replication, Upstream: l.upstream,
		IdleTimeout: l.idle,
	})
	if err != nil {
		return nil, "", err
	}
	return db, db.Addr, nil
}

// start implements store. The tables are there before anybody plays, on replicas as well.
func (d *database) start(ctx context.Context, names []string) error {
	if err := d.launchAll(ctx, names); err != nil {
		return err
	}
	if err := d.setClocks(d.members); err != nil {
		return err
	}
	_, err := d.connected(d.leader, func(db *sql.DB) (bool, error) {
		for _, stmt := range locks.SQLTables(d.h.variant.Store, locks.Key) {
			var args []any
			for _, a := range stmt.Args {
				args = append(args, a.Text) // they are all texts
			}
			if _, err := db.ExecContext(ctx, stmt.Query, args...); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return d.awaitReplicas(ctx)
}

// protocol implements store.
func (d *database) protocol() link.Protocol { return d.speaks }

// endpoint implements store.
func (d *database) endpoint(m *member, addr string) string { return databaseOf(m).ClientDSN(addr) }

// brief implements store.
func (d *database) brief(start *proto.Start) { start.IdleTimeout = d.set.IdleTimeout }

// derive implements store. A replica that takes over may not have what its primary had.
func (d *database) derive(entries []entry) []entry {
	words := sqlWords
	words.shared = d.mesh == nil
	return deriveGrants(entries, words, d.h.lease(), d.outside())
}
