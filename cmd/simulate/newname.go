package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
)

// camel turns my-lock into myLock.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// What a skeleton declares. The last word keeps it apart from Go's own names.

func lockIdent(name string) string     { return camel(strings.TrimSuffix(name, "-lock") + "-lock") }
func faultIdent(name string) string    { return camel(name + "-fault") }
func propertyIdent(name string) string { return camel("check-" + name) }

const isThere = "there is one already"

func lockTaken(name string) string {
	if _, ok := locks.Lookup(name); ok {
		return isThere
	}
	if name == "all" {
		return `"locks: all" has a meaning of its own`
	}
	return ""
}

// faultTaken also knows the keys that stand beside a verb.
func faultTaken(name string) string {
	if _, ok := faults.Lookup(name); ok {
		return isThere
	}
	keys := []string{"when", "at", "every", "after", "for", "until", "forever"}
	for _, spec := range faults.All() {
		for _, p := range spec.Params {
			keys = append(keys, p.Name)
		}
	}
	if slices.Contains(keys, name) {
		return "the key has another meaning beside a verb"
	}
	return ""
}

func scenarioTaken(name string) string {
	dir := scenarioRoot
	if root, err := repository(); err == nil {
		dir = filepath.Join(root, dir)
	}
	for _, file := range yamlFiles(dir) {
		if scenarioName(file) == name {
			return isThere + ", " + file
		}
	}
	return ""
}

func propertyTaken(name string) string {
	if _, ok := checker.Lookup(name); ok {
		return isThere
	}
	return ""
}

// platforms are the words at the end of a file's name that make the go command
// compile it for some systems only.
var platforms = strings.Fields(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd
	plan9 solaris wasip1 windows zos 386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le
	mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)

// notAlwaysCompiled says why a Go file cannot have a name, "" when it can.
func notAlwaysCompiled(name string) string {
	last := name[strings.LastIndexByte(name, '-')+1:]
	if last != name && (last == "test" || slices.Contains(platforms, last)) {
		return fmt.Sprintf("Go compiles a file whose name ends in _%s only sometimes", last)
	}
	return ""
}

// free returns a name that no Go file of a directory mentions: the wanted one, or
// one with a number.
func free(dir, wanted string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", &bugError{err}
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", unreadable(err)
		}
		all.Write(data)
	}
	for n, name := 2, wanted; ; n++ {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(all.String()) {
			return name, nil
		}
		name = wanted + fmt.Sprint(n)
	}
}
