package locks

import (
	"strings"
	"testing"
	"time"
)

func TestNewProgram(t *testing.T) {
	v, err := NewProgram("", []string{"python3", "my lock.py"}, "")
	if err != nil || v.ID != ProgramName || v.Store != StoreRedis || v.LeaseUnit != time.Millisecond {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := v.CheckSimulated(); err == nil || !strings.Contains(err.Error(), "add --backend process") {
		t.Errorf("the simulator plays it: %v", err)
	}
	if err := v.CheckCluster(); err == nil || !strings.Contains(err.Error(), "a program") {
		t.Errorf("it plays on a cluster: %v", err)
	}
	session, err := NewProgram("ours", []string{"x"}, StoreZooKeeper)
	if err != nil || session.LeaseUnit != 0 || session.CheckLease(time.Nanosecond) != nil {
		t.Errorf("a session has a lease: %+v, %v", session, err)
	}
	for want, bad := range map[string]struct {
		name    string
		command []string
		store   Store
	}{
		"cannot be the name": {"My lock", []string{"x"}, ""},
		"a lock of lockstep": {"setnx", []string{"x"}, ""},
		"has no program":     {"", nil, ""},
		"words":              {"", strings.Fields(strings.Repeat("x ", 65)), ""},
		"cannot keep":        {"", []string{"x"}, StoreMySQL},
		`"postgres", where it would need an account or a bucket`: {"", []string{"x"}, "postgres"},
		"no plain text":    {"", []string{"x", "\x1b[2J"}, ""},
		`such as ""`:       {"", []string{"x", ""}, ""},
		"longer than 4096": {"", []string{"x", strings.Repeat("y", 5000)}, ""},
	} {
		if v, err := NewProgram(bad.name, bad.command, bad.store); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want %q", v, err, want)
		}
	}
}
