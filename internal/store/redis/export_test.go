package redis

import "math/rand/v2"

// What tests that start a real server need of the others. They are a package of their own, for the package that
// starts servers knows this one.
var (
	LockScripts = lockScripts
	ScriptOf    = of
	Same        = same
)

// RandomCommands returns what makes random commands, at a time of the server's wall clock.
func RandomCommands(rng *rand.Rand) func(nowMS int64) Cmd {
	g := &generator{Rand: rng}
	return func(nowMS int64) Cmd {
		g.nowMS = nowMS
		return g.next()
	}
}

// DrawLuck has a script draw a number.
func (s *Store) DrawLuck() { s.rng.next() }
