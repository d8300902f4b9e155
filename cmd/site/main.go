// Command site writes the static site. `make site` runs it; see scripts/site.
//
//	go run ./cmd/site DRAWN SITE
//
// It runs in the sources. DRAWN is a folder with the simulator as WASM and, in a folder for each
// language, the pages of the program.
package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/report/playpage"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/site"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("two folders are needed: go run ./cmd/site DRAWN SITE")
	}
	drawn, to := args[0], args[1]
	in, err := site.FromSources(".")
	if err != nil {
		return err
	}
	if in.Program, err = os.ReadFile(filepath.Join(drawn, "playground.wasm")); err != nil {
		return err
	}
	if in.Go, err = os.ReadFile(filepath.Join(drawn, playpage.Go)); err != nil {
		return err
	}
	for _, l := range site.Languages {
		if err := spoken(&in, drawn, l); err != nil {
			return err
		}
	}
	files, err := site.Make(in)
	if err != nil {
		return err
	}
	if err := site.Write(to, files); err != nil {
		return err
	}
	fmt.Printf("%d files in %s; the playground needs a server: simulate serve, or any that gives out files\n", len(files), to)
	return nil
}

// spoken adds the content in one language.
func spoken(in *site.Input, drawn string, l say.Language) (err error) {
	if in.Pages[l], err = site.Read(filepath.Join(drawn, string(l)), ".html"); err != nil {
		return err
	}
	in.Titles[l], in.Gallery = map[string]string{}, nil
	for name := range in.Pages[l] { // order: sorted below
		story, ok := strings.CutPrefix(strings.TrimSuffix(name, ".html"), "gallery/")
		if !ok {
			continue
		}
		p, err := scenario.Load(path.Join("scenarios/lessons", story+".yaml"))
		if err != nil {
			return err
		}
		in.Gallery = append(in.Gallery, story)
		in.Titles[l][story] = p.Prose(l).Name
	}
	slices.Sort(in.Gallery)
	return nil
}
