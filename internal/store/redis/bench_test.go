package redis

import (
	"testing"
	"time"
)

// Run with: go test -run '^$' -bench . ./internal/store/redis

// BenchmarkExec executes the same commands of client 1 again and again, a millisecond apart. Client
// 2 owns the key "held".
func BenchmarkExec(b *testing.B) {
	unlock := &lockScripts[0].Script
	guarded := &Script{Name: "unlock", Source: `local t = {} t.x = 1 ` + unlock.Source}
	busy := &Script{Name: "loop", Source: `local n = 0 for i = 1, 1000 do n = n + i end return n`}
	take := Set("lock", "token").NX().PX(10 * time.Second)
	for _, bb := range []struct {
		name string
		cmds []Cmd
	}{
		{"get", []Cmd{Get("held")}},
		{"set of a held key", []Cmd{Set("held", "token").NX().PX(10 * time.Second)}},
		{"set and del", []Cmd{take, Del("lock")}},
		{"two increments", []Cmd{Command("HINCRBY", "h", "f").Num(1), Command("HINCRBY", "h", "f").Num(-1)}},
		{"unlock by another client", []Cmd{Eval(unlock, "held").Text("other")}},
		{"set and unlock", []Cmd{take, Eval(unlock, "lock").Text("token")}},
		{"lock and unlock of Redisson", []Cmd{
			Eval(&lockScripts[3].Script, "h").Text("9").Text("client:1"), Eval(&lockScripts[4].Script, "h").Text("client:1").Text("9"),
		}},
		{"script with guarded globals", []Cmd{Eval(guarded, "lock").Text("token")}},
		{"script with a loop", []Cmd{Eval(busy, "lock")}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := New()
			do(s, 0, 2, Set("held", "token"))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for k := range bb.cmds {
					s.Exec(int64(i), 1, &bb.cmds[k])
				}
			}
		})
	}
}

func BenchmarkSetAndNextExpiry(b *testing.B) {
	s := New()
	set := Set("lock", "token").PX(10 * time.Second)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Exec(int64(i), 1, &set)
		s.NextExpiry()
	}
}

func BenchmarkApply(b *testing.B) {
	s, replica := New(), New()
	do(s, 1, 1, Set("lock", "token").PX(10*time.Second))
	effect := s.Effects()[0]
	b.ReportAllocs()
	for b.Loop() {
		replica.Apply(1, &effect)
	}
}
