package images

import (
	"fmt"
	"strings"
	"testing"

	_ "lockstep/internal/store/etcd"
	_ "lockstep/internal/store/redis"

	"lockstep/internal/must"
)

func TestWhichImageIsChosen(t *testing.T) {
	const local = "lockstep/redis:local"
	for _, tt := range []struct {
		name, user, environment string
		engine                  string // the image that it has
		want                    string
	}{
		{"nothing is said", "", "", "", "redis:7"},
		{"a local one was built", "", "", local, local},
		{"the environment counts more", "", "redis:6", local, "redis:6"},
		{"the user counts most", "valkey:8", "redis:6", local, "valkey:8"},
	} {
		t.Setenv("LOCKSTEP_IMAGE_REDIS", tt.environment)
		image := Of(Redis)
		got := image.Chosen(map[Product]string{Redis: tt.user}, func(name string) bool { return name == tt.engine })
		must.Equalf(t, got, tt.want, "%s", tt.name)
	}
}

func TestParseChoice(t *testing.T) {
	got, err := ParseChoice([]string{"redis=host:5000/redis:7@sha256:0=1", "etcd=e"})
	if err != nil || got[Redis] != "host:5000/redis:7@sha256:0=1" || got["etcd"] != "e" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"redis", "redis=", "=redis:7", "mongo=mongo:7"} {
		if _, err := ParseChoice([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

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
