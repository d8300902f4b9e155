package redis

import (
	"testing"
	"time"
)

// Run with: go test -run '^$' -bench . ./internal/store/redis

func benchmarkPair(b *testing.B, s *Store, first, second Cmd) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Exec(int64(i), 1, &first)
		s.Exec(int64(i), 1, &second)
	}
}

func BenchmarkGet(b *testing.B) {
	s := New()
	set, get := Set("lock", "token"), Get("lock")
	s.Exec(1, 1, &set)
	b.ReportAllocs()
	for b.Loop() {
		if s.Exec(1, 1, &get).Str != "token" {
			b.Fatal("lost")
		}
	}
}

// BenchmarkSetHeld is the request of a contender: SET NX PX of a key that exists.
func BenchmarkSetHeld(b *testing.B) {
	s := New()
	set := Set("lock", "token").NX().PX(10 * time.Second)
	s.Exec(1, 1, &set)
	b.ReportAllocs()
	for b.Loop() {
		if !s.Exec(1, 2, &set).IsNil() {
			b.Fatal("lost")
		}
	}
}

func BenchmarkSetThenDelete(b *testing.B) {
	benchmarkPair(b, New(), Set("lock", "token").NX().PX(10*time.Second), Del("lock"))
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

func BenchmarkHashIncrementTwice(b *testing.B) {
	benchmarkPair(b, New(), Command("HINCRBY", "h", "f").Num(1), Command("HINCRBY", "h", "f").Num(-1))
}

func BenchmarkApply(b *testing.B) {
	s, replica := New(), New()
	set := Set("lock", "token").PX(10 * time.Second)
	s.Exec(1, 1, &set)
	effect := s.Effects()[0]
	b.ReportAllocs()
	for b.Loop() {
		replica.Apply(1, &effect)
	}
}

func BenchmarkUnlockNotOwner(b *testing.B) {
	s := New()
	set := Set("lock", "token")
	unlock := Eval(&lockScripts[0].Script, "lock").Text("other")
	s.Exec(1, 1, &set)
	b.ReportAllocs()
	for b.Loop() {
		s.Exec(1, 2, &unlock)
	}
}

// BenchmarkSetThenUnlock is one SET NX PX and one unlock script.
func BenchmarkSetThenUnlock(b *testing.B) {
	benchmarkPair(b, New(), Set("lock", "token").NX().PX(10*time.Second),
		Eval(&lockScripts[0].Script, "lock").Text("token"))
}

// BenchmarkRedisson is the re-entrant lock and unlock of Redisson, one script each.
func BenchmarkRedisson(b *testing.B) {
	benchmarkPair(b, New(), Eval(&lockScripts[3].Script, "h").Text("9").Text("client:1"),
		Eval(&lockScripts[4].Script, "h").Text("client:1").Text("9"))
}

// BenchmarkGuardedScript is the unlock script on the guarded globals.
func BenchmarkGuardedScript(b *testing.B) {
	s := New()
	unlock := Eval(&Script{Name: "unlock", Source: `local t = {} t.x = 1 ` + lockScripts[0].Source}, "lock").Text("token")
	b.ReportAllocs()
	for b.Loop() {
		s.Exec(1, 2, &unlock)
	}
}

func BenchmarkBusyScript(b *testing.B) {
	s := New()
	loop := Eval(&Script{Name: "loop", Source: `local n = 0 for i = 1, 1000 do n = n + i end return n`}, "lock")
	b.ReportAllocs()
	for b.Loop() {
		s.Exec(1, 2, &loop)
	}
}
