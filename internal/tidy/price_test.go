package tidy

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// The price of an addition: each test makes one as CONTRIBUTING.md says, in a copy of the sources,
// and counts the files. First it leaves out a half, and the failure has to name that half in a
// sentence, without a panic or another failing test.

// addition is some new files and changes of others.
type addition struct {
	files   map[string]string    // by path
	changes map[string][2]string // a text that occurs once, and the one in its place
}

// price is how many files one touches.
func (a *addition) price() int { return len(a.files) + len(a.changes) }

// without is the addition without some of its files.
func (a *addition) without(paths ...string) *addition {
	out := &addition{maps.Clone(a.files), maps.Clone(a.changes)}
	for _, path := range paths {
		delete(out.files, path)
		delete(out.changes, path)
	}
	return out
}

// texts are the files as they are with the addition.
func (a *addition) texts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	maps.Copy(out, a.files)
	for path, change := range a.changes {
		text := must.Get(os.ReadFile(filepath.Join(root, path)))(t)
		if n := strings.Count(string(text), change[0]); n != 1 {
			t.Fatalf("%s has %q %d times, want once", path, change[0], n)
		}
		out[path] = strings.Replace(string(text), change[0], change[1], 1)
	}
	return out
}

// copied makes a copy of the sources with an addition. Paths do not matter to the compiler
// (-trimpath), so what was compiled for an earlier copy is used.
func (a *addition) copied(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, part := range []string{"internal", "scenarios"} {
		must.Do(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
		write(t, filepath.Join(dir, name), string(text))
	}
	for path, text := range a.texts(t) {
		write(t, filepath.Join(dir, path), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// overlaid is the argument with which the go command compiles the addition into these sources, for
// the live world, whose libraries are compiled for them already.
func (a *addition) overlaid(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	for path, text := range a.texts(t) {
		from := must.Get(filepath.Abs(filepath.Join(root, path)))(t)
		replaced[from] = filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		write(t, replaced[from], text)
	}
	text := must.Get(json.Marshal(map[string]map[string]string{"Replace": replaced}))(t)
	file := filepath.Join(dir, "overlay.json")
	write(t, file, string(text))
	return "-overlay=" + file
}

// expect runs the go command and demands that it fails with some sentences, or for none that it
// succeeds, which a run of no test is not.
func expect(t *testing.T, dir string, args []string, sentences ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RAPID_NOFAILFILE=1")
	out, err := cmd.CombinedOutput()
	said := string(out)
	if (err != nil) != (len(sentences) > 0) || strings.Contains(said, "panic:") || strings.Contains(said, "no tests to run") {
		t.Errorf("go %s: %v, want that it says %q\n%s", strings.Join(args, " "), err, sentences, said)
		return
	}
	for _, s := range sentences {
		if !strings.Contains(said, s) {
			t.Errorf("go %s does not say %q\n%s", strings.Join(args, " "), s, said)
		}
	}
}

// tests are the arguments that run some tests of a package in a copy.
func tests(pkg, names string) []string {
	return []string{"test", "-trimpath", "-short", "-vet=off", "-run", names, "./internal/" + pkg}
}

// compiles skips a test that compiles half of the sources where that is too long.
func compiles(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles copies of the sources")
	}
	realtest.SecondTier(t)
	t.Parallel()
}

// catalogue has the Chinese of what code says.
const catalogue = "internal/say/zh.po"

// A lock that sends a command of Redis 8.4: its file, its page in Chinese, what goes over the wire,
// a scenario.
func TestThePriceOfALock(t *testing.T) {
	compiles(t)
	const lock, chinese, wire, story = "internal/locks/melting.go", "internal/locks/zh/melting.md", "internal/locks/testdata/wire/melting.txt", "scenarios/lessons/melting.yaml"
	a := &addition{files: map[string]string{lock: meltingLock, chinese: meltingChinese, wire: meltingWire, story: strings.ReplaceAll(meltingStory, "FAULT", "pause: A\n    for: 15s")}}
	if n := a.price(); n != 4 {
		t.Errorf("a lock touches %d files, want 4: the lock, its page in Chinese, its wire file and a scenario", n)
	}
	complete := a.copied(t)
	sends := tests("run", "TestLocksSendWhatTheirDocumentsSay/^melting$")
	noticed := tests("tidy", "TestEveryLockIs|TestEverythingRegistered")
	expect(t, complete, sends)
	expect(t, complete, noticed)

	half := a.without(chinese, wire, story).copied(t)
	expect(t, half, sends, "no file says what has to go over the wire")
	expect(t, half, noticed, "internal/locks/zh/melting.md: the heading", "no scenario plays the lock melting", "no scenario shows how melting breaks")
	write(t, filepath.Join(complete, lock), strings.Replace(meltingLock, "Redis84: true", "", 1))
	expect(t, complete, sends, "its server does not know a command of its", "unknown command 'DELEX'")

	live := a.without(wire, story)
	live.files["internal/real/melting_test.go"] = meltingRefused
	expect(t, root, []string{"test", live.overlaid(t), "-vet=off", "-run", "^TestMeltingIsRefused$", "./internal/real"})
}

// A verb with a method of the port: its file, the method in the port and in both worlds, a case for
// both, a scenario.
func TestThePriceOfAVerb(t *testing.T) {
	compiles(t)
	const port, simulated, live = "internal/faults/fault.go", "internal/sim/inject.go", "internal/real/inject.go"
	const cases, story = "internal/faults/conformance/processes_test.go", "scenarios/lessons/melting.yaml"
	a := &addition{
		files: map[string]string{
			"internal/faults/melt.go": meltVerb,
			story:                     strings.ReplaceAll(strings.ReplaceAll(meltingStory, "FAULT", "melt: A\n    for: 15s"), "[melting]", "[set-nx-lua]"),
		},
		changes: map[string][2]string{
			port:      {"\tLag(fault int, by time.Duration)\n", "\tLag(fault int, by time.Duration)\n\t// Melt stops a process that Thaw lets run again.\n\tMelt(fault int, node string)\n"},
			simulated: {"func (in injector) Thaw(", "func (in injector) Melt(fault int, node string) { in.Freeze(fault, node) }\n\nfunc (in injector) Thaw("},
			live:      {"func (in injector) Thaw(", "func (in injector) Melt(fault int, node string) { in.Freeze(fault, node) }\n\nfunc (in injector) Thaw("},
			cases:     {"var processes = []Case{\n", meltCase},
			catalogue: translated(meltVerbChinese),
		},
	}
	if n := a.price(); n != 7 {
		t.Errorf("a verb touches %d files, want 7: the verb, its Chinese, the port, a method of each world, its case and a scenario", n)
	}
	demanded := tests("faults/conformance", "TestEveryVerb|TestTheSimulator|TestACase")
	noticed := tests("tidy", "TestEverythingRegistered")
	complete := a.copied(t)
	expect(t, complete, demanded)
	expect(t, complete, noticed)
	expect(t, complete, tests("faults", "."))

	half := a.without(cases, story).copied(t)
	expect(t, half, demanded, "the verb melt has no case", "no verb with a case calls the method Melt of the port")
	expect(t, half, noticed, "no scenario uses the fault melt")
	for world, file := range map[string]string{"sim": simulated, "real": live} {
		expect(t, root, []string{"build", a.without(file).overlaid(t), "./internal/" + world}, "missing method Melt")
	}
	expect(t, root, []string{"build", a.overlaid(t), "./internal/real"})
}

// A property: its file, the file of its tests, a scenario that asks for it. No other run judges it.
func TestThePriceOfAProperty(t *testing.T) {
	compiles(t)
	const tried, story = "internal/checker/nobody_melts_test.go", "scenarios/lessons/melting.yaml"
	a := &addition{files: map[string]string{
		"internal/checker/nobody_melts.go": meltProperty,
		tried:                              meltTried,
		story: strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(meltingStory, "FAULT", "pause: A\n    for: 15s"),
			"[melting]", "[set-nx-lua]"), "mutual-exclusion: broken", "nobody-melts: kept"),
	}, changes: map[string][2]string{catalogue: translated(meltPropertyChinese)}}
	if n := a.price(); n != 4 {
		t.Errorf("a property touches %d files, want 4: the property, its Chinese, its tests and a scenario", n)
	}
	checked := tests("checker", "TestEveryPropertyIsTried|TestTables|TestFindingsAreComplete|TestCheckersAgree")
	noticed := tests("tidy", "TestEverythingRegistered")
	complete := a.copied(t)
	write(t, filepath.Join(complete, "internal/run/melting_test.go"), meltAsked)
	expect(t, complete, checked)
	expect(t, complete, noticed)
	expect(t, complete, tests("run", "^TestWhoAsksForMelting$"))

	half := a.without(tried, story).copied(t)
	expect(t, half, checked, "the property nobody-melts has no oracle", "the property nobody-melts has no table", "internal/checker/nobody_melts_test.go")
	expect(t, half, noticed, "no scenario expects anything of the property nobody-melts")
}
