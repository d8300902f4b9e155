package claims

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/redis"
	"lockstep/internal/world"
)

// Server is one bare Redis server, without network and without clients: for
// claims about what commands do. It starts at 0 ms of its own clock.
type Server struct {
	store *redis.Store
	nowMS int64
}

// Redis returns a new, empty server.
func (l *Lab) Redis() *Server { return &Server{store: redis.New()} }

// Store is the model itself.
func (s *Server) Store() *redis.Store { return s.store }

// Pass lets time pass.
func (s *Server) Pass(d time.Duration) { s.nowMS += d.Milliseconds() }

// Do executes a command as typed: Do(1, "SET", "lock", "a", "NX").
func (s *Server) Do(client int, name string, args ...string) world.Reply {
	return s.Exec(client, world.Command(name, args...))
}

// Exec executes a command for a client, numbered from 1.
func (s *Server) Exec(client int, cmd world.Cmd) world.Reply {
	return s.store.Exec(s.nowMS, history.NodeID(client), &cmd)
}

// Eval executes a Lua script with one key.
func (s *Server) Eval(client int, script, key string, args ...string) world.Reply {
	cmd := world.Eval(&world.Script{Name: "experiment", Source: script}, key)
	for _, a := range args {
		cmd = cmd.Text(a)
	}
	return s.Exec(client, cmd)
}

// Session returns a connection of a client, on which MULTI opens a transaction.
func (s *Server) Session(client int) func(name string, args ...string) world.Reply {
	t := &redis.Transaction{}
	return func(name string, args ...string) world.Reply {
		cmd := world.Command(name, args...)
		return s.store.ExecIn(t, s.nowMS, history.NodeID(client), &cmd)
	}
}
