package sql

import "lockstep/internal/ports"

// tables are the statements that make the tables and rows of the locks in MySQL, like a migration.
// They are executed on a fresh database, in this order. The locks in PostgreSQL need no table.
func tables(keys ...string) []ports.Request {
	all := []ports.Request{Stmt{Query: uniqueTable}, Stmt{Query: leasesTable}, Stmt{Query: rowsTable}}
	for _, key := range keys {
		all = append(all, Stmt{
			Query: "INSERT INTO lock_rows (name) VALUES (?)", Args: []Value{Text(key)},
		})
	}
	return all
}

const (
	// uniqueTable: a row exists while the lock is held (mysql-unique).
	uniqueTable = "CREATE TABLE locks (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL UNIQUE)"
	// leasesTable: a row stays for ever, with the holder of the lock and the end of its lease
	// (mysql-unique-ttl). Times are milliseconds since 1970.
	leasesTable = "CREATE TABLE lock_leases (name VARCHAR(64) NOT NULL PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires_at BIGINT NOT NULL, version BIGINT NOT NULL)"
	// rowsTable: a row stays for ever, and is locked while the lock is held
	// (mysql-for-update).
	rowsTable = "CREATE TABLE lock_rows (name VARCHAR(64) NOT NULL PRIMARY KEY)"
)
