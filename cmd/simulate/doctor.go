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

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"lockstep/internal/real/images"
	"lockstep/internal/real/programs"
)

func doctorCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show which servers and tools are there, and get the others",
		Long: `Show which servers and tools are there, with the command that installs each missing
one on Debian and with what cannot be done without it. No server is started. Real
servers need Linux; elsewhere it shows what is of use there.

The simulator needs none of them, so the exit code is 0 whatever is missing.`,
		Example: `  simulate doctor         # what is missing, and how to get it
  simulate doctor --json  # for a script`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examineAll(cmd.Context(), runtime.GOOS)
			if g.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{
					"schema": 1, "simulator": true, "system": runtime.GOOS + "/" + runtime.GOARCH, "real_servers": noLive(runtime.GOOS) == "", "programs": found,
				})
			}
			return printDoctor(cmd.OutOrStdout(), runtime.GOOS, found)
		},
	}
}

// examined is a program as it was found, or not.
type examined struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // server, engine, image or tool
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`   // "" when it does not tell
	Problem string `json:"problem"`   // why a program that was found is of no use
	Install string `json:"install"`   // the command that installs it on Debian
	Needed  string `json:"needed_to"` // what cannot be done without it
}

// noLive says why real servers cannot be had on a system, and what to do instead; "" where they can.
func noLive(goos string) string {
	if goos == "linux" {
		return ""
	}
	return "real servers need Linux, and this is " + cmp.Or(map[string]string{"darwin": "macOS", "windows": "Windows"}[goos], goos) +
		": the simulator plays everything here, and a Linux container plays on real servers: " + container
}

// container starts a container in the folder of lockstep's sources, from bash, zsh and PowerShell.
const container = `docker run --rm -it -v "${PWD}:/lockstep" -w /lockstep golang:1.26 bash`

func examineAll(ctx context.Context, goos string) []examined {
	var all []examined
	for _, p := range programs.On(goos) {
		found := p.Examine(ctx)
		all = append(all, examined{
			Name: p.Name, Kind: string(p.Kind), Found: found.Path != "", Path: found.Path, Version: found.Version,
			Problem: found.Problem, Install: p.Install, Needed: p.Needed,
		})
		if goos == "linux" && p.Kind == programs.Engine && found.Path != "" && found.Problem == "" {
			all = append(all, examineImages(ctx, found.Path)...)
		}
	}
	return all
}

// imagePatience is how long the engine may take to tell whether it has an image.
const imagePatience = 10 * time.Second

// examineImages asks the engine for the images that --backend docker would start.
func examineImages(ctx context.Context, docker string) []examined {
	has := func(name string) bool {
		ctx, cancel := context.WithTimeout(ctx, imagePatience)
		defer cancel()
		return exec.CommandContext(ctx, docker, "image", "inspect", name).Run() == nil
	}
	var all []examined
	for _, image := range images.All() {
		name := image.Chosen(nil, has)
		all = append(all, examined{
			Name: string(image.Product), Kind: "image", Found: has(name), Path: name,
			Install: "docker pull " + name + ", or scripts/local-images",
			Needed:  "start " + string(image.Product) + " in a container",
		})
	}
	return all
}

// printDoctor prints what was found, and then what is missing: how to get it, and
// what cannot be done without it.
func printDoctor(w io.Writer, goos string, all []examined) error {
	var b strings.Builder
	width, version := 0, 0
	for _, e := range all {
		width, version = max(width, len(e.Name)), max(version, len(e.Version))
	}
	b.WriteString("The simulator is ready: it needs nothing of what follows.\n")
	if why := noLive(goos); why != "" {
		why, _ = strings.CutSuffix(why, container)
		b.WriteString("\n" + text.WrapSoft(strings.ToUpper(why[:1])+why[1:]+"in the folder of lockstep's sources,", helpWidth) +
			"\n\n  " + container + "\n\nand in it: make servers\n")
	}
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
