package sql

import (
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// What locks name to keep their entries in a database.
const (
	MySQLID    store.ID = "mysql"
	PostgresID store.ID = "postgres"
)

func init() {
	store.Register(store.Store{
		ID: MySQLID, Place: 6, Node: "mysql", Title: "MySQL",
		About: "One MySQL primary and its asynchronous replicas.", Topology: store.Replicated, New: model(MySQL), Prepare: tables, Requests: []string{"BEGIN", "COMMIT", "CREATE", "DELETE", "GET_LOCK", "INSERT", "RELEASE_LOCK", "SELECT", "SET", "UPDATE"},
		Idle: 8 * time.Hour, // the default of MySQL and MariaDB (wait_timeout); PostgreSQL has none
		Programs: []store.Program{
			{Name: "mariadbd", Install: "sudo apt-get install -y mariadb-server", Version: []string{"--version"}},
			{Name: "mariadb-install-db", Install: "sudo apt-get install -y mariadb-server"},
		},
		Image: &store.Image{
			Product: "mariadb", Public: "mariadb:10.11", Command: "mariadbd", Data: "/var/lib/mysql",
			Env: map[string]string{"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "1"},
		},
		IdleDoc: "wait_timeout in MariaDB, which counts whole seconds",
	})
	store.Register(store.Store{
		ID: PostgresID, Place: 7, Node: "postgres", Title: "PostgreSQL",
		About: "One PostgreSQL primary and its asynchronous replicas.", Topology: store.Replicated, New: model(PostgreSQL),
		Requests: []string{"BEGIN", "COMMIT", "DELETE", "INSERT", "PG_ADVISORY_LOCK", "PG_ADVISORY_UNLOCK", "SELECT", "SET", "UPDATE"},
		Programs: []store.Program{
			{Name: "postgres", Install: "sudo apt-get install -y postgresql", Version: []string{"--version"}},
			{Name: "initdb", Install: "sudo apt-get install -y postgresql", Version: []string{"--version"}},
		},
		Image: &store.Image{
			Product: "postgres", Public: "postgres:15", Command: "postgres", Data: "/var/lib/postgresql/data",
			Env: map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"},
		},
		IdleDoc: "idle_session_timeout and idle_in_transaction_session_timeout in PostgreSQL",
	})
}

// model makes a server of a flavour.
func model(f Flavour) func(store.Setup) store.Model {
	return func(s store.Setup) store.Model {
		setup := make([]Stmt, len(s.Prepare))
		for i, r := range s.Prepare {
			setup[i] = r.(Stmt)
		}
		return New(Config{Flavour: f, Lock: s.Lock, EpochMS: s.EpochMS, Setup: setup, IdleTimeout: s.Idle})
	}
}

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
