package real

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
)

func init() {
	register(locks.StoreMySQL, kind{
		refuse:  func(p *plan.Plan, v *locks.Variant) error { return cannotHaveReplicas(p.MySQL, v) },
		product: images.MariaDB, find: findPrograms("mariadbd", "mariadb-install-db"),
		stagger: 30 * time.Millisecond,
		make: func(g *group) store {
			return &database{group: g, driver: "mysql", speaks: link.MySQL, launch: launchMariaDB, drop: dropMariaDB}
		},
	})
	register(locks.StorePostgres, kind{
		refuse:  func(p *plan.Plan, v *locks.Variant) error { return cannotHaveReplicas(p.Postgres, v) },
		product: images.Postgres, find: findPrograms("postgres", "initdb"),
		stagger: 30 * time.Millisecond,
		make: func(g *group) store {
			return &database{group: g, driver: "postgres", speaks: link.Postgres, launch: launchPostgres, drop: dropPostgres}
		},
	})
}

var errNoReplicas = errors.New("real databases are played without replicas: their replication has no lag that can be set and no operator here; play this in the simulator")

func cannotHaveReplicas(p plan.SQL, v *locks.Variant) error {
	if max(p.Replicas, v.Servers.Replicas) > 0 {
		return errNoReplicas
	}
	return nil
}

// database is a server of MariaDB or PostgreSQL.
type database struct {
	*group
	driver string
	speaks link.Protocol
	launch func(context.Context, *harness, string) (sqlServer, string, error)
	drop   func(context.Context, *sql.DB) (bool, error) // ends the session with the lock, or deletes its row
	server sqlServer
}

// sqlServer is the process of a database.
type sqlServer interface {
	server
	DSN(addr string) string
	Relaunch(context.Context) error
}

func launchMariaDB(ctx context.Context, h *harness, name string) (sqlServer, string, error) {
	db, err := servers.StartMariaDB(ctx, servers.MariaDBOptions{Name: name, Launcher: h.launcher})
	if err != nil {
		return nil, "", err
	}
	return db, db.Addr, nil
}

func launchPostgres(ctx context.Context, h *harness, name string) (sqlServer, string, error) {
	db, err := servers.StartPostgres(ctx, servers.PostgresOptions{Name: name, Launcher: h.launcher})
	if err != nil {
		return nil, "", err
	}
	return db, db.Addr, nil
}

// start implements store. The tables are there before anybody plays.
func (d *database) start(ctx context.Context, names []string) error {
	s, addr, err := d.launch(ctx, d.h, names[0])
	if err != nil {
		return err
	}
	d.server = s
	d.add(names[0], addr, s)
	_, err = d.connected(func(db *sql.DB) (bool, error) {
		for _, stmt := range locks.SQLTables(d.h.variant.Store) {
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
	return err
}

// protocol implements store.
func (d *database) protocol() link.Protocol { return d.speaks }

// endpoint implements store.
func (d *database) endpoint(_ *member, addr string) string { return d.server.DSN(addr) }

// restart implements store: a database forgets no row.
func (d *database) restart(ctx context.Context, _ *member) (empty bool, err error) {
	return false, d.server.Relaunch(ctx)
}

// derive implements store.
func (d *database) derive(entries []entry) []entry {
	return deriveGrants(entries, sqlWords, d.h.lease(), d.outside())
}
