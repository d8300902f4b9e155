package explore

import (
	"strings"
	"testing"
)

func TestAdvise(t *testing.T) {
	set := func(kinds ...string) Set { return Set{Kinds: kinds, Story: strings.Join(kinds, "+")} }
	r := &Result{Locks: []LockResult{
		{Lock: "twice", Complete: 2, Breaks: Breaks{Believe: []Set{set("evict"), set("restart", "restart")}}},
		{Lock: "pauses", Complete: 1, Breaks: Breaks{Believe: []Set{set("pause-short")}, Damage: []Set{set("lag", "pause")}}},
		{Lock: "never", Complete: 1, Breaks: Breaks{Believe: []Set{{Kinds: []string{}}}}},
		{Lock: "unknown"},
	}}
	for _, tt := range []struct {
		expected []string
		want     string
	}{
		{nil, "twice:; pauses:; never: believe"},
		{[]string{"pause"}, "twice:; pauses: believe; never: believe"},
		{[]string{"pause-short", "lag"}, "twice:; pauses: believe; never: believe"},
		{[]string{"restart"}, "pauses:; twice: believe restart+restart; never: believe"},
		{[]string{"pause", "lag"}, "twice:; pauses: believe damage; never: believe"},
	} {
		expected, err := Expected(tt.expected)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range r.Advise(expected, []Way{Believe, Damage}) {
			text := a.Lock + ":"
			for _, way := range Ways() {
				if s := a.Breaks[way.String()]; s != nil {
					text += " " + way.String()
					if len(s.Kinds) == 2 && s.Kinds[0] == s.Kinds[1] {
						text += " " + s.Story
					}
				}
			}
			if a.Safe([]Way{Believe, Damage}) != strings.HasSuffix(text, ":") {
				t.Errorf("%v: safe: %v", a, a.Safe([]Way{Believe, Damage}))
			}
			got = append(got, text)
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%v: %s, want %s", tt.expected, all, tt.want)
		}
	}
	if _, err := Expected([]string{"failover"}); err == nil || !strings.Contains(err.Error(), "fail-over") {
		t.Errorf("%v", err)
	}
}
