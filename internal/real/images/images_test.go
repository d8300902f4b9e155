package images

import (
	"testing"

	_ "lockstep/internal/store/etcd"
	_ "lockstep/internal/store/redis"
)

func TestWhichImageIsChosen(t *testing.T) {
	const local = "lockstep/redis:local"
	tests := []struct {
		name, user, environment string
		engine                  string // the image that it has
		want                    string
	}{
		{"nothing is said", "", "", "", "redis:7"},
		{"a local one was built", "", "", local, local},
		{"the environment counts more", "", "redis:6", local, "redis:6"},
		{"the user counts most", "valkey:8", "redis:6", local, "valkey:8"},
	}
	for _, tt := range tests {
		t.Setenv("LOCKSTEP_IMAGE_REDIS", tt.environment)
		image := Of(Redis)
		got := image.Chosen(map[Product]string{Redis: tt.user}, func(name string) bool { return name == tt.engine })
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
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
