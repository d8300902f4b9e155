package images

import (
	"fmt"
	"strings"
	"testing"
)

// A choice on the command line is refused and quoted, or it is the image that is started,
// unchanged; without one, the environment's is.
func FuzzChoice(f *testing.F) {
	f.Add("redis=redis:7", "valkey:8")
	f.Add("redis=", "")
	f.Add("=x", " ")
	f.Add("nothing=x", "x\ny")
	f.Add("etcd=a=b@sha256:0", "-x")
	f.Fuzz(func(t *testing.T, choice, environment string) {
		if strings.ContainsRune(environment, 0) {
			return // no environment can hold it
		}
		t.Setenv("LOCKSTEP_IMAGE_REDIS", environment)
		chosen, err := ParseChoice([]string{choice})
		if err != nil && (!strings.Contains(err.Error(), fmt.Sprintf("%q", choice)) || chosen != nil) {
			t.Fatalf("%q: %v, %v", choice, chosen, err)
		}
		if err == nil && len(chosen) != 1 {
			t.Fatalf("%q: %v", choice, chosen)
		}
		for product, name := range chosen {
			if string(product)+"="+name != choice {
				t.Fatalf("%q became %s=%s", choice, product, name)
			}
			image := Of(product)
			if got := image.Chosen(chosen, func(string) bool { return true }); got != name {
				t.Fatalf("%q: %s is started", choice, got)
			}
		}
		image := Of(Redis)
		want := environment
		if want == "" {
			want = image.Public
		}
		if got := image.Chosen(nil, func(string) bool { return false }); got != want {
			t.Fatalf("with %q in the environment %q is started", environment, got)
		}
	})
}
