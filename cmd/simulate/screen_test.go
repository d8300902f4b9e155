package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/runstore"
)

// The reader of a pipe may close it at any time: the command runs to its end silently and with the
// same exit code.
func TestAReaderThatLeavesChangesNothing(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		runs int
	}{
		{"run quick.yaml missed.yaml quick.yaml", exitMissed, 3},
		{"run quick.yaml --json", exitMet, 1},
		{"run quick.yaml --times 10", exitMet, 1},
		{"list locks", exitMet, 0},
		{"explain quick.yaml", exitMet, 0},
		{"run --dry-run quick.yaml nowhere.yaml", exitUsage, 0},
		{"completion bash", exitMet, 0},
		{"--help", exitMet, 0},
	} {
		dir := twoStories(t)
		cmd := simulate(t, dir, strings.Fields(tt.args)...)
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close()
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &said
		err = cmd.Run()
		_ = writer.Close()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != tt.code {
			t.Errorf("%s: %v, want exit code %d", tt.args, cmd.ProcessState, tt.code)
		}
		if tt.code != exitUsage && said.Len() > 0 || strings.Contains(said.String(), "goroutine") {
			t.Errorf("%s printed %s", tt.args, &said)
		}
		if runs, err := runstore.List(os.DirFS(filepath.Join(dir, "reports"))); tt.runs > 0 && (err != nil || len(runs) != tt.runs) {
			t.Errorf("%s: %d runs are stored, want %d, %v", tt.args, len(runs), tt.runs, err)
		}
	}
}
