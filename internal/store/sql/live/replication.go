package live

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// database is a running server with its own database.
type database struct {
	*servers.Server
	asked livestore.Single
}

func (db *database) data() string { return filepath.Join(db.Dir, "data") }

// recognise checks that the answer to a question is the server's mark: else another server
// has its port.
func (db *database) recognise(ctx context.Context, pool *sql.DB, question string) error {
	var mark string
	err := pool.QueryRowContext(ctx, question).Scan(&mark)
	if err == nil && mark != db.Mark() {
		return servers.ErrPortTaken
	}
	return err
}

// commandTime is how long an operator waits for an answer.
const commandTime = 5 * time.Second

// console does something on an operator's connection, which no proxy intercepts.
func console(ctx context.Context, driver, dsn string, do func(context.Context, *sql.DB) error) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, db), db.Close())
}

// scan asks for one value as an operator.
func scan(ctx context.Context, driver, dsn, question string, into any) error {
	return console(ctx, driver, dsn, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, question).Scan(into)
	})
}
