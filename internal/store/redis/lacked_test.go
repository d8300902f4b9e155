//go:build linux

package redis_test

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/store/redis"
)

// Scripts get the answer of a missing command for those commands only that a real server does not have, either.
func TestScriptsMissTheCommandsThatAServerHasNot(t *testing.T) {
	real, _ := startServer(t, "")
	var theirs []string
	for _, name := range real.do(redis.Command("COMMAND", "LIST")).Elements() {
		if !strings.Contains(name.Str, "|") {
			theirs = append(theirs, name.Str)
		}
	}
	slices.Sort(theirs)
	ours := slices.Sorted(slices.Values(redis.KnownCommands()))
	if len(theirs) < 200 || !slices.Equal(theirs, ours) {
		t.Errorf("the model knows the commands\n%v\na server has\n%v", ours, theirs)
	}
}
