package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Library is a server that is a library of Go: this program is started again as a child, with the path of its
// configuration in the variable of that name.
type Library string

// Main is a server's whole life where this process is one, and ends it; otherwise it returns at once. It is called
// from the init of a package, before anything else happens.
func (l Library) Main(serve func(config string) error) {
	if config := os.Getenv(string(l)); config != "" {
		fmt.Fprintln(os.Stderr, serve(config))
		os.Exit(1)
	}
}

// Recipe starts a server with a configuration in JSON. err is what was wrong with that.
func (l Library) Recipe(s *Server, config map[string]any, err error) (Recipe, error) {
	self, noPath := os.Executable()
	file := filepath.Join(s.ConfigDir(), "config.json")
	return Recipe{
		Files: map[string]string{file: JSON(config)}, Env: map[string]string{string(l): file},
		Child: func(context.Context) (*exec.Cmd, error) { return exec.Command(self), nil },
	}, errors.Join(err, noPath)
}
