package locks

import "lockstep/internal/world"

// SQLTables returns the statements that make what the locks of a database expect
// to be there, as a migration would before anything runs; none for other stores.
// They are executed on a fresh database, in this order.
//
// The locks in PostgreSQL need no table.
func SQLTables(s Store, keys ...string) []world.Stmt {
	if s != StoreMySQL {
		return nil
	}
	tables := []world.Stmt{{Query: uniqueTable}, {Query: leasesTable}, {Query: rowsTable}}
	for _, key := range keys {
		tables = append(tables, world.Stmt{
			Query: "INSERT INTO lock_rows (name) VALUES (?)", Args: []world.SQLValue{world.SQLText(key)},
		})
	}
	return tables
}

const (
	// uniqueTable: a row is there while the lock is held (mysql-unique).
	uniqueTable = "CREATE TABLE locks (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL UNIQUE)"
	// leasesTable: a row stays for ever, and says until when who holds the lock
	// (mysql-unique-ttl). Times are milliseconds since 1970.
	leasesTable = "CREATE TABLE lock_leases (name VARCHAR(64) NOT NULL PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires_at BIGINT NOT NULL, version BIGINT NOT NULL)"
	// rowsTable: a row stays for ever, and is locked while the lock is held
	// (mysql-for-update).
	rowsTable = "CREATE TABLE lock_rows (name VARCHAR(64) NOT NULL PRIMARY KEY)"
)
