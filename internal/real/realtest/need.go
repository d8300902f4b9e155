// Package realtest helps tests that need real servers.
package realtest

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/programs"
)

// RequireServers is the environment variable that turns a missing server from a
// reason to skip a test into a failure; continuous integration sets it to 1.
const RequireServers = "LOCKSTEP_REQUIRE_SERVERS"

// RequireMore is the one for servers that are built and not installed, and for what is slow;
// `make test-more` sets it to 1.
const RequireMore = "LOCKSTEP_REQUIRE_MORE"

// WithoutServers is the environment variable that leaves the tests with real servers out
// although the servers are there; `make mutants` sets it to 1, for it plays the others a
// hundred times.
const WithoutServers = "LOCKSTEP_WITHOUT_SERVERS"

// SecondTier leaves a slow test to `make test-more`: newcomers wait for `make test`,
// and developers for `go test` of the package that they change.
func SecondTier(t testing.TB) {
	t.Helper()
	if os.Getenv(RequireMore) != "1" {
		t.Skip("make test-more plays it, or " + RequireMore + "=1")
	}
}

// Tiers is how many of something a test plays: few of them in the first tier, all in the second one.
func Tiers(few, all int) int {
	if os.Getenv(RequireMore) == "1" {
		return all
	}
	return few
}

// Need skips the test when a server program is not there, or fails it when the
// environment says that it has to be.
func Need(t testing.TB, program string) {
	t.Helper()
	if os.Getenv(WithoutServers) == "1" {
		t.Skipf("%s=1 leaves it out", WithoutServers)
	}
	built := programs.Lookup(program).Built
	if built {
		SecondTier(t)
	}
	_, err := programs.Find(program)
	if unsupported := osproc.Supported(); unsupported != nil {
		err = unsupported
	}
	if err == nil {
		return
	}
	require := RequireServers
	if built {
		require = RequireMore
	}
	if os.Getenv(require) == "1" {
		t.Fatalf("%v (%s=1 asks for it)", err, require)
	}
	t.Skipf("%v", err)
}

// Interpreter returns the path of a language's interpreter. Without one it skips the test, or fails it where
// servers have to be there, too.
func Interpreter(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv(RequireServers) == "1":
		t.Fatalf("%v: scripts/install-servers installs it (%s=1 asks for it)", err, RequireServers)
	default:
		t.Skipf("NOT PLAYED: %v", err)
	}
	return path
}

// Soak is the environment variable that multiplies the rounds of tests that do something
// at random times.
const Soak = "LOCKSTEP_SOAK"

// Rounds returns how many rounds such a test plays, which is n unless the environment asks for more.
func Rounds(t testing.TB, n int) int {
	t.Helper()
	text := os.Getenv(Soak)
	if text == "" {
		return n
	}
	factor, err := strconv.Atoi(text)
	if err != nil || factor < 1 {
		t.Fatalf("%s=%q is no number of times", Soak, text)
	}
	return n * factor
}
