package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/runstore"
)

//go:embed skeleton/*.tmpl skeleton/adapter/*.tmpl
var skeletons embed.FS

// blueprint describes a kind of skeleton.
type blueprint struct {
	kind    string
	meaning string
	dir     string                           // in the repository
	ident   func(string) string              // the identifier that a Go file declares; nil for YAML
	taken   func(string) string              // why a name is not available, or ""
	next    func(name, path string) []string // the next steps
}

var blueprints = []blueprint{
	{"lock", "a design, one Go file", "internal/locks", lockIdent, lockTaken, func(name, path string) []string {
		return []string{
			"fill in the five headings and Acquire in " + path,
			"the same headings in Chinese: internal/locks/zh/" + goName(name) + ".md",
			"what goes over the wire, from the document that describes it: internal/locks/testdata/wire/" + name + ".txt",
			"simulate new scenario " + name + "-breaks --lock " + name,
			"go test ./internal/locks ./internal/tidy ./internal/run ./internal/sim  # says what is missing",
		}
	}},
	{"fault", "a verb of scenarios, one Go file", "internal/faults", faultIdent, faultTaken, func(name, path string) []string {
		return []string{
			"fill in the Spec, Begin and End in " + path,
			"a case that both worlds play: internal/faults/conformance",
			"simulate new scenario the-" + name + " --fault " + name,
			"go test ./internal/tidy ./internal/say ./internal/faults ./internal/chaos  # says what is missing",
			"go test -short ./internal/faults/conformance",
		}
	}},
	{"scenario", "a story, one YAML file", "scenarios/lessons", nil, scenarioTaken, func(_, path string) []string {
		return []string{"tell the story in " + path, "simulate run " + path}
	}},
	{"property", "what locks are judged by, one Go file", "internal/checker", propertyIdent, propertyTaken, func(name, path string) []string {
		return []string{
			"define the property and write its check in " + path,
			"histories with known verdicts, an oracle and mistakes: internal/checker/" + goName(name) + "_test.go",
			"expect it in a scenario: expect: {every lock: {" + name + ": kept}}",
			"go test ./internal/tidy ./internal/say ./internal/checker  # says what is missing",
		}
	}},
}

// goName is the name of a file for something with that name, without its extension.
func goName(name string) string { return strings.ReplaceAll(name, "-", "_") }

type newFlags struct {
	*globals
	locks  []string
	fault  string // of a scenario: its verb
	in     string // of an adapter: its language
	source string // of an adapter: the checkout of lockstep; "" for the one of this build
}

func newCommand(g *globals) *cobra.Command {
	f := &newFlags{globals: g}
	kinds := each.Map(blueprints, func(b blueprint) string { return word(b.kind, b.meaning) })
	kinds = append(kinds, word(adapterKind, "a lock of your own: a test in Go, or a program in the language of --in"))
	isKind := oneOf("write a new", kinds)
	cmd := &cobra.Command{
		Use:   "new lock|fault|scenario|property|adapter <name>",
		Short: "Write the skeleton of a new lock, fault or adapter",
		Long: `Write the skeleton of a new lock, fault, scenario or property into the repository you
are in, and say what to do next. The skeleton compiles; when it is played, it says what
is missing. No file is ever overwritten.

Outside the sources of lockstep, a scenario is written into the current folder. An
adapter is for a lock of your own, anywhere. In Go it is a folder: a module with a lock,
a test that plays it with package locktest, and a story. In the other languages of --in
it is one file: a program that simulate run --lock-command plays on real servers.`,
		Example: `  simulate new lock my-lock  # a design, in this repository
  simulate new scenario my-lock-breaks --lock my-lock  # its story
  simulate new adapter mylock --in go  # for a lock that you have`,
		ValidArgs: kinds,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return isKind(cmd, nil)
			case isKind(cmd, args[:1]) != nil:
				return isKind(cmd, args[:1])
			case len(args) != 2:
				return fmt.Errorf("a new %s needs one name, such as simulate new %s my-%s", args[0], args[0], args[0])
			case args[0] != adapterKind && (cmd.Flags().Changed("in") || cmd.Flags().Changed("source")):
				return fmt.Errorf("--in and --source are for a new adapter: leave them out for a new %s", args[0])
			case args[0] != "scenario" && cmd.Flags().Changed("lock"):
				return fmt.Errorf("--lock names the locks of a new scenario: leave it out for a new %s", args[0])
			case args[0] != "scenario" && cmd.Flags().Changed("fault"):
				return fmt.Errorf("--fault names the fault of a new scenario: leave it out for a new %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.write(args[0], args[1]) },
	}
	cmd.Flags().StringSliceVar(&f.locks, "lock", []string{"set-nx-lua"}, "the locks of a new scenario")
	cmd.Flags().StringVar(&f.fault, "fault", "pause", "the fault of a new scenario")
	cmd.Flags().StringVar(&f.in, "in", goLanguage, "the language of a new adapter: "+strings.Join(languageNames(), ", "))
	cmd.Flags().StringVar(&f.source, "source", "", "for a new adapter: the folder of the sources of lockstep, if this program was not built there")
	return cmd
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName bounds names, for tables and file names.
const maxName = 40

func (f *newFlags) write(kind, name string) error {
	var b blueprint
	if i := slices.IndexFunc(blueprints, func(b blueprint) bool { return b.kind == kind }); i >= 0 {
		b = blueprints[i]
	}
	for _, n := range append([]string{name}, f.locks...) {
		if !nameForm.MatchString(n) || len(n) > maxName {
			return fmt.Errorf("%q cannot be a name: use lower-case letters, digits and single dashes, a letter first, at most %d of them, such as my-%s", n, maxName, kind)
		}
	}
	if kind == adapterKind {
		return f.writeAdapter(name)
	}
	why := b.taken(name)
	if why == "" && b.ident != nil {
		why = notAlwaysCompiled(name)
	}
	if why != "" {
		return fmt.Errorf("a new %s cannot be called %q: %s; choose another name", kind, name, why)
	}
	path, data, err := f.fill(&b, name)
	if err != nil {
		return err
	}
	if err := writeNew(path, data); err != nil {
		return err
	}
	return f.wrote(path, b.next(name, path)...)
}

func (f *newFlags) wrote(path string, next ...string) error {
	lines := []string{"wrote  " + path}
	for i, step := range next {
		lines = append(lines, fmt.Sprintf("%-6s %d. %s", []string{"next", ""}[min(i, 1)], i+1, step))
	}
	return f.reply(map[string]any{"file": path, "next": next}, lines...)
}

// fill fills in the skeleton; the path is relative to the current folder.
func (f *newFlags) fill(b *blueprint, name string) (path string, data []byte, err error) {
	verb, ok := faults.Lookup(f.fault)
	if !ok {
		return "", nil, unknownName("fault", f.fault, each.Map(faults.All(), func(s faults.Spec) string { return s.Name }))
	}
	values := map[string]string{
		"Name": name, "Title": strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "-", " "), "Locks": strings.Join(f.locks, ", "),
		"Faults": strings.ReplaceAll(verb.Example, "\n", "\n  "),
	}
	root, err := repository()
	switch {
	case err != nil && b.ident != nil:
		return "", nil, err
	case err != nil:
		path = name + ".yaml"
	case b.ident == nil:
		path = filepath.Join(root, b.dir, name+".yaml")
		values["Schema"] = "../../schema/scenario.schema.json"
	default:
		values["File"] = goName(name) + ".go"
		dir := filepath.Join(root, b.dir)
		path = filepath.Join(dir, values["File"])
		if values["Ident"], err = free(dir, b.ident(name)); err != nil {
			return "", nil, err
		}
	}
	data, err = skeleton(b.kind, values)
	return path, data, err
}

func skeleton(name string, values map[string]string) ([]byte, error) {
	t, err := template.ParseFS(skeletons, "skeleton/"+name+".tmpl")
	if err != nil {
		return nil, bug(err)
	}
	var out bytes.Buffer
	err = t.Execute(&out, values)
	return out.Bytes(), bug(err)
}

// repository returns the relative path to the sources of lockstep that contain the current folder.
func repository() (string, error) {
	away := errors.New("this is not in the sources of lockstep: go to the folder whose go.mod says \"module lockstep\"")
	dir, err := os.Getwd()
	if err != nil {
		return "", environment(err)
	}
	for up := "."; ; up = filepath.Join(up, "..") {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && moduleLine.Match(data):
			return up, nil
		case err == nil:
			return "", away
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", away
		}
		dir = parent
	}
}

// alreadyThere is the error for a file that would be overwritten.
func alreadyThere(path, other string) error {
	return fmt.Errorf("%s already exists, and nothing is overwritten: choose another %s, or remove it", path, other)
}

// writeNew writes a file that must not exist.
func writeNew(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return unwritable(err, "")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return alreadyThere(path, "name")
	}
	if err != nil {
		return unwritable(err, "")
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path) // a partial file would block the next try
		return unwritable(err, "")
	}
	return nil
}

// camel turns my-lock into myLock.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// The identifiers of skeletons. Prefix or suffix keeps them apart from Go's predeclared names.

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

// faultTaken also checks the keys that can accompany a verb.
func faultTaken(name string) string {
	if _, ok := faults.Lookup(name); ok {
		return isThere
	}
	keys := faults.Keys()
	for _, spec := range faults.All() {
		for _, p := range spec.Params {
			keys = append(keys, p.Name)
		}
	}
	if slices.Contains(keys, name) {
		return "the key has another meaning together with a verb"
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

// notAlwaysCompiled returns why a name is unsuitable for a Go file, or "".
func notAlwaysCompiled(name string) string {
	elsewhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package x")), nil
	}}
	compiled, err := elsewhere.MatchFile("", goName(name)+".go")
	if last := name[strings.LastIndexByte(name, '-')+1:]; last != name && (last == "test" || err != nil || !compiled) {
		return fmt.Sprintf("Go compiles a file whose name ends in _%s only sometimes", last)
	}
	return ""
}

// free returns an identifier that no Go file of a directory contains: the wanted one, or that with
// a number.
func free(dir, wanted string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", bug(err)
	}
	var all []byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", runstore.Unread(err)
		}
		all = append(all, data...)
	}
	name := wanted
	for n := 2; regexp.MustCompile(`\b` + name + `\b`).Match(all); n++ {
		name = wanted + fmt.Sprint(n)
	}
	return name, nil
}
