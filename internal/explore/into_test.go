package explore

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/locks"
	"lockstep/internal/measured"
)

// several are the options of a walk of some locks, few kinds and one world.
func several(t *testing.T, faults int, ids ...string) Options {
	t.Helper()
	o := options(t, ids[0], faults, "evict", "lost-reply", "hung")
	o.In = []string{plainBase}
	o.Locks = nil
	for _, id := range ids {
		o.Locks = append(o.Locks, variant(t, id))
	}
	return o
}

func resultOf(t *testing.T, o Options) (*measured.Explored, []Story) {
	t.Helper()
	r, stories, err := walked(t, o).Result(&o)
	if err != nil {
		t.Fatal(err)
	}
	return r, stories
}

// asText is a result with its stories.
func asText(t *testing.T, r *measured.Explored, stories []Story) string {
	t.Helper()
	data, err := r.JSON("")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		data = append(data, s.Name+"\n"+s.YAML...)
	}
	return string(data)
}

// Locks that are walked one after the other, each into what was stored before, come to the bytes
// of one walk, whatever the order; and so does one that is walked again.
func TestIntoIsAsIfWalkedAtOnce(t *testing.T) {
	// Two of them share all of their stories, two of other stores one.
	ids := []string{"consul-session", "etcd-txn", "lua-setex", "mysql-unique", "set-nx-lua", "setnx"}
	want, told := resultOf(t, several(t, 1, ids...))
	if !slices.ContainsFunc(told, func(s Story) bool { return strings.Contains(s.YAML, "locks: [lua-setex, set-nx-lua") }) {
		t.Fatal("no story is shared: this tests less than it says")
	}
	for _, order := range [][]string{{"lua-setex", "set-nx-lua", "setnx", "consul-session", "mysql-unique", "etcd-txn"}, {"etcd-txn", "setnx", "mysql-unique", "set-nx-lua", "consul-session", "lua-setex", "set-nx-lua"}} {
		r, stories := resultOf(t, several(t, 1, order[0]))
		for _, id := range order[1:] {
			Below(r, "some/where")
			o := several(t, 1, id)
			var err error
			if r, stories, err = walked(t, o).Into(&o, r, stories); err != nil {
				t.Fatal(err)
			}
		}
		if got := asText(t, r, stories); got != asText(t, want, told) {
			t.Errorf("in the order %v:\n%s\nwant\n%s", order, got, asText(t, want, told))
		}
	}
}

// What is walked anew takes the place of what was known, and stories that nobody tells go.
func TestIntoForgetsWhatWasKnown(t *testing.T) {
	r, stories := resultOf(t, several(t, 1, "lua-setex", "set-nx-lua"))
	wrong := `set: robbed by nothing`
	at := indexOf(r, "set-nx-lua")
	r.Locks[at].Doubts = []string{wrong}
	only := several(t, 1, "set-nx-lua")
	again, told, err := walked(t, only).Into(&only, r, stories)
	if err != nil {
		t.Fatal(err)
	}
	if text := asText(t, again, told); strings.Contains(text, wrong) || len(again.Locks) != 2 {
		t.Errorf("%s", text)
	}
}

func TestIntoRefuses(t *testing.T) {
	pairs := several(t, 2, "setnx-expire")
	pairs.Only = []string{"evict"}
	deep, stories := resultOf(t, pairs)
	shallow := pairs
	shallow.Faults = 1
	half := pairs
	half.Locks = []locks.Variant{variant(t, "setnx")}
	other := half
	other.Rounds = 2
	for _, tt := range []struct {
		name    string
		o       Options
		walk    bool
		stories []Story
		want    string
	}{
		{"loses pairs", shallow, true, stories, "walk with --faults 2"},
		{"another scope", other, true, stories, "another scope"},
		{"not walked", half, false, stories, "not walked to its end"},
		{"no stories", half, true, nil, "which is no story of it"},
		{"edited by hand", half, true, []Story{{stories[0].Name, strings.Replace(stories[0].YAML, "seed: 1", "seed: 2", 1)}}, "no story as simulate explore writes it"},
	} {
		s := NewState(&tt.o)
		if tt.walk {
			s = walked(t, tt.o)
		}
		_, _, err := s.Into(&tt.o, deep, slices.Clone(tt.stories))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
