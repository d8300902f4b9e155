package tidy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

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
