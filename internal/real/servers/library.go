package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Library is a server that is a Go library. It names the environment variable with the path of the
// server's configuration, with which this program is started again as a child.
type Library string

// Main serves and ends the process if this process is such a server; otherwise it returns at once.
// It is called first in the init of a package.
func (l Library) Main(serve func(config string) error) {
	if config := os.Getenv(string(l)); config != "" {
		fmt.Fprintln(os.Stderr, serve(config))
		os.Exit(1)
	}
}

// Recipe starts a server with a configuration in JSON. err is the error of making that
// configuration.
func (l Library) Recipe(s *Server, config map[string]any, err error) (Recipe, error) {
	self, noPath := os.Executable()
	file := filepath.Join(s.ConfigDir(), "config.json")
	return Recipe{
		Files: map[string]string{file: JSON(config)}, Env: map[string]string{string(l): file},
		Child: func(context.Context) (*exec.Cmd, error) { return exec.Command(self), nil },
	}, errors.Join(err, noPath)
}
