package tidy

import (
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// goTest is one call of go test: of which packages, and which tests of them.
type goTest struct {
	line     string
	packages []string
	tests    []string // expressions; none: all tests
}

var runFlag = regexp.MustCompile(`-run ('[^']*'|\S+)`)

// moreVariable is what calls of the second tier begin with.
var moreVariable = regexp.MustCompile(`(?m)^MORE := (.*)$`)

// choosing parses a call of go test; false for one that chooses no tests. Subtests, behind a slash,
// are known only to a run.
func choosing(line string) (one goTest, ok bool) {
	chosen := runFlag.FindStringSubmatch(line)
	if chosen == nil {
		return one, false
	}
	one.line = line
	for word := range strings.FieldsSeq(line) {
		if dir, ok := strings.CutPrefix(word, "./"); ok {
			one.packages = append(one.packages, strings.TrimSuffix(dir, "/"))
		}
	}
	for _, name := range strings.Split(strings.Trim(chosen[1], "'"), "|") {
		name, _, _ = strings.Cut(name, "/")
		one.tests = append(one.tests, name)
	}
	return one, true
}

var killers = regexp.MustCompile(`(?m)^  killed by: \[(.*)\]$`)

// seededBugs are the calls that have to notice the seeded bugs.
func seededBugs(t *testing.T) (all []goTest) {
	for _, file := range must.Get(filepath.Glob(filepath.Join(root, "internal/tidy/mutants/list/*.yaml")))(t) {
		list := must.Get(os.ReadFile(file))(t)
		for _, by := range killers.FindAllStringSubmatch(string(list), -1) {
			for _, call := range strings.Split(by[1], ", ") {
				if one, ok := choosing(call); ok {
					all = append(all, one)
				}
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d seeded bugs with chosen tests found: this test looks at the wrong place", len(all))
	}
	return all
}

// goTests reads the Makefile's calls of go test that choose tests.
func goTests(t *testing.T) (all []goTest) {
	makefile := must.Get(os.ReadFile(filepath.Join(root, "Makefile")))(t)
	text := strings.ReplaceAll(string(makefile), "\\\n", "")
	if more := moreVariable.FindStringSubmatch(text); more != nil {
		text = strings.ReplaceAll(text, "$(MORE)", more[1])
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "$$", "$"))
		if !strings.Contains(line, "$(GO) test") && !strings.Contains(line, "scripts/test-live") {
			continue
		}
		if one, ok := choosing(line); ok {
			all = append(all, one)
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d calls of go test with -run found in the Makefile: this test looks at the wrong place", len(all))
	}
	return all
}

// plays reports whether the call chooses a test.
func (g *goTest) plays(dir, test string) bool {
	return slices.ContainsFunc(g.packages, func(p string) bool {
		below, all := strings.CutSuffix(p, "/...")
		return p == dir || all && (dir == below || strings.HasPrefix(dir, below+"/"))
	}) && slices.ContainsFunc(g.tests, func(name string) bool {
		return regexp.MustCompile(name).MatchString(test)
	})
}

// testsOf returns the names of the test functions of each folder.
func testsOf(all []source) map[string][]string {
	out := map[string][]string{}
	for i := range all {
		for _, d := range all[i].file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && all[i].test && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				out[all[i].dir] = append(out[all[i].dir], f.Name.Name)
			}
		}
	}
	return out
}

// go test is content with a -run that no test matches any more. So each name by which the Makefile
// or the list of seeded bugs chooses tests has to be that of one.
func TestTheTestsThatAreChosenAreThere(t *testing.T) {
	tests := testsOf(sources(t))
	for _, call := range slices.Concat(goTests(t), seededBugs(t)) {
		for _, name := range call.tests {
			if name == "^$" { // none, for benchmarks
				continue
			}
			only := goTest{packages: call.packages, tests: []string{name}}
			found := false
			for dir, names := range tests {
				found = found || slices.ContainsFunc(names, func(test string) bool { return only.plays(dir, test) })
			}
			if !found {
				t.Errorf("no test is called %s in %v: it plays nothing, and looks green\n%s", name, call.packages, call.line)
			}
		}
	}
}

// A test that leaves itself to the second tier is skipped everywhere else. So some line of the
// Makefile that asks for that tier has to choose it.
func TestTheSecondTierIsPlayed(t *testing.T) {
	all := sources(t)
	asking := slices.DeleteFunc(goTests(t), func(g goTest) bool { return !strings.Contains(g.line, "LOCKSTEP_REQUIRE_MORE=1") })
	left := 0
	for dir, names := range testsOf(all) {
		second := secondTier(all, dir)
		for _, name := range names {
			if !second[name] {
				continue
			}
			left++
			if !slices.ContainsFunc(asking, func(g goTest) bool { return g.plays(dir, name) }) {
				t.Errorf("%s: %s waits for make test-more, and no line of the Makefile plays it there", dir, name)
			}
		}
	}
	if left < 8 {
		t.Errorf("only %d tests of the second tier found: this test looks at the wrong place", left)
	}
}

// secondTier returns the functions of a folder's tests that ask, themselves or by a function that
// they name, whether the second tier is played.
func secondTier(all []source, dir string) map[string]bool {
	uses := map[string][]string{} // by a function, all that it names
	for i := range all {
		if all[i].dir != dir || !all[i].test {
			continue
		}
		for _, d := range all[i].file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					uses[f.Name.Name] = append(uses[f.Name.Name], n.Name)
				case *ast.CallExpr: // a server that is built is of the second tier
					if selects(n.Fun, "Need") && len(n.Args) == 2 {
						if what, ok := n.Args[1].(*ast.BasicLit); ok && what.Value == `"consul"` {
							uses[f.Name.Name] = append(uses[f.Name.Name], "SecondTier")
						}
					}
				}
				return true
			})
		}
	}
	second := map[string]bool{"SecondTier": true, "Tiers": true}
	for before := 0; before < len(second); {
		before = len(second)
		for _, f := range slices.Sorted(maps.Keys(uses)) {
			if slices.ContainsFunc(uses[f], func(used string) bool { return second[used] }) {
				second[f] = true
			}
		}
	}
	return second
}

// The script that installs the servers waits for the process that has a lock of the package
// manager, for each of its commands, and names it. Here apt-get is a script that reports
// a lock once before each command succeeds; lists are wanted since the first try lacks them.
func TestInstallServersWaitsForLocks(t *testing.T) {
	bash := must.Get(exec.LookPath("bash"))(t)
	bin := t.TempDir()
	for name, text := range map[string]string{
		"id":    "echo 0",
		"sleep": ":",
		"apt-get": `echo "$1" >>"$CALLS"
case "$1 $(grep -c "^$1$" "$CALLS")" in
"install 1") echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 77 (apt)"; exit 100;;
"install 2") echo "E: Unable to locate package redis-server"; exit 100;;
"update 1") echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 78 (unattended-upgr)"; exit 100;;
esac`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(bin, name), []byte("#!"+bash+"\n"+text+"\n"), 0o755))
	}
	for _, name := range []string{"grep", "mktemp", "rm", "chmod", "tail"} { // none of the servers is in its path
		path := must.Get(exec.LookPath(name))(t)
		must.Do(t, os.Symlink(path, filepath.Join(bin, name)))
	}
	calls := filepath.Join(bin, "calls")
	cmd := exec.Command(bash, "../../scripts/install-servers")
	cmd.Env = []string{"PATH=" + bin, "CALLS=" + calls, "POLICY=" + filepath.Join(bin, "policy"), "TMPDIR=" + bin}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, want := range []string{"/var/lib/dpkg/lock-frontend. It is held by process 77 (apt)", "/var/lib/apt/lists/lock. It is held by process 78"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if got, _ := os.ReadFile(calls); string(got) != "install\ninstall\nupdate\nupdate\ninstall\n" {
		t.Errorf("it called apt-get with:\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(bin, "policy")); err == nil {
		t.Error("the policy is left behind")
	}
}
