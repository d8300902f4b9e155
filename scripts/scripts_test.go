// Package scripts holds the tests of the scripts beside it.
package scripts

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/internal/must"
)

// Each script replaces go, docker or df by fakes.
func TestScripts(t *testing.T) {
	here := must.Get(filepath.Abs("."))(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCRIPTS", here)
			env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}
