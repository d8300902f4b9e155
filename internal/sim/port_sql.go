package sim

import (
	"context"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim/sql"
	"lockstep/internal/world"
)

// newSQL makes the data of a server, with the tables that the locks expect.
func (w *World) newSQL(flavour sql.Flavour, set plan.SQL) func() *sql.DB {
	tables := locks.SQLTables(w.variant.Store, w.plan.Resources()...)
	if w.pacer != nil {
		tables = w.Setup
	}
	cfg := sql.Config{
		Flavour: flavour, LockKey: w.entry.Key, Row: w.entry, EpochMS: epochMS, Setup: tables, IdleTimeout: set.IdleTimeout, Texts: &w.sqlTexts,
	}
	return func() *sql.DB { return sql.New(cfg) }
}

// sqlPort is world.SQL for one client.
type sqlPort struct{ client *client }

var _ world.SQL = sqlPort{}

// Exec implements world.SQL.
func (p sqlPort) Exec(ctx context.Context, stmt world.Stmt) world.SQLResult {
	return sqlResult(p.client.ask(ctx, &sql.Op{Stmt: stmt}))
}

// Dial implements world.SQL.
func (p sqlPort) Dial(ctx context.Context) (world.SQLConn, error) {
	cn, err := p.client.dial(ctx)
	if err != nil {
		return nil, err
	}
	return &sqlConn{cn}, nil
}

// sqlConn is world.SQLConn.
type sqlConn struct{ conn *conn }

// Exec implements world.SQLConn.
func (c *sqlConn) Exec(ctx context.Context, stmt world.Stmt) world.SQLResult {
	res := sqlResult(c.conn.ask(ctx, &sql.Op{Stmt: stmt}))
	if _, answered := res.Err.(*world.SQLError); res.Err != nil && !answered {
		// Its answer may still come, and would be taken for that of the next
		// statement: a driver closes such a connection.
		c.conn.Close()
	}
	return res
}

// Close implements world.SQLConn.
func (c *sqlConn) Close() { c.conn.Close() }

// sqlResult puts what the network and the database say into one result.
func sqlResult(v any, err error) world.SQLResult {
	res, _ := v.(world.SQLResult)
	res.Err = err
	return res
}
