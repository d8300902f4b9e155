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

// KnownCommands are the commands of Redis 7.0 that the model has or knows to lack.
func KnownCommands() (names []string) {
	for _, c := range commandTable {
		if c.beyond == 0 {
			names = append(names, c.name)
		}
	}
	for name := range lackedCommands { // order: the test sorts them
		names = append(names, name)
	}
	return names
}
