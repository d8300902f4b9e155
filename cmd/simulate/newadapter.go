package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"text/template"
)

// adapterKind is the kind of `simulate new` that writes a folder: a lock of one's own and its test.
const adapterKind = "adapter"

// adapterFiles are what its folder has besides go.mod and go.sum, by their names.
var adapterFiles = []string{"lock.go", "lock_test.go", "slow-work.yaml"}

// writeGoAdapter writes the folder of an adapter in Go below the current one.
func (f *newFlags) writeGoAdapter(w io.Writer, name string) error {
	source, err := f.checkout()
	if err != nil {
		return err
	}
	module, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return unreadable(err)
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return unreadable(err)
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s is there already, and nothing is overwritten: choose another name, or remove it", name)
		}
		return unwritable(err, "")
	}
	place, err := f.placeFrom(name, source)
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": moduleBeside(module, name, place), "go.sum": sums}
	for _, file := range adapterFiles {
		t, err := template.ParseFS(skeletons, "skeleton/adapter/"+file+".tmpl")
		if err != nil {
			return &bugError{err}
		}
		var out bytes.Buffer
		if err := t.Execute(&out, map[string]string{"Package": strings.ReplaceAll(name, "-", "")}); err != nil {
			return &bugError{err}
		}
		files[file] = out.Bytes()
	}
	for file, data := range files { // order: each file on its own
		if err := writeNew(filepath.Join(name, file), data); err != nil {
			return err
		}
	}
	tidy(name)
	next := [2]string{"cd " + name + " && go test -v", "put your lock in the place of " + filepath.Join(name, "lock.go") + ", and say in lock_test.go how it is used"}
	return f.wrote(w, name+string(filepath.Separator), next)
}

// checkout is where the sources of lockstep are: where --source says, or those that this program was
// built from.
func (f *newFlags) checkout() (string, error) {
	dir := f.source
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		var data []byte
		data, err = os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && !moduleLine.Match(data) {
			err = errors.New("its go.mod is not that of lockstep")
		}
	}
	switch {
	case err == nil:
		return dir, nil
	case f.source == "":
		return "", errors.New("the sources that this program was built from are not there any more: name them with --source FOLDER")
	}
	return "", fmt.Errorf("--source %s: %w: name the folder of the sources of lockstep", f.source, err)
}

var moduleLine = regexp.MustCompile(`(?m)^module lockstep$`)

// placeFrom is how a new folder names that of the sources: as --source does, so that what is relative stays so.
func (f *newFlags) placeFrom(name, source string) (string, error) {
	if f.source == "" || filepath.IsAbs(f.source) {
		return source, nil
	}
	here, err := filepath.Abs(name)
	if err != nil {
		return "", &environmentError{err}
	}
	place, err := filepath.Rel(here, source)
	if err != nil {
		return "", &environmentError{err}
	}
	return filepath.ToSlash(place), nil
}

// required matches a line of go.mod that asks for a module.
var required = regexp.MustCompile(`(?m)^\t(\S+ v\S+)( // indirect)?$`)

// moduleBeside is the go.mod of a module that uses the sources of lockstep at a place: with the same
// versions of everything, so that nothing has to be looked for. It asks for what its own files import.
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

// tidy drops from go.mod and go.sum what is not needed, if the go command is there and has all that it wants to look
// at. Otherwise they are longer, and as good.
func tidy(dir string) {
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	_ = cmd.Run()
}
