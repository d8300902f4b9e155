package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/real/images"
	"lockstep/internal/real/programs"
	"lockstep/internal/say"
)

func doctorCommand(g *globals) *cobra.Command {
	return speaks(&cobra.Command{
		Use:   "doctor",
		Short: "Show installed servers and tools, and how to get the others",
		Long: `Show which servers and tools are installed. For each missing one, show the command that
installs it on Debian and what cannot be done without it. No server is started. Real
servers need Linux; on other systems it shows what is useful there.

The simulator needs none of them, so the exit code is 0 whatever is missing.`,
		Example: `  simulate doctor         # what is missing, and how to get it
  simulate doctor --json  # for a script`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examineAll(cmd.Context(), runtime.GOOS)
			if g.json {
				return g.printJSON(map[string]any{
					"schema": 1, "simulator": true, "system": runtime.GOOS + "/" + runtime.GOARCH, "real_servers": noLive(runtime.GOOS).Empty(), "programs": found,
				})
			}
			return printDoctor(cmd.OutOrStdout(), g.language, runtime.GOOS, found)
		},
	}, g)
}

// examined is a program that was looked for.
type examined struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // server, engine, image or tool
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`   // "" if unknown
	Problem string `json:"problem"`   // why a program that was found cannot be used
	Install string `json:"install"`   // the command that installs it on Debian
	Needed  string `json:"needed_to"` // what cannot be done without it

	install, needed say.Phrase // the same in the reader's language
}

// noLive says why a system cannot run real servers, and what to do instead: start a container. It
// is empty on Linux.
func noLive(goos string) say.Phrase {
	if goos == "linux" {
		return say.Phrase{}
	}
	return say.NoRealServers.With(say.Verbatim(cmp.Or(map[string]string{"darwin": "macOS", "windows": "Windows"}[goos], goos)))
}

// container is the command that starts a container in the sources, from bash, zsh or PowerShell.
const container = `docker run --rm -it -v "${PWD}:/lockstep" -w /lockstep golang:1.26 bash`

func examineAll(ctx context.Context, goos string) []examined {
	var all []examined
	for _, p := range programs.On(goos) {
		found, needed := p.Examine(ctx), say.Text(p.Needed)
		if p.Store != "" {
			needed = say.PlaysLocks.With(say.Verbatim(p.Store))
		}
		all = append(all, examined{
			Name: p.Name, Kind: string(p.Kind), Found: found.Path != "", Path: found.Path, Version: found.Version,
			Problem: found.Problem, Install: p.Install, Needed: p.Needed,
			install: say.Text(p.Install), needed: needed,
		})
		if goos == "linux" && p.Kind == programs.Engine && found.Path != "" && found.Problem == "" {
			all = append(all, examineImages(ctx, found.Path)...)
		}
	}
	return all
}

// imagePatience bounds a query to the engine for an image.
const imagePatience = 10 * time.Second

// examineImages looks for the images that --backend docker would start.
func examineImages(ctx context.Context, docker string) []examined {
	has := func(name string) bool {
		ctx, cancel := context.WithTimeout(ctx, imagePatience)
		defer cancel()
		return exec.CommandContext(ctx, docker, "image", "inspect", name).Run() == nil
	}
	var all []examined
	for _, image := range images.All() {
		name := image.Chosen(nil, has)
		install, needed := say.PullsImage.With(say.Verbatim(name)), say.StartsImage.With(say.Verbatim(string(image.Product)))
		all = append(all, examined{
			Name: string(image.Product), Kind: "image", Found: has(name), Path: name,
			Install: install.English(), Needed: needed.English(), install: install, needed: needed,
		})
	}
	return all
}

var kinds = map[string]string{"server": "servers", "engine": "engines", "image": "images", "tool": "tools"}

// printDoctor prints what was found, and then for what is missing how to get it and what needs it.
func printDoctor(w io.Writer, l say.Language, goos string, all []examined) error {
	var b strings.Builder
	said := func(text string) string { return say.Text(text).In(l) }
	width, version := 0, 0
	for _, e := range all {
		width, version = max(width, len(e.Name)), max(version, len(e.Version))
	}
	b.WriteString(said("The simulator is ready: it needs none of the following.") + "\n")
	if why := noLive(goos); !why.Empty() {
		lines := say.RulerFor(l).Wrap(say.InSources.With(why).In(l), helpWidth)
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n\n  " + container + "\n\n" + said("and in it: make servers") + "\n")
	}
	missing := ""
	for i, e := range all {
		if i == 0 || all[i-1].Kind != e.Kind {
			b.WriteString("\n" + said(kinds[e.Kind]) + "\n")
		}
		cure := said(e.Problem)
		if e.Found {
			fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", width, e.Name, version, e.Version, terminalText(said(e.Path)))
		} else {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, e.Name, said("missing"))
			cure = e.install.In(l)
		}
		if cure != "" {
			missing += fmt.Sprintf("\n  %-*s  %s\n", width, e.Name, terminalText(cure))
			for _, line := range say.RulerFor(l).Wrap(say.NeededTo.With(e.needed).In(l), helpWidth-width-len("    ")) {
				missing += fmt.Sprintf("  %-*s  %s\n", width, "", line)
			}
		}
	}
	if missing == "" {
		missing = " " + said("nothing") + "\n"
	}
	b.WriteString("\n" + said("to do:") + missing)
	if commands := aptCommand(all); commands != "" {
		b.WriteString("\n" + said("all at once") + "   " + commands + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// aptCommand installs all missing packages; "" for fewer than two.
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
