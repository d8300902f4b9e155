package containers

import (
	"regexp"
	"testing"

	"lockstep/internal/must"
)

// Only a label in the form of a harness can belong to a dead harness, whose containers are removed,
// and only an address of this machine is accepted.
func FuzzLabels(f *testing.F) {
	own := must.Get(ownLabel())(f)
	for _, s := range []string{own, "", "a b c d e", "1 2 3 4 5", own[1:], "00000000-0000-0000-0000-000000000000 pid:[1] 7 8 9", "00000000-0000-0000-0000-000000000000 pid:[1] -7 8 9"} {
		f.Add(s, "127.0.0.1:6401")
	}
	f.Add(own, "evil.example:6379")
	f.Add(own, "[::1]:1")
	f.Add(own, "127.0.0.1:0")
	form := regexp.MustCompile(`^[-0-9a-f]{36} pid:\[[0-9]*\] [0-9]+ [0-9]+ [0-9a-z]+$`)
	local := regexp.MustCompile(`^(127\.[0-9.]+|\[(::ffff:127|0*:|::)[0-9a-fA-F:.]*\]):[0-9]+$`)
	f.Fuzz(func(t *testing.T, label, addr string) {
		if abandoned(label) && (label == own || !form.MatchString(label)) {
			t.Fatalf("%q counts as the label of a dead harness", label)
		}
		if err := checkAddr(addr); err == nil && !local.MatchString(addr) {
			t.Fatalf("%q counts as an address of this machine", addr)
		}
	})
}
