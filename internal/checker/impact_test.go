package checker

import (
	"testing"

	"lockstep/internal/must"
)

func TestImpact(t *testing.T) {
	const (
		read   = "0 A acquired; 1 R read peer=A; 10 B acquired; 11 R read peer=B; "
		wrote  = "R write-accepted peer=B value=1 cause=3; "
		inTurn = "0 A acquired; 0 B waits; 1 R read peer=A; 2 R write-accepted peer=A value=1 cause=2; 3 A releasing; 4 B acquired; " +
			"5 R read peer=B value=1; 6 R write-accepted peer=B value=2 cause=6; 7 B releasing"
	)
	for _, tt := range []struct {
		name, story string
		want        Impact
	}{
		{"an update is lost", read + "12 " + wrote + "13 R write-accepted peer=A value=2 cause=1", ImpactDamaged},
		{"the resource refuses the older one", read + "12 " + wrote + "13 R write-refused peer=A value=1 cause=1", ImpactSafe},
		{"two inside, and neither writes", "0 A acquired; 1 B acquired", ImpactUnknown},
		{"two inside, and a write names no read", "0 A acquired; 1 B acquired; 2 R write-accepted peer=B value=1", ImpactUnknown},
		{"the end is missing", read + "12 " + wrote + "13 A cut-short", ImpactUnknown},
		{"one after the other", inTurn, ImpactUnknown}, // progress has seen no probe
		{"nothing", "", ImpactUnknown},
	} {
		j := Judge(parse(tt.story))
		must.Equalf(t, j.Impact(), tt.want, "%s", tt.name)
	}
	kept := Judgement{History: parse(inTurn), Findings: []Finding{{Verdict: Kept}, {Verdict: Kept}}}
	must.Equalf(t, kept.Impact(), ImpactKept, "all is kept, and the impact")
	kept.Findings[1].Verdict = Unknown
	must.Equalf(t, kept.Impact(), ImpactUnknown, "one verdict is unknown, and the impact")
	none := Judgement{}
	must.Equalf(t, none.Impact(), ImpactUnknown, "without a history the impact")
}
