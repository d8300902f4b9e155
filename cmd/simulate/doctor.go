package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/real/programs"
)

func doctorCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show which servers and tools are there, and how to install the missing ones",
		Long: `Show which servers and tools are there, with the command that installs each missing
one on Debian and with what cannot be done without it. Nothing is started.

The simulator needs none of them, so the exit code is 0 whatever is missing.`,
		Example: "  simulate doctor\n  simulate doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examineAll(cmd.Context())
			if g.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"schema": 1, "simulator": true, "programs": found})
			}
			return printDoctor(cmd.OutOrStdout(), found)
		},
	}
}

// examined is a program as it was found, or not.
type examined struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // server, engine or tool
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`   // "" when it does not tell
	Problem string `json:"problem"`   // why a program that was found is of no use
	Install string `json:"install"`   // the command that installs it on Debian
	Needed  string `json:"needed_to"` // what cannot be done without it
}

func examineAll(ctx context.Context) []examined {
	var all []examined
	for _, p := range programs.All() {
		all = append(all, examine(ctx, p))
	}
	return all
}

// patience is how long a program may take to tell its version.
const patience = 10 * time.Second

var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+(?:-MariaDB)?`)

func examine(ctx context.Context, p programs.Program) examined {
	e := examined{Name: p.Name, Kind: string(p.Kind), Install: p.Install, Needed: p.Needed}
	path, err := programs.Find(p.Name)
	if err != nil {
		return e
	}
	e.Found, e.Path = true, path
	if p.Version == nil {
		e.Version = versionBeside(path)
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ask := exec.CommandContext(ctx, path, p.Version...)
	ask.WaitDelay = time.Second // a child of it may keep the pipe open
	said, err := ask.CombinedOutput()
	switch {
	case err != nil && p.Kind == programs.Engine:
		e.Problem = "its daemon does not answer: sudo systemctl start " + p.Name
	case ctx.Err() != nil:
		e.Problem = fmt.Sprintf("it does not tell its version within %v", patience)
	case err != nil:
		e.Problem = "it cannot be started: " + err.Error()
	default:
		e.Version = versionForm.FindString(string(said))
	}
	return e
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

// printDoctor prints what was found, and then what is missing: how to get it, and
// what cannot be done without it.
func printDoctor(w io.Writer, all []examined) error {
	var b strings.Builder
	width, version := 0, 0
	for _, e := range all {
		width, version = max(width, len(e.Name)), max(version, len(e.Version))
	}
	b.WriteString("The simulator is ready: it needs nothing of what follows.\n")
	missing := ""
	for i, e := range all {
		if i == 0 || all[i-1].Kind != e.Kind {
			fmt.Fprintf(&b, "\n%ss\n", e.Kind)
		}
		cure := e.Problem
		if e.Found {
			fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", width, e.Name, version, e.Version, terminalText(e.Path))
		} else {
			fmt.Fprintf(&b, "  %-*s  missing\n", width, e.Name)
			cure = e.Install
		}
		if cure != "" {
			missing += fmt.Sprintf("\n  %-*s  %s\n  %-*s  needed to %s\n", width, e.Name, terminalText(cure), width, "", e.Needed)
		}
	}
	if missing == "" {
		missing = " nothing\n"
	}
	b.WriteString("\nto do:" + missing)
	if commands := aptCommand(all); commands != "" {
		b.WriteString("\nall at once   " + commands + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// aptCommand installs all packages that are missing; "" when there are none.
func aptCommand(all []examined) string {
	const apt = "sudo apt-get install -y "
	var packages []string
	for _, e := range all {
		name, ok := strings.CutPrefix(e.Install, apt)
		if ok && !e.Found && (len(packages) == 0 || packages[len(packages)-1] != name) {
			packages = append(packages, name)
		}
	}
	if len(packages) < 2 {
		return ""
	}
	return apt + "--no-install-recommends " + strings.Join(packages, " ")
}
