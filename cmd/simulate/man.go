package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra/doc"
)

// writeMan writes a manual page for every command into a folder. The pages carry no
// date of today, so that the same program writes the same bytes.
func writeMan(g *globals, w io.Writer, dir string) error {
	root := rootCommand()
	written := 0
	for _, cmd := range append(root.Commands(), root) {
		if !cmd.IsAvailableCommand() && cmd != root {
			continue
		}
		cmd.DisableAutoGenTag = true
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		epoch := time.Unix(0, 0).UTC()
		head := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "lockstep", Manual: "lockstep", Date: &epoch}
		var page bytes.Buffer
		if err := doc.GenMan(cmd, head, &page); err != nil {
			return &bugError{err}
		}
		if err := writeWhole(filepath.Join(dir, name+".1"), page.Bytes()); err != nil {
			return unwritable(err, "--man")
		}
		written++
	}
	if g.json {
		return printJSON(w, map[string]any{"schema": 1, "dir": dir, "pages": written})
	}
	_, err := fmt.Fprintf(w, "%d manual pages in %s: man -l %s\n", written, terminalText(dir), terminalText(filepath.Join(dir, "simulate.1")))
	return err
}
