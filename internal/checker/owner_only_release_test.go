package checker

import "testing"

// The reason names the command and when it was sent, not only that there is a doubt.
func TestTheReasonNamesTheDoubtfulCommand(t *testing.T) {
	h := parse("0 S removed owner=A peer=A; 1.25 A sent peer=S; 3 S may-have-removed peer=A cause=1; 4 S may-have-removed peer=B")
	h.Events[1].Text = h.Intern("DEL lock")
	want := `it is not known whose entry "DEL lock", sent by A at 1.250 s, removed; the same goes for 1 more`
	if f := checkOwnerOnlyRelease(h); f.Verdict != Unknown || f.Reason.English() != want {
		t.Errorf("%s, %q; want unknown, %q", f.Verdict, f.Reason.English(), want)
	}
}
