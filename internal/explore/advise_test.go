package explore

import (
	"strings"
	"testing"

	"lockstep/internal/measured"
)

func TestAdvise(t *testing.T) {
	set := func(kinds ...string) measured.CutSet {
		return measured.CutSet{Kinds: kinds, Shown: measured.Shown{Story: strings.Join(kinds, "+")}}
	}
	r := &measured.Explored{Locks: []measured.ExploredLock{
		{Lock: "twice", Complete: 2, Breaks: map[string][]measured.CutSet{"believe": {set("evict"), set("restart", "restart")}}},
		{Lock: "pauses", Complete: 1, Breaks: map[string][]measured.CutSet{"believe": {set("pause-short")}, "damage": {set("lag", "pause")}}},
		{Lock: "never", Complete: 1, Breaks: map[string][]measured.CutSet{"believe": {{Kinds: []string{}}}}},
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
		for _, a := range Advise(r, expected, []Way{Believe, Damage}) {
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
