package redis

import "math/rand/v2"

// For the tests with a real server. They are in a package of their own, since the package that
// starts servers imports this one.
var (
	LockScripts = lockScripts
	ScriptOf    = of
	Same        = same
)

// RandomCommands returns a source of random commands; nowMS is the server's wall clock.
func RandomCommands(rng *rand.Rand) func(nowMS int64) Cmd {
	g := &generator{Rand: rng}
	return func(nowMS int64) Cmd {
		g.nowMS = nowMS
		return g.next()
	}
}

// DrawRandom draws a number, as math.random does.
func (s *Store) DrawRandom() { s.rng.next() }
