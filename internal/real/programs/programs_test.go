package programs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestEveryProgramSaysHowToGetItAndWhatFor(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if p.Name == "" || p.Kind == "" || p.Install == "" || p.Needed == "" || seen[p.Name] {
			t.Errorf("incomplete, or twice in the list: %+v", p)
		}
		seen[p.Name] = true
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, err := Find("etcd")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Install != "sudo apt-get install -y etcd-server" {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(dir, "etcd")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find("etcd"); got != path || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, path)
	}
}
