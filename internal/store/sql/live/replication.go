package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	model "lockstep/internal/store/sql"
)

// database is a running server with its own database.
type database struct {
	*servers.Server
	asked   livestore.Single
	connect func(livestore.Client) (livestore.Executor, error)
	dsn     func(addr string) string // the data source of an operator
}

func (db *database) data() string { return filepath.Join(db.Dir, "data") }

// recognise checks that the answer to a question is the server's mark: else another server
// has its port.
func (db *database) recognise(ctx context.Context, question string) error {
	mark, err := db.asks(ctx, db.Addr, question)
	if err == nil && mark.Text != db.Mark() {
		return servers.ErrPortTaken
	}
	return err
}

// commandTime is how long an operator waits for an answer, and dialTime for a connection: a driver
// that waits for the first message of a server ignores its context.
const (
	commandTime = 5 * time.Second
	dialTime    = 2 * time.Second
)

// console executes statements, one after the other, on an operator's connection to a server at that
// address, which no proxy intercepts. It returns the answer to the last one.
func (db *database) console(ctx context.Context, addr string, statements ...string) (res model.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var dialer net.Dialer
	operator, err := db.connect(livestore.Client{Endpoints: []string{db.dsn(addr)}, Timeout: dialTime, Dial: dialer.DialContext})
	if err != nil {
		return res, err
	}
	for _, statement := range statements {
		if res, err = operator.(executor)[0].do(ctx, model.Stmt{Query: statement}); err != nil {
			return res, errors.Join(fmt.Errorf("%s did not do %s: %w", db.Name, statement, errors.Join(context.Cause(ctx), err)), operator.Close())
		}
	}
	return res, operator.Close()
}

// asks asks a server at that address for one value as an operator; NULL if it has none.
func (db *database) asks(ctx context.Context, addr, question string) (model.Value, error) {
	res, err := db.console(ctx, addr, question)
	if err != nil || len(res.Rows) == 0 {
		return model.Value{Null: true}, err
	}
	return res.Rows[0][0], nil
}

// execute executes statements as an operator.
func (db *database) execute(ctx context.Context, statements ...string) error {
	_, err := db.console(ctx, db.Addr, statements...)
	return err
}
