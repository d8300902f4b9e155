package redis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/internal/history"
)

// startMS is late enough that a clock which steps back repeatedly never shows a time before 1970.
const startMS = 1_000_000_000

// TestReplicaFollows: a replica that applies the effects of a primary is equal to it, with any
// clock; a primary with a copy of the keys gives the same replies; and the reported changes imply
// the owners.
func TestReplicaFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3)), nowMS: startMS}
		primary, replica, copied := New(), New(), New()
		replica.SetReplica(true)
		primary.Extensions, copied.Extensions, g.extensions = TairString|Redis84, TairString|Redis84, true
		g.collection = rapid.IntRange(0, 2).Draw(t, "collection")
		var open, openToo Transaction
		owners := ownership{}
		for i := range rapid.IntRange(1, 60).Draw(t, "commands") {
			by := history.NodeID(1 + g.IntN(3))
			g.nowMS += g.Int64N(3_000_000) - 400_000
			name := "expire"
			if key := g.key(); g.IntN(20) == 0 {
				name = "evict " + key
				checkEvict(t, primary, g.nowMS, key)
			} else if g.IntN(10) == 0 {
				primary.ExpireDue(g.nowMS)
				for _, e := range primary.live {
					if e.expired(g.nowMS) {
						t.Fatalf("step %d: ExpireDue at %d left %s, due at %d", i, g.nowMS, e.key, e.expireMS)
					}
				}
			} else {
				primary.CopyTo(copied, g.nowMS)
				cmd := g.next()
				name = cmd.String()
				want := primary.ExecIn(&open, g.nowMS, by, &cmd)
				if got := copied.ExecIn(&openToo, g.nowMS, by, &cmd); !same(&cmd, want, got) {
					t.Fatalf("step %d, %s: primary %v, its copy %v", i, name, want, got)
				}
			}
			for _, e := range primary.Effects() {
				replica.Apply(g.Int64N(10_000_000_000), &e)
			}
			owners.follow(t, primary.Changes())
			compareSnapshots(t, i, name, primary, replica)
			owners.compare(t, name, primary)
			checkNext(t, primary)
			if at, due := replica.NextExpiry(); due {
				t.Fatalf("a replica would expire something at %d by itself", at)
			}
		}
	})
}

// checkEvict evicts a key, which affects only an entry that has not expired.
func checkEvict(t *rapid.T, s *Store, nowMS int64, key string) {
	old := s.find(key)
	lives := old != nil && !old.expired(nowMS)
	if got := s.Evict(nowMS, key); got != lives || s.Owner(key) != 0 {
		t.Fatalf("Evict of %s is %v, want %v; its owner is now %d", key, got, lives, s.Owner(key))
	}
}

// TestAppendOnlyFile: applying the effects of all calls to an empty store restores the store with
// its owners, after any call and any downtime.
func TestAppendOnlyFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11)), nowMS: startMS, extensions: true}
		g.collection = rapid.IntRange(0, 2).Draw(t, "collection")
		s, restarted := New(), New()
		s.Extensions = TairString | Redis84
		var open Transaction
		var kept []Effect
		for i := range rapid.IntRange(1, 150).Draw(t, "commands") {
			g.nowMS += g.Int64N(3_000_000) - 400_000
			name := "expire"
			switch g.IntN(12) {
			case 0:
				s.ExpireDue(g.nowMS)
			case 1:
				name = "evict"
				s.Evict(g.nowMS, g.key())
			default:
				cmd := g.next()
				name = cmd.String()
				s.ExecIn(&open, g.nowMS, history.NodeID(1+g.IntN(3)), &cmd)
			}
			kept = append(kept, s.Effects()...)
			if i%10 > 0 {
				continue
			}
			for what, file := range map[string][]Effect{"the file": kept, "a rewritten file": s.Dump(nil)} {
				restarted.Reset()
				restarted.SetReplica(true)
				for j := range file {
					restarted.Apply(g.nowMS+g.Int64N(10_000_000_000), &file[j])
				}
				restarted.SetReplica(false)
				name := name + ", restarted from " + what
				compareSnapshots(t, i, name, s, restarted)
				if a, b := dying(s), dying(restarted); a != b {
					t.Fatalf("step %d, %s: keys expire in the order %s, after the restart in the order %s", i, name, a, b)
				}
			}
		}
	})
}

// dying lists the keys of a store in the order in which they would expire.
func dying(s *Store) string {
	order := make([]*entry, 0, len(s.live))
	for _, e := range s.live {
		if e.expireMS != noExpiry {
			order = append(order, e)
		}
	}
	sort.Slice(order, func(i, j int) bool {
		a, b := order[i], order[j]
		return a.expireMS < b.expireMS || (a.expireMS == b.expireMS && a.born < b.born)
	})
	out := ""
	for _, e := range order {
		out += e.key + " "
	}
	return out
}

func compareSnapshots(t rapid.TB, i int, name string, primary, replica *Store) {
	if a, b := fmt.Sprint(primary.Snapshot()), fmt.Sprint(replica.Snapshot()); a != b {
		t.Fatalf("step %d, %s:\nprimary %s\nreplica %s", i, name, a, b)
	}
}

// ownership is the owners of entries, derived from changes only.
type ownership map[string]history.NodeID

func (o ownership) follow(t *rapid.T, changes []Change) {
	for _, c := range changes {
		had := o[c.Key]
		switch c.Kind {
		case history.Granted:
			if had != 0 {
				t.Fatalf("%s granted to %d while %d owns it", c.Key, c.Owner, had)
			}
			o[c.Key] = c.Owner
		case history.Removed, history.Expired:
			if had != c.Owner {
				t.Fatalf("%v of %s of %d, but it is %d's", c.Kind, c.Key, c.Owner, had)
			}
			delete(o, c.Key)
		case history.Extended:
			if had != c.Owner {
				t.Fatalf("extension of %s of %d, but it is %d's", c.Key, c.Owner, had)
			}
		default:
			t.Fatalf("a primary reports %v", c.Kind)
		}
	}
}

func (o ownership) compare(t *rapid.T, name string, s *Store) {
	owned := 0
	for _, e := range s.Snapshot() {
		if o[e.Key] != e.Owner {
			t.Fatalf("%s: %s is %d's, the changes say %d's", name, e.Key, e.Owner, o[e.Key])
		}
		if e.Owner != 0 { // a hash may be no client's
			owned++
		}
	}
	if len(o) != owned {
		t.Fatalf("%s: the changes tell of %v, the store has %v", name, o, s.Snapshot())
	}
}

// checkNext compares NextExpiry with a search.
func checkNext(t *rapid.T, s *Store) {
	want := int64(0)
	for _, e := range s.live {
		if e.expireMS == math.MaxInt64 {
			continue // no clock shows a later millisecond
		}
		if e.expireMS != noExpiry && (want == 0 || e.expireMS+1 < want) {
			want = e.expireMS + 1
		}
	}
	if got, ok := s.NextExpiry(); got != want || ok != (want != 0) {
		t.Fatalf("NextExpiry is %d, %v, want %d", got, ok, want)
	}
}

// TestReplay: the same calls give the same replies, on a fresh store and on one
// that was used before.
func TestReplay(t *testing.T) {
	run := func(s *Store) (out string) {
		g := &generator{Rand: rand.New(rand.NewPCG(5, 3)), nowMS: 1_000_000}
		var open Transaction
		for range 3000 {
			g.nowMS += g.Int64N(3_000_000)
			cmd := g.next()
			out += s.ExecIn(&open, g.nowMS, 1, &cmd).String() + show(s.Changes()) + showEffects(s.Effects())
		}
		return out
	}
	s := New()
	first := run(s)
	s.Reset()
	if run(s) != first || run(New()) != first {
		t.Error("a replay differs")
	}
}

// same compares two replies to a command.
func same(cmd *Cmd, want, got Reply) bool {
	if want.Kind != got.Kind || want.Str != got.Str || len(want.Elements()) != len(got.Elements()) {
		return false
	}
	if want.Int != got.Int {
		// TTL and PTTL: the two have not read the same clock at the same time.
		toleranceMS := int64(20_000)
		isTTL := (strings.HasSuffix(cmd.name, "TTL") || strings.HasSuffix(cmd.name, "EXPIRETIME")) && want.Int > 900 && got.Int > 900
		if !isTTL || want.Int-got.Int > toleranceMS || got.Int-want.Int > toleranceMS {
			return false
		}
	}
	if want.Kind == ReplyError {
		return normal(cmd, want.Err.Error()) == normal(cmd, got.Err.Error())
	}
	a, b := want.Elements(), got.Elements()
	if cmd.name == "TIME" && len(a) == 2 {
		return near(a[0].Str, b[0].Str, 20) && near(a[1].Str, b[1].Str, 1_000_000)
	}
	if cmd.name == "HGETALL" {
		a, b = pairs(a), pairs(b)
	}
	for i := range a {
		if !same(cmd, a[i], b[i]) {
			return false
		}
	}
	return true
}

// near reports whether two numbers differ by less than a tolerance.
func near(a, b string, tolerance int64) bool {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	return errX == nil && errY == nil && max(x-y, y-x) < tolerance
}

// pairs sorts the reply of HGETALL by field: Redis promises no order.
func pairs(list []Reply) []Reply {
	type pair [2]Reply
	var sorted []pair
	for i := 0; i+1 < len(list); i += 2 {
		sorted = append(sorted, pair{list[i], list[i+1]})
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i][0].Str < sorted[j][0].Str })
	var out []Reply
	for _, p := range sorted {
		out = append(out, p[0], p[1])
	}
	return out
}

// normal removes the text of Lua's own error if the script has anyText: position,
// script and line still have to agree.
func normal(cmd *Cmd, text string) string {
	if cmd.Script != nil && cmd.Script.Name == "library" {
		return luaComplaint.ReplaceAllString(text, "$1...$2")
	}
	for _, known := range lockScripts {
		byHash := cmd.Len() > 0 && (cmd.name == "EVALSHA" || cmd.name == "SCRIPT") &&
			(strings.EqualFold(cmd.Arg(0).String(), hashOf(known.Source)) || cmd.Len() > 1 && cmd.Arg(1).String() == known.Source)
		if (cmd.Script == &known.Script || byHash) && known.anyText {
			return luaComplaint.ReplaceAllString(text, "$1...$2")
		}
	}
	return text
}

var luaComplaint = regexp.MustCompile(`(user_script:\d+: ).*?( script: [0-9a-f]{40}, on @user_script:\d+\.$|$)`)
