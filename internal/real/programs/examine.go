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

// Found is the result of looking for a program.
type Found struct {
	Path    string // "" if it is missing
	Version string // "" if unknown
	Problem string // why it does not work, and what to do; "" if it works
}

// patience bounds the time of a program for printing its version.
const patience = 10 * time.Second

var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+(?:-MariaDB)?`)

// Examine looks for a program and asks it for its version.
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
	output, err := ask.CombinedOutput()
	found := Found{Path: path}
	switch {
	case err != nil && p.Silent != "":
		found.Problem = p.Silent
	case ctx.Err() != nil:
		found.Problem = fmt.Sprintf("it does not tell its version within %v", patience)
	case err != nil:
		found.Problem = "it cannot be started: " + err.Error()
	default:
		found.Version = versionForm.FindString(string(output))
	}
	return found
}

// versionBeside finds the version of a library in the name of a second file that Debian puts
// beside it: zookeeper.jar and zookeeper-3.8.0.jar.
func versionBeside(path string) string {
	ext := filepath.Ext(path)
	twins, err := filepath.Glob(strings.TrimSuffix(path, ext) + "-[0-9]*" + ext)
	if err != nil || len(twins) == 0 {
		return ""
	}
	return versionForm.FindString(filepath.Base(twins[len(twins)-1]))
}
