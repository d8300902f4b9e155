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

// An adapter is what stands between lockstep and a lock of the user's own: a file that works as
// it is, with the lock of some library in it, to be replaced.

// language is one in which adapters are written.
type language struct {
	name    string
	example string      // the program in package examples that is the adapter
	command string      // that runs a file
	store   locks.Store // what its lock keeps its entries in
	install string      // the Debian packages that it needs
	// write writes the files of an adapter that is no program, and says what to do next; nil
	// for a program.
	write func(name string) (file string, next [2]string, err error)
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

// languageNames are the values of --in.
func languageNames() []string {
	var out []string
	for _, l := range languages {
		out = append(out, l.name)
	}
	return out
}

// checkAdapter says what is wrong with --in for a new thing of that kind; nil when nothing is.
func (f *newFlags) checkAdapter(kind string) error {
	switch {
	case kind != adapterKind && f.in != "":
		return fmt.Errorf("--in is the language of a new adapter: leave it away for a new %s", kind)
	case kind == adapterKind && !slices.Contains(languageNames(), f.in):
		return fmt.Errorf("a new adapter needs its language: --in %s", strings.Join(languageNames(), ", --in "))
	}
	return nil
}

// writeAdapter writes an adapter into the current folder.
func (f *newFlags) writeAdapter(w io.Writer, name string) error {
	l := &languages[slices.Index(languageNames(), f.in)]
	if l.write != nil {
		file, next, err := l.write(name)
		if err != nil {
			return err
		}
		return f.wrote(w, file, next)
	}
	data, err := examples.Files.ReadFile(l.example)
	if err != nil {
		return &bugError{err}
	}
	file := name + path.Ext(l.example)
	if err := writeNew(file, data); err != nil {
		return err
	}
	run := fmt.Sprintf("simulate run pause-past-lease --lock-command %q --backend process --scale 0.1", l.command+" "+file)
	if l.store != locks.StoreRedis {
		run += " --lock-store " + string(l.store)
	}
	return f.wrote(w, file, [2]string{fmt.Sprintf("put your lock into %s (as it is, it needs: sudo apt-get install -y %s)", file, l.install), run})
}
