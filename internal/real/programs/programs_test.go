package programs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	_ "lockstep/internal/locks" // and with them all stores
	"lockstep/internal/must"
)

func TestEveryProgramHasAnInstallationAndAPurpose(t *testing.T) {
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
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	must.Equal(t, must.Get(Find("etcd"))(t), path)
}

func TestExamine(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	script := func(name, body string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	script("tells", "echo v1.22.3-rc")
	script("fails", "exit 3")
	script("plain-2.5.sh", "")
	script("plain.sh", "")
	for _, tt := range []struct {
		give Program
		want Found
	}{
		{Program{Name: "nowhere", Version: []string{"-v"}}, Found{}},
		{Program{Name: "tells", Version: []string{"-v"}}, Found{Path: dir + "/tells", Version: "1.22.3"}},
		{Program{Name: "fails", Version: []string{"-v"}}, Found{Path: dir + "/fails", Problem: "it cannot be started: exit status 3"}},
		{Program{Name: "fails", Version: []string{"-v"}, Silent: "start it"}, Found{Path: dir + "/fails", Problem: "start it"}},
		{Program{Name: "plain.sh"}, Found{Path: dir + "/plain.sh", Version: "2.5"}},
	} {
		must.Equalf(t, tt.give.Examine(t.Context()), tt.want, "%s", tt.give.Name)
	}
}
