package live

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"lockstep/internal/real/livestore"
	model "lockstep/internal/store/sql"
)

// mariaClient is the account of clients, which must not write to a replica: root may.
const mariaClient = "client"

// Endpoint implements livestore.Database: an account that cannot write to a replica.
func (db *mariaDB) Endpoint(addr string) string {
	return mariaClient + "@tcp(" + addr + ")/" + mariaDatabase
}

// mariaReplication are the options of servers that replicate, or may do so later. A
// partition of more than a minute breaks no connection.
func mariaReplication(r *livestore.Replication) []string {
	return []string{
		"--server-id=" + strconv.Itoa(r.Number), "--log-bin=binlog", "--relay-log=relay", "--log-slave-updates",
		"--binlog-format=ROW", "--skip-slave-start", "--slave-net-timeout=86400",
	}
}

// laterNumber is added to a server's number each time that it begins to follow.
const laterNumber = 1000

// Follow implements livestore.Database. A running server becomes an empty replica of the primary at
// that address. It gets an unused number: the new primary also sends changes that this server once
// made, and under its old number it would ignore them as its own.
func (db *mariaDB) Follow(ctx context.Context, primary string) error {
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		return err
	}
	db.number += laterNumber
	return db.execute(ctx,
		"SET GLOBAL server_id = "+strconv.Itoa(db.number), "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 1",
		"DROP DATABASE IF EXISTS "+mariaDatabase, "CREATE DATABASE "+mariaDatabase,
		"RESET MASTER", "SET GLOBAL gtid_slave_pos = ''", // its own log starts empty, too
		fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %s, MASTER_USER = 'root', MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos", host, port),
		"START SLAVE")
}

// Rejoin implements livestore.Database; see Follow.
func (db *mariaDB) Rejoin(ctx context.Context, primary string) error {
	if err := db.Relaunch(ctx); err != nil {
		return err
	}
	return db.Follow(ctx, primary)
}

// Promote implements livestore.Database.
func (db *mariaDB) Promote(ctx context.Context) error {
	if err := db.execute(ctx, "STOP SLAVE IO_THREAD"); err != nil {
		return err
	}
	if err := db.Soon(ctx, "did not apply what it had received", db.hasApplied); err != nil {
		return err
	}
	return db.execute(ctx, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0")
}

// InStep implements livestore.Database.
func (db *mariaDB) InStep(ctx context.Context, primary string) error {
	want, err := db.asks(ctx, primary, "SELECT @@gtid_binlog_pos")
	if err != nil {
		return err
	}
	return db.Soon(ctx, "did not come into step with its primary", func(ctx context.Context) (bool, error) {
		has, err := db.asks(ctx, db.Addr, "SELECT @@gtid_slave_pos")
		return has == want, err
	})
}

// hasApplied reports whether a replica has applied all that it has received.
func (db *mariaDB) hasApplied(ctx context.Context) (done bool, err error) {
	answer, err := db.console(ctx, db.Addr, "SHOW SLAVE STATUS")
	if err != nil || len(answer.Rows) == 0 {
		return false, err
	}
	status := map[string]model.Value{}
	for i, name := range answer.Columns {
		status[name] = answer.Rows[0][i]
	}
	if trouble := status["Last_SQL_Error"].Text; trouble != "" {
		return false, fmt.Errorf("%s cannot apply what it was sent: %s", db.Name, trouble)
	}
	return status["Read_Master_Log_Pos"] == status["Exec_Master_Log_Pos"] &&
		status["Master_Log_File"] == status["Relay_Master_Log_File"], nil
}
