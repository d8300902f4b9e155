package docs_test

import (
	"os"
	"strings"
	"testing"

	"lockstep/internal/docs"
	"lockstep/internal/measured"
)

// The first table of the README is what was walked.
func TestTheTableOfTheReadme(t *testing.T) {
	data, err := os.ReadFile("../../docs/explore.json")
	if err != nil {
		t.Fatal(err)
	}
	x, err := measured.ReadExplored(data)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := docs.Glance(x, "set-nx-lua", "watchdog-lua", "redisson", "redlock", "self-fence", "etcd-txn", "zk-sequential", "consul-session")
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not have this table:\n%s", want)
	}
}
