package programs

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Found is what a look at a program has shown.
type Found struct {
	Path    string // "" when it is not there
	Version string // "" when it does not tell
	Problem string // why what is there is of no use, with the cure; "" when it is fine
}

// patience is how long a program may take to tell its version.
const patience = 10 * time.Second

var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+(?:-MariaDB)?`)

// Examine looks for a program and asks it for its version. Nothing is started but
// the program that tells its version.
func (p Program) Examine(ctx context.Context) Found {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	path, err := Find(p.Name)
	if err != nil {
		return Found{}
	}
	if p.Version == nil {
		return Found{Path: path, Version: versionBeside(path)}
	}
	ask := exec.CommandContext(ctx, path, p.Version...)
	ask.WaitDelay = time.Second // a child of it may keep the pipe open
	said, err := ask.CombinedOutput()
	found := Found{Path: path}
	switch {
	case err != nil && p.Silent != "":
		found.Problem = p.Silent
	case ctx.Err() != nil:
		found.Problem = fmt.Sprintf("it does not tell its version within %v", patience)
	case err != nil:
		found.Problem = "it cannot be started: " + err.Error()
	default:
		found.Version = versionForm.FindString(string(said))
	}
	return found
}

// versionBeside finds the version of a library, which Debian puts into the name of
// a second file beside it: zookeeper.jar and zookeeper-3.8.0.jar.
func versionBeside(path string) string {
	ext := filepath.Ext(path)
	twins, err := filepath.Glob(strings.TrimSuffix(path, ext) + "-[0-9]*" + ext)
	if err != nil || len(twins) == 0 {
		return ""
	}
	return versionForm.FindString(filepath.Base(twins[len(twins)-1]))
}
