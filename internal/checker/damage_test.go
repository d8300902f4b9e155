package checker

import (
	"testing"

	"lockstep/internal/must"
)

func TestDamaged(t *testing.T) {
	const both = "0 A acquired; 1 R read peer=A; 10 B acquired; "
	for _, tt := range []struct {
		name, story string
		want        bool
	}{
		{"no writes", "0 A acquired; 1 B acquired", false},
		{"in turn", "0 A acquired; 1 R read peer=A; 2 R write-accepted peer=A value=1 cause=1; 3 A releasing; 4 B acquired; 5 R read peer=B value=1", false},
		{"a stale write before any read of the newer holder", both + "11 R write-accepted peer=A value=1 cause=1; 12 R read peer=B value=1; 13 R write-accepted peer=B value=2 cause=4", false},
		{"a write that the newer holder does not expect", both + "11 R read peer=B; 12 R write-accepted peer=A value=1 cause=1", true},
		{"the newer holder has released", both + "11 R read peer=B; 11.5 B releasing; 12 R write-accepted peer=A value=1 cause=1", false},
		{"the newer holder has lost its lease", both + "11 R read peer=B; 11.5 B lost-lease; 12 R write-accepted peer=A value=1 cause=1", false},
		{"a lost update", "0 R read peer=A value=7; 1 R read peer=B value=7; 2 R write-accepted peer=B value=8 cause=1; 3 R write-accepted peer=A value=9 cause=0", true},
		{"refused", both + "11 R read peer=B; 12 R write-refused peer=A value=1 cause=1", false},
	} {
		must.Equalf(t, Damaged(parse(tt.story)), tt.want, "%s", tt.name)
	}
	if HandsOutTokens(parse("0 A acquired")) || !HandsOutTokens(parse("0 A acquired token=33")) {
		t.Error("only the second of them hands out tokens")
	}
}
