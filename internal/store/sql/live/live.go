// Package live has MySQL's and PostgreSQL's locks played on real servers: MariaDB and PostgreSQL.
package live

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"

	"lockstep/internal/plan"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/sql"
)

func init() {
	_ = mysql.SetLogger(&mysql.NopLogger{}) // it would tell of servers that have not started yet
	livestore.Register(livestore.Driver{
		Store: sql.MySQLID, Refuse: refuseSplitSeconds, Stagger: stagger,
		Protocol: mysqlProtocol, Connect: connectMySQL, Probe: probe, Launch: launchMariaDB,
	})
	livestore.Register(livestore.Driver{
		Store: sql.PostgresID, Stagger: stagger,
		NoClock:  errors.New("its locks last as long as their sessions, and no step of the wall clock ends one: play this in the simulator"),
		Protocol: postgresProtocol, Connect: connectPostgres, Probe: probe, Launch: launchPostgres, Copies: true,
	})
}

var probe = sql.Stmt{Query: "SELECT 1"}

const stagger = 30 * time.Millisecond

// refuseSplitSeconds refuses an idle timeout that is no whole number of seconds, as MariaDB counts
// it. A deviation of a hundredth is accepted: eight hours need not be whole at every scale.
func refuseSplitSeconds(p *plan.Plan) error {
	idle := p.Database(sql.MySQLID).IdleTimeout
	if off := (idle - idle.Round(time.Second)).Abs(); off > idle/100 {
		return fmt.Errorf("MariaDB counts its wait_timeout in whole seconds, and the idle-timeout of servers.mysql is %v as it is played: choose it, or --scale, so that it is in whole seconds", idle)
	}
	return nil
}
