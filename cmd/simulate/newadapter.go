package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"lockstep/examples"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/runstore"
)

// An adapter connects lockstep with a user's own lock. In Go it is a test in virtual time, in other
// languages a program for real servers. It works as it is, with the lock of a library that the user
// replaces.

type language struct {
	name    string
	example string      // the program in package examples
	command string      // runs a file
	store   locks.Store // of the example's lock
	install string      // the required Debian packages
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

const goLanguage = "go"

func languageNames() []string {
	return append([]string{goLanguage}, each.Map(languages, func(l language) string { return l.name })...)
}

func (f *newFlags) writeAdapter(name string) error {
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == f.in })
	switch {
	case f.in == goLanguage:
		return f.writeGoAdapter(name)
	case i < 0:
		return fmt.Errorf("--in %.40q: an adapter can be written in %s", f.in, strings.Join(languageNames(), ", "))
	case f.source != "":
		return fmt.Errorf("--source is for an adapter in %s: leave it out for one in %s", goLanguage, f.in)
	}
	l := &languages[i]
	data, err := examples.Files.ReadFile(l.example)
	if err != nil {
		return bug(err)
	}
	file := name + path.Ext(l.example)
	if err := writeNew(file, data); err != nil {
		return err
	}
	run := fmt.Sprintf("simulate run --backend process --scale 0.1 --lock-command %q", l.command+" "+file)
	if l.store != locks.StoreRedis {
		run += " --lock-store " + string(l.store)
	}
	return f.wrote(file,
		run+" (it needs: sudo apt-get install -y "+l.install+")",
		"put your lock in the place of the one in "+file,
	)
}

const adapterKind = "adapter"

// adapterFiles are the files of an adapter in Go, besides go.mod and go.sum.
var adapterFiles = []string{"lock.go", "lock_test.go", "slow-work.yaml"}

// writeGoAdapter writes the folder of an adapter in Go below the current one.
func (f *newFlags) writeGoAdapter(name string) error {
	source, module, err := f.checkout()
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return runstore.Unread(err)
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) {
			return alreadyThere(name, "name")
		}
		return unwritable(err, "")
	}
	place, err := f.placeFrom(name, source)
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": moduleBeside(module, name, place), "go.sum": sums}
	for _, file := range adapterFiles {
		values := map[string]string{"Package": strings.ReplaceAll(name, "-", "")}
		if files[file], err = skeleton("adapter/"+file, values); err != nil {
			return err
		}
	}
	for file, data := range files { // order: each file on its own
		if err := writeNew(filepath.Join(name, file), data); err != nil {
			return err
		}
	}
	tidy(name)
	return f.wrote(name+string(filepath.Separator), "cd "+name+" && go test -v",
		"put your lock in the place of "+filepath.Join(name, "lock.go")+", and say in lock_test.go how it is used")
}

// checkout returns the folder of lockstep's sources and their go.mod: those of --source, or those
// that this program was built from.
func (f *newFlags) checkout() (dir string, module []byte, err error) {
	dir = f.source
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..")
	}
	if dir, err = filepath.Abs(dir); err == nil {
		module, err = os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && !moduleLine.Match(module) {
			err = errors.New("its go.mod is not that of lockstep")
		}
	}
	switch {
	case err == nil:
		return dir, module, nil
	case f.source == "":
		return "", nil, errors.New("the sources that this program was built from no longer exist: name them with --source FOLDER")
	}
	return "", nil, fmt.Errorf("--source %s: %w: name the folder of the sources of lockstep", f.source, err)
}

var moduleLine = regexp.MustCompile(`(?m)^[ \t]*module[ \t]+lockstep[ \t\r]*$`)

// placeFrom is the path from a new folder to the sources, relative if --source is.
func (f *newFlags) placeFrom(name, source string) (string, error) {
	if f.source == "" || filepath.IsAbs(f.source) {
		return source, nil
	}
	return relative(name, source)
}

// required matches a requirement in go.mod.
var required = regexp.MustCompile(`(?m)^\t(\S+ v\S+)( // indirect)?$`)

// moduleBeside is the go.mod of a module that uses the sources of lockstep at a place. It has the
// same versions, so that nothing has to be resolved, and directly requires only what its own files
// import.
func moduleBeside(module []byte, name, place string) []byte {
	rest := moduleLine.ReplaceAllString(string(module), "module "+name)
	rest = required.ReplaceAllStringFunc(rest, func(line string) string {
		line = strings.TrimSuffix(line, " // indirect")
		if strings.HasPrefix(line, "\tgithub.com/redis/go-redis/v9 ") {
			return line
		}
		return line + " // indirect"
	})
	return fmt.Appendf(nil, "%s\nrequire lockstep v0.0.0\n\n// No proxy serves lockstep: it is taken from here.\n"+
		"replace lockstep => %q\n", strings.TrimRight(rest, "\n"), place)
}

// tidy removes what is not needed from go.mod and go.sum, if the go command can. They work either
// way.
func tidy(dir string) {
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	_ = cmd.Run()
}
