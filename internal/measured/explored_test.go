package measured

import (
	"strings"
	"testing"
)

// Hung work is no way in which a lock is stuck, in results of before it was told apart, too; read
// again they stay as they are.
func TestHungWorkIsToldApart(t *testing.T) {
	const old = `{"schema":1,"scope":{"worlds":[],"clients":2,"rounds":1,"faults":2,"kinds":[],"classes":[]},"locks":[
{"lock":"a","scope":[],"walked":3,"complete":2,"doubts":[],"breaks":{"believe":[],"damage":[],"robbed":[],
 "stuck":[{"kinds":["hung"],"world":"plain","story":"h"},{"kinds":["crash"],"world":"plain","story":"c"},{"kinds":["hung","pause"],"world":"plain","story":"hp"}]},
 "singles":[{"kind":"hung","during":"hold","breaks":{"stuck":{"world":"plain","story":"h"}}},{"kind":"crash","breaks":{"stuck":{"world":"plain","story":"c"}}}]},
{"lock":"b","scope":[],"walked":0,"complete":0,"doubts":[],"breaks":{"believe":null,"damage":null,"robbed":null,"stuck":null},"singles":[]}]}`
	text := old
	for range 2 {
		x, err := ReadExplored([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		l := &x.Locks[0]
		if s, h := l.Breaks["stuck"], l.Breaks[Hung]; len(s) != 1 || s[0].Story != "c" || len(h) != 2 || h[1].Story != "hp" {
			t.Errorf("stuck %v, hung %v", s, h)
		}
		if one := l.Singles[0].Breaks; one["stuck"] != nil || one[Hung] == nil || l.Singles[1].Breaks["stuck"] == nil {
			t.Errorf("single faults: %v, %v", one, l.Singles[1].Breaks)
		}
		if b := x.Locks[1].Breaks; b["stuck"] != nil || b[Hung] != nil {
			t.Errorf("what was not walked: %v", b)
		}
		var stories []string
		x.EachStory(func(s *Shown) { stories = append(stories, s.Story) })
		if len(stories) != 5 {
			t.Errorf("stories %q", stories)
		}
		data, err := x.JSON("")
		if err != nil {
			t.Fatal(err)
		}
		if text = string(data); !strings.Contains(text, "\n \"hung\":[\n  {\"kinds\":[\"hung\"]") || !strings.Contains(text, "\n \"hung\":null}") {
			t.Errorf("%s", text)
		}
	}
}
