// Package programs finds the programs of others that lockstep can make use of,
// and says how to install those that are missing. It imports no client library,
// so that the plain program can tell what the live one would find.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"lockstep/internal/store"
)

// Kind says what a program is there for.
type Kind string

// The kinds of programs.
const (
	Server Kind = "server" // a store of locks
	Engine Kind = "engine" // runs containers
	Tool   Kind = "tool"   // builds or checks lockstep itself
)

// Program is something that lockstep can make use of. It needs none of them to
// run the simulator.
type Program struct {
	Name    string
	Kind    Kind
	Install string   // the command that installs it on Debian, or builds it
	Built   bool     // no package has it: it is built on this machine on request
	Needed  string   // what cannot be done without it: it is needed to ...
	Store   string   // the name of the store that it is a server of; "" for none
	Version []string // the arguments that make it tell its version; none: its files tell
	Silent  string   // what to do when it is there and does not answer; "" when it is simply broken
	// Elsewhere takes the place of Install and Needed where real servers are not to be had, which need
	// Linux; nil: there it is of no use.
	Elsewhere *Use
}

// Use is how to get a program on another system than Linux, and what cannot be done without it.
type Use struct{ Install, Silent, Needed string }

// Libraries, by the names that they are found under.
const (
	Faketime = "libfaketime.so.1" // makes a clock wrong
	LibC     = "libc.so.6"        // of the C programs of this machine
)

// others is what the command doctor knows besides the servers of stores, those of one kind side by side.
var others = []Program{
	{
		Name: Faketime, Kind: Server, Install: "sudo apt-get install -y libfaketime",
		Needed: "give real servers of Redis and MariaDB wrong clocks, and to play sentinels at a --scale below 1",
	},
	{
		Name: "docker", Kind: Engine, Install: "sudo apt-get install -y docker.io",
		Version: []string{"version", "--format", "{{.Server.Version}}"},
		Silent:  "its daemon does not answer: sudo systemctl start docker",
		Needed:  "play on real servers in containers (--backend docker), or to look at them by hand",
		Elsewhere: &Use{
			"install Docker Desktop, or another engine with the command docker", "its daemon does not answer: start it",
			"start a Linux container, in which locks can be played on real servers",
		},
	},
	{
		Name: "go", Kind: Tool, Install: "see https://go.dev/dl: Debian's is too old", Version: []string{"version"},
		Needed:    "build lockstep, and the live program that --backend process becomes",
		Elsewhere: &Use{"see https://go.dev/dl", "", "build lockstep, and to test locks of your own (simulate test)"},
	},
	{
		Name: "chromium", Kind: Tool, Install: "sudo apt-get install -y chromium", Version: []string{"--version"},
		Needed:    "open reports in a real browser in tests (make test), and to draw the README's pictures again (make gallery)",
		Elsewhere: &Use{"any Chromium, as chromium in the path", "", "open reports in a real browser in lockstep's own tests"},
	},
}

// All returns all programs, servers first: those of the stores, one row for each, and then the others.
func All() (all []Program) {
	for _, s := range store.All() {
		for _, p := range s.Programs {
			if slices.ContainsFunc(all, func(other Program) bool { return other.Name == p.Name }) {
				continue
			}
			all = append(all, Program{
				Name: p.Name, Kind: Server, Install: p.Install, Built: p.Built, Version: p.Version, Store: s.Title,
				Needed: "play locks of " + s.Title + " on real servers, and to compare the model with one",
			})
		}
	}
	return append(all, others...)
}

// On returns those of use on a system, by its name in Go (runtime.GOOS), with the way to get them there.
func On(goos string) []Program {
	if goos == "linux" {
		return All()
	}
	var some []Program
	for _, p := range others {
		if p.Elsewhere != nil {
			p.Install, p.Silent, p.Needed = p.Elsewhere.Install, p.Elsewhere.Silent, p.Elsewhere.Needed
			some = append(some, p)
		}
	}
	return some
}

// MissingError says that a program is not installed, and how to install it.
type MissingError struct {
	Program string
	Install string // the command that installs it
}

// Error is the one sentence that a user needs.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: %s", e.Program, e.Install)
}

// Find returns the path of a program, or a MissingError.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = besideThePath(name)
	}
	if err != nil {
		return "", &MissingError{Program: name, Install: installOf(name)}
	}
	return path, nil
}

func installOf(name string) string { return Lookup(name).Install }

// Lookup returns what is known of a program, by its name; nothing of one that is not known.
func Lookup(name string) Program {
	for _, p := range All() {
		if p.Name == name {
			return p
		}
	}
	return Program{}
}

// besideThePath looks where Debian puts what it keeps out of the path (the
// programs of PostgreSQL, one directory for each version, libraries of Java, and
// libraries of C) and where scripts/build-consul puts what it has built.
func besideThePath(name string) (string, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		if path, err := exec.LookPath(filepath.Join(cache, "lockstep", "bin", name)); err == nil {
			return path, nil
		}
	}
	for _, dir := range []string{
		"/usr/lib/postgresql/*/bin/", "/usr/share/java/",
		"/usr/lib/*-linux-gnu/faketime/", "/lib/*-linux-gnu/", "/lib64/",
	} {
		found, err := filepath.Glob(dir + name)
		if err == nil && len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", exec.ErrNotFound
}
