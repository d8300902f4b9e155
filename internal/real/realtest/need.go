// Package realtest helps tests that need real servers.
package realtest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"lockstep/internal/real/programs"
	"lockstep/internal/store"
)

// RequireServers is the environment variable that makes tests without their server fail
// instead of being skipped; continuous integration sets it to 1.
const RequireServers = "LOCKSTEP_REQUIRE_SERVERS"

// RequireMore is the same for servers that have to be built, and it enables slow tests;
// `make test-more` sets it to 1.
const RequireMore = "LOCKSTEP_REQUIRE_MORE"

// WithoutServers is the environment variable that skips tests with real servers even if
// the servers are installed; `make mutants`, which runs all other tests many times, sets it
// to 1.
const WithoutServers = "LOCKSTEP_WITHOUT_SERVERS"

// SecondTier skips a slow test outside of `make test-more`.
func SecondTier(t testing.TB) {
	t.Helper()
	if os.Getenv(RequireMore) != "1" {
		t.Skip("make test-more plays it, or " + RequireMore + "=1")
	}
}

// Tiers returns few in the first tier of tests, and all in the second one and in a soak.
func Tiers(few, all int) int {
	if os.Getenv(RequireMore) == "1" || os.Getenv(Soak) != "" {
		return all
	}
	return few
}

// Need skips the test without a server program, or fails it if the environment requires
// the program.
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
	if runtime.GOOS != "linux" {
		err = errors.New("real servers need Linux")
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

// NeedServers is Need for all programs of the servers of a store.
func NeedServers(t testing.TB, id store.ID) {
	t.Helper()
	for _, p := range store.Of(id).Programs {
		Need(t, p.Name)
	}
}

// Interpreter returns the path of a language's interpreter. Without it, the test is skipped, or
// fails if the environment requires servers.
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

// Soak is the environment variable with a factor for the rounds of tests with random times.
const Soak = "LOCKSTEP_SOAK"

// Rounds returns the number of rounds of such a test: n, multiplied by Soak if it is set.
func Rounds(t testing.TB, n int) int {
	t.Helper()
	text := os.Getenv(Soak)
	if text == "" {
		return n
	}
	factor, err := strconv.Atoi(text)
	if err != nil || factor < 1 {
		t.Fatalf("%s=%q is not a positive number", Soak, text)
	}
	return n * factor
}
