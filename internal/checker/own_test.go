package checker

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

// A run of a user's own lock is no test of it when it did without its servers, or kept a client out
// for good. What broke stays broken; locks of lockstep are not asked.
func TestARunOfOnesOwnLockThatIsNoTest(t *testing.T) {
	const gives = contended + underFault + "; 9 C waits; 20 C gave-up" + quietEnd
	const twice = contended + underFault + "; 9 C waits; 10 C acquired; 11 C releasing; 12 C waits; 20 C gave-up" + quietEnd
	const loses = "0 A waits; 0.1 A acquired; 0.2 B waits; 0.3 A lost-lease; 0.4 A not-held; 0.5 B acquired; 0.6 B lost-lease; 0.7 B not-held"
	const noWork = "each hold ended soon: no client wrote, or held the lock for half a lease"
	for _, c := range []struct {
		name, give, alone string
		own               bool
		want              Verdict
		says              string
	}{
		{"it did without its servers", contended + underFault + quietEnd, "A", true, Unknown, "A acquired or released the lock at 3.000 s without its servers: it had sent them nothing, or changed no entry"},
		{"one of lockstep's", gives, "", false, Kept, ""},
		{"C is never let in", gives, "", true, Unknown, "C wanted the lock and never got it"},
		{"C is let in once", twice, "", true, Kept, ""},
		{"C dies", contended + underFault + "; 9 C waits; 20 C gave-up; 21 C crashed" + quietEnd, "", true, Kept, ""},
		{"each hold is lost at once", loses + quietEnd, "", true, Unknown, noWork},
		{"one of lockstep's loses each", loses + quietEnd, "", false, Kept, ""},
		{"the probe alone keeps it", loses + quietEnd + "; 91 R write-accepted peer=P", "", true, Unknown, noWork},
		{"a write", loses + "; 0.8 R write-refused peer=B" + quietEnd, "", true, Kept, ""},
		{"half a lease", loses + "; 1 B waits; 1 B acquired; 6 B lost-lease" + quietEnd, "", true, Kept, ""},
		{"less", loses + "; 1 B waits; 1 B acquired; 5.9 B lost-lease" + quietEnd, "", true, Unknown, noWork},
		{"held until the end", loses + quietEnd + "; 99 B waits; 99 B acquired", "", true, Kept, ""},
		{"two hold it all the same", "0 A acquired; 1 B acquired; 2 A releasing; 3 B releasing" + quietEnd, "A", true, Broken, ""},
	} {
		entries := []history.Watched{""}
		if c.own { // however much is known of its entry
			entries = []history.Watched{history.Followed, history.Unfollowed, history.Unread}
		}
		for _, entry := range entries {
			h := parse(c.give)
			h.Whole, h.Header.Entry, h.Header.Alone, h.Header.AloneAt = true, entry, c.alone, history.Instant(3*time.Second)
			j := Judge(h)
			f := j.Finding(MutualExclusionID)
			if f.Verdict != c.want || c.says != "" && (f.Reason.English() != c.says || j.Letter != LetterUnknown) {
				t.Errorf("%s, entry %q: %s, %q, letter %s; want %s, %q", c.name, entry, f.Verdict, f.Reason.English(), j.Letter, c.want, c.says)
			}
		}
	}
	const dies = "0 A waits; 0.1 A acquired; 0.2 B waits; 0.3 A crashed"
	for give, progress := range map[string]Verdict{
		loses: Unknown, dies: Kept, dies + "; 0.5 B acquired; 0.6 B lost-lease; 0.7 B not-held": Unknown,
	} {
		h := parse(give + quietEnd)
		h.Whole, h.Header.Backend = true, history.Bubble
		j := Judge(h)
		why := j.Finding(MutualExclusionID).Reason.English()
		if got := j.Finding(ProgressID).Verdict; got != progress || (why == noWork) != (progress == Unknown) {
			t.Errorf("%s in package locktest: %q, progress %s, want %s", give, why, got, progress)
		}
	}
}
