// Package programs finds the external programs that lockstep can use, and says how to install
// missing ones. It imports no client library, so that the plain program can list what the live
// one would find.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"lockstep/internal/store"
)

// Kind is the purpose of a program.
type Kind string

// The kinds of programs.
const (
	Server Kind = "server" // a store of locks
	Engine Kind = "engine" // runs containers
	Tool   Kind = "tool"   // builds or checks lockstep itself
)

// Program is an external program, which the simulator does not need.
type Program struct {
	Name    string
	Kind    Kind
	Install string   // the command that installs it on Debian, or builds it
	Built   bool     // no package has it: it is built on this machine on request
	Needed  string   // what it is needed for: "it is needed to ..."
	Store   string   // title of the store whose server it is; "" for none
	Version []string // arguments for printing its version; nil: the version is in a file name
	Silent  string   // what to do when it does not answer; "" when it is broken then
	// Elsewhere replaces Install, Silent and Needed on other systems than Linux, which real servers
	// need; nil: of no use there.
	Elsewhere *Use
}

// Use is how to get a program on another system than Linux, and what it is needed for.
type Use struct{ Install, Silent, Needed string }

// Libraries, by their file names.
const (
	Faketime = "libfaketime.so.1" // makes a clock wrong
	LibC     = "libc.so.6"        // of this machine
)

// others are the programs other than servers of stores, grouped by kind.
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

// All returns all programs, the servers of the stores first.
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

// On returns the programs of use on a system (runtime.GOOS), with how to get them there.
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

// Error is a sentence for the user.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: %s", e.Program, e.Install)
}

// Find returns the path of a program, or a MissingError.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = outsideThePath(name)
	}
	if err != nil {
		return "", &MissingError{Program: name, Install: Lookup(name).Install}
	}
	return path, nil
}

// Lookup returns the program of that name; the zero value if it is unknown.
func Lookup(name string) Program {
	return store.First(All(), func(p Program) bool { return p.Name == name })
}

// outsideThePath looks where Debian puts programs and libraries that are not in the path
// (PostgreSQL, with one directory for each version, libraries of Java and of C), and where
// scripts/build-consul puts its result.
func outsideThePath(name string) (string, error) {
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
