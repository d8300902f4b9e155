// Package programs finds the programs of others that lockstep can make use of,
// and says how to install those that are missing. It imports no client library,
// so that the plain program can tell what the live one would find.
package programs

import (
	"fmt"
	"os/exec"
	"path/filepath"
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
	Install string   // the command that installs it on Debian
	Needed  string   // what cannot be done without it: it is needed to ...
	Version []string // the arguments that make it tell its version; none when its path tells
}

const (
	installRedis    = "sudo apt-get install -y redis-server"
	installSentinel = "sudo apt-get install -y redis-sentinel"
	installMariaDB  = "sudo apt-get install -y mariadb-server"
	installPostgres = "sudo apt-get install -y postgresql"
	compareMySQL    = "compare the model of MySQL with a real server"
	comparePostgres = "compare the model of PostgreSQL with a real server"
	compareEnsemble = "compare the model of ZooKeeper with a real server"
)

var all = []Program{
	{"redis-server", Server, installRedis, "play on real servers (--backend process), and to compare the model of Redis with one", []string{"--version"}},
	{"redis-sentinel", Server, installSentinel, "try a real failover by Sentinel by hand", []string{"--version"}},
	{"etcd", Server, "sudo apt-get install -y etcd-server", "compare the model of etcd with a real server", []string{"--version"}},
	{"java", Server, "sudo apt-get install -y default-jre-headless", compareEnsemble, []string{"-version"}},
	{"zookeeper.jar", Server, "sudo apt-get install -y libzookeeper-java", compareEnsemble, nil},
	{"mariadbd", Server, installMariaDB, compareMySQL, []string{"--version"}},
	{"mariadb-install-db", Server, installMariaDB, compareMySQL, nil},
	{"postgres", Server, installPostgres, comparePostgres, []string{"--version"}},
	{"initdb", Server, installPostgres, comparePostgres, []string{"--version"}},
	{"docker", Engine, "sudo apt-get install -y docker.io", "start servers in containers, to look at them by hand", []string{"version", "--format", "{{.Server.Version}}"}},
	{"go", Tool, "see https://go.dev/dl: Debian's is too old", "build lockstep, and the live program that --backend process becomes", []string{"version"}},
	{"chromium", Tool, "sudo apt-get install -y chromium", "draw the pictures of the README anew (make gallery)", []string{"--version"}},
}

// All returns all programs, servers first.
func All() []Program { return append([]Program(nil), all...) }

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

func installOf(name string) string {
	for _, p := range all {
		if p.Name == name {
			return p.Install
		}
	}
	return ""
}

// besideThePath looks where Debian puts what it keeps out of the path: the
// programs of PostgreSQL, one directory for each version, and libraries of Java.
func besideThePath(name string) (string, error) {
	for _, dir := range []string{"/usr/lib/postgresql/*/bin/", "/usr/share/java/"} {
		found, err := filepath.Glob(dir + name)
		if err == nil && len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", exec.ErrNotFound
}
