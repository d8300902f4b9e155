package checker

import (
	"testing"

	"lockstep/internal/history"
)

// The reason names the command and when it was sent, not only that there is a doubt.
func TestTheReasonNamesTheDoubtfulCommand(t *testing.T) {
	h := parse("0 S removed owner=A peer=A; 1.25 A sent peer=S; 3 S may-have-removed peer=A cause=1; 4 S may-have-removed peer=B")
	h.Events[1].Text = h.Intern("DEL lock")
	want := `it is not known whose entry "DEL lock", sent by A at 1.250 s, removed; the same goes for 1 more`
	if f := checkOwnerOnlyRelease(h); f.Verdict != Unknown || f.Reason.English() != want {
		t.Errorf("%s, %q; want unknown, %q", f.Verdict, f.Reason.English(), want)
	}
}

// What the servers' logs show counts for the releases of a program whose requests are not read, and
// not where none was released.
func TestReleasesThatTheServersLogsShow(t *testing.T) {
	const holds, frees = "0 A acquired", "; 1 A releasing; 2 A released"
	for _, c := range []struct {
		story string
		entry history.Watched
		want  Verdict
	}{
		{holds + frees, history.Owned, Kept},
		{holds + frees, history.Followed, Unknown},
		{holds + frees, history.Unread, Unknown},
		{holds + "; 1 A releasing; 2 A not-held", history.Owned, Unknown},
		{holds, history.Owned, Unknown},
	} {
		h := parse(c.story)
		h.Header.Entry = c.entry
		if f := checkOwnerOnlyRelease(h); f.Verdict != c.want || f.NoOccasion == (c.want == Kept) {
			t.Errorf("%s, entry %s: %s, want %s", c.story, c.entry, f.Verdict, c.want)
		}
	}
}
