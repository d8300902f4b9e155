package redis

import (
	"slices"
	"testing"
)

// TestKeySlot has the check value of the Redis Cluster specification, its examples of
// hash tags, and slots of a real server.
func TestKeySlot(t *testing.T) {
	for key, want := range map[string]int{
		"123456789": 0x31C3, "": 0, "lock": 8718, "foo": 12182,
	} {
		if got := KeySlot(key); got != want {
			t.Errorf("slot of %q: %d, want %d", key, got, want)
		}
	}
	for key, same := range map[string]string{
		"{user1000}.following": "user1000", "{user1000}.followers": "user1000",
		"foo{{bar}}zap": "{bar", "foo{bar}{zap}": "bar",
	} {
		if KeySlot(key) != KeySlot(same) {
			t.Errorf("%q and %q have different slots", key, same)
		}
	}
	if KeySlot("foo{}{bar}") == KeySlot("bar") || KeySlot("foo{}{bar}") == KeySlot("") {
		t.Error("an empty hash tag counts")
	}
}

func TestKeysOf(t *testing.T) {
	script := &Script{Name: "s", Source: "return 1"}
	for _, c := range []struct {
		cmd  Cmd
		want []string
	}{
		{Set("k", "v").NX(), []string{"k"}},
		{Command("DEL", "a", "b"), []string{"a", "b"}},
		{EvalKeys(script, "a", "b").Text("c"), []string{"a", "b"}},
		{EvalKeys(script), nil},
		{Command("PING"), nil},
		{Wait(1, 0), nil},
	} {
		if got := KeysOf(&c.cmd); !slices.Equal(got, c.want) {
			t.Errorf("%s: keys %q, want %q", &c.cmd, got, c.want)
		}
	}
}
