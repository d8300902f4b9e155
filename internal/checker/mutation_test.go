package checker

import (
	"testing"

	"lockstep/internal/history"
)

// mutations are mistakes that a checker could make. The tables must tell each of
// them from the right check: a table that does not is too small.
var mutations = map[string][]string{
	MutualExclusionID: {
		"compares neighbours only", "touching instants overlap", "the order at an instant counts",
		"only the one who was there may be touched", "a hold ends with the history",
		"ignores crashes", "any crash ends a hold", "a freeze ends a hold", "ignores the notice of loss",
		"drops holds without an end", "holds until released", "a second acquire does not end the first",
		"ignores the probe", "names one holder only", "counts stretches",
		"lasts until the intruder leaves", "lasts until one holder leaves", "no acquisition is fine",
		"what takes no time did not happen", "a hold that takes no time is none", "every holder touches",
	},
	OwnerOnlyReleaseID: {
		"blames the server's own doing", "takes expiry for removal",
		"blames those who clear away the dead", "overlooks who is about to hold", "blames takeovers",
		"finds grants of other servers", "blames the victim", "no removal is fine",
		"an entry without an owner is no doubt", "trusts that nothing was removed", "a doubt outweighs a robbery",
		"asks what the client does when its command comes",
	},
	ProgressID: {
		"measures from the start", "no quiet period is fine", "anybody's acquisition is an answer",
		"an acquisition by others does not restart the clock", "late is fine",
		"the bound itself is too late", "needs more than the bound", "any failure is an answer",
		"excuses a lock that is held", "ignores crashes",
	},
	NoLostUpdateID: {
		"mixes resources", "trusts every read", "compares with the new version",
		"any access between is a loss", "compares tokens", "only older versions are outdated",
		"judges refused writes", "a write without a read is fine",
	},
	NoStaleWriteID: {
		"refused writes are no test", "judges refused writes", "takes anybody's read", "ignores the read",
		"own acquisitions make stale", "the other must hold still", "the writer must hold still",
		"only a holder may write", "any other acquisition makes stale", "the same instant is harm",
		"ignores writers without a hold", "belief decides", "tokens decide", "ignores tokens", "guesses",
		"ignores grants", "takes anybody's grant", "takes the grant of an earlier round", "ignores the execution",
		"a doubt is no harm", "a doubt outweighs a stale write", "a reply is a grant",
	},
}

func TestTablesCatchMutations(t *testing.T) {
	for _, p := range All() {
		if oracles[p.ID] == nil {
			continue // TestEveryPropertyIsTried says so
		}
		check := func(bug string) func(h *history.History) Finding {
			return func(h *history.History) Finding { return oracles[p.ID](h, bug) }
		}
		for _, failure := range runTable(tables[p.ID], check("")) {
			t.Errorf("%s: the definition itself fails: %s", p.ID, failure)
		}
		for _, bug := range mutations[p.ID] {
			if len(runTable(tables[p.ID], check(bug))) == 0 {
				t.Errorf("%s: no row of the table catches a checker that %q", p.ID, bug)
			}
		}
	}
}
