package live

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

// furnish makes the database in a directory that does not exist: by install, unless there is one to copy.
//
// A replica receives all changes from the very first one, so all servers begin with the same
// new database. Copying it is much faster than installing it.
func furnish(r *livestore.Replication, data string, install func() error) error {
	if r == nil {
		return install()
	}
	pristine := filepath.Join(r.Pristine, "data")
	if _, err := os.Stat(pristine); err == nil {
		return copyTree(pristine, data)
	}
	if err := install(); err != nil {
		return err
	}
	return copyTree(data, pristine)
}

// copyTree copies a directory and its content with owners and permissions.
func copyTree(from, to string) error {
	err := os.CopyFS(to, os.DirFS(from))
	if err == nil {
		err = filepath.WalkDir(from, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return likewise(path, filepath.Join(to, path[len(from):]))
		})
	}
	if err != nil {
		return fmt.Errorf("a database cannot be copied: %w: free some space, or set TMPDIR to a directory that can be written", err)
	}
	return nil
}

// likewise gives a copy the owner and the permissions of what it was made from.
func likewise(original, made string) error {
	info, err := os.Stat(original)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return errors.Join(os.Chmod(made, info.Mode().Perm()), os.Chown(made, int(owner.Uid), int(owner.Gid)))
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
