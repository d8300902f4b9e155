package live

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// database is a running server with its own database.
type database struct {
	*servers.Server
	asked  livestore.Single
	driver string
	dsn    func(addr string) string // the data source of an operator
}

func (db *database) data() string { return filepath.Join(db.Dir, "data") }

// recognise checks that the answer to a question is the server's mark: else another server
// has its port.
func (db *database) recognise(ctx context.Context, question string) error {
	var mark string
	err := db.asks(ctx, db.Addr, question, &mark)
	if err == nil && mark != db.Mark() {
		return servers.ErrPortTaken
	}
	return err
}

// commandTime is how long an operator waits for an answer.
const commandTime = 5 * time.Second

// console does something on an operator's connection, which no proxy intercepts.
func (db *database) console(ctx context.Context, addr string, do func(context.Context, *sql.DB) error) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	pool, err := sql.Open(db.driver, db.dsn(addr))
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, pool), pool.Close())
}

// asks asks a server at that address for one value as an operator.
func (db *database) asks(ctx context.Context, addr, question string, into any) error {
	return db.console(ctx, addr, func(ctx context.Context, pool *sql.DB) error {
		return pool.QueryRowContext(ctx, question).Scan(into)
	})
}

// tell executes statements as an operator, one after the other.
func (db *database) tell(ctx context.Context, statements ...string) error {
	return db.console(ctx, db.Addr, func(ctx context.Context, pool *sql.DB) error {
		for _, statement := range statements {
			if _, err := pool.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s did not do %s: %w", db.Name, statement, err)
			}
		}
		return nil
	})
}
