package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"lockstep/examples"
	"lockstep/internal/locks"
)

// An adapter is what stands between lockstep and a lock of the user's own. In Go it is a test in
// virtual time (see newadapter.go), in other languages a program for real servers: a file that
// works as it is, with the lock of some library in it, to be replaced.

// language is one in which lock programs are written.
type language struct {
	name    string
	example string      // the program in package examples
	command string      // that runs a file
	store   locks.Store // what the lock in it keeps its entries in
	install string      // the Debian packages that it needs
}

var languages = []language{
	{name: "bash", example: "bash/redis_cli_lock.sh", command: "bash", store: locks.StoreRedis, install: "redis-tools"},
	{
		name: "java", example: "java/CuratorLock.java", command: "java -cp '/usr/share/java/*'", store: locks.StoreZooKeeper,
		install: "openjdk-17-jdk-headless libcurator-recipes-java libjackson2-databind-java",
	},
	{name: "php", example: "php/symfony_lock.php", command: "php", store: locks.StoreRedis, install: "php-cli php-redis php-symfony-lock"},
	{name: "python", example: "python/redis_py_lock.py", command: "python3", store: locks.StoreRedis, install: "python3-redis"},
	{name: "ruby", example: "ruby/redis_lock.rb", command: "ruby", store: locks.StoreRedis, install: "ruby-redis"},
}

// goLanguage is the one whose adapter is no program.
const goLanguage = "go"

// languageNames are the values of --in.
func languageNames() []string {
	out := []string{goLanguage}
	for _, l := range languages {
		out = append(out, l.name)
	}
	return out
}

// writeAdapter writes an adapter in the language of --in.
func (f *newFlags) writeAdapter(w io.Writer, name string) error {
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == f.in })
	switch {
	case f.in == goLanguage:
		return f.writeGoAdapter(w, name)
	case i < 0:
		return fmt.Errorf("--in %.40q: an adapter can be written in %s", f.in, strings.Join(languageNames(), ", "))
	case f.source != "":
		return fmt.Errorf("--source is for an adapter in %s: leave it out for one in %s", goLanguage, f.in)
	}
	return f.writeProgram(w, &languages[i], name)
}

// writeProgram writes a lock program into the current folder.
func (f *newFlags) writeProgram(w io.Writer, l *language, name string) error {
	data, err := examples.Files.ReadFile(l.example)
	if err != nil {
		return &bugError{err}
	}
	file := name + path.Ext(l.example)
	if err := writeNew(file, data); err != nil {
		return err
	}
	run := fmt.Sprintf("simulate run --backend process --scale 0.1 --lock-command %q", l.command+" "+file)
	if l.store != locks.StoreRedis {
		run += " --lock-store " + string(l.store)
	}
	return f.wrote(w, file, [2]string{
		run + " (it needs: sudo apt-get install -y " + l.install + ")",
		"put your lock in the place of the one in " + file,
	})
}
