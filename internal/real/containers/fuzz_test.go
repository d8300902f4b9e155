package containers

import (
	"regexp"
	"testing"
)

// Whatever a container has in its labels: only what is written as a harness writes it may
// belong to a dead one, and be removed; and only this machine is talked to.
func FuzzLabels(f *testing.F) {
	own, err := ownLabel()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{own, "", "a b c d e", "1 2 3 4 5", own[1:], "00000000-0000-0000-0000-000000000000 pid:[1] 7 8 9", "00000000-0000-0000-0000-000000000000 pid:[1] -7 8 9"} {
		f.Add(s, "127.0.0.1:6401")
	}
	f.Add(own, "evil.example:6379")
	f.Add(own, "[::1]:1")
	f.Add(own, "127.0.0.1:0")
	form := regexp.MustCompile(`^[-0-9a-f]{36} pid:\[[0-9]*\] [0-9]+ [0-9]+ [0-9a-z]+$`)
	local := regexp.MustCompile(`^(127\.[0-9.]+|\[(::ffff:127|0*:|::)[0-9a-fA-F:.]*\]):[0-9]+$`)
	f.Fuzz(func(t *testing.T, label, addr string) {
		if label == own || abandoned(label) && !form.MatchString(label) {
			if abandoned(label) {
				t.Fatalf("%q is taken for a dead harness", label)
			}
		}
		if err := checkAddr(addr); err == nil && !local.MatchString(addr) {
			t.Fatalf("%q is taken for this machine", addr)
		}
	})
}
