// Package advice says which lock to use, from what the search has found: three questions, one table
// of rules, and an answer that gives its evidence. Terminal and page show the same.
package advice

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
	"lockstep/internal/store"
)

// Choice is one answer that can be given to a question.
type Choice struct {
	ID   string
	Name say.Words

	// Of the third question:
	Tokens string    // Yes or No: whether it can refuse an old token
	How    say.Words // how it refuses, or what helps instead; empty for none
}

// Ask is one of the three questions. Note says when it matters; "" for always.
type Ask struct {
	Name, Says, Note string
	Choices          []Choice
}

// Asks returns the questions.
func Asks() []Ask {
	return []Ask{
		{"have", "What do you have?", "", Haves()},
		{"if-two", "What happens if two work at once?", "", IfTwo()},
		{"tokens", "What does the lock protect, and can that refuse an old token?", "It matters only if two at once do damage.", Tokens()},
	}
}

// have is something to keep a lock in.
type have struct {
	Choice
	at    say.Words                   // in a sentence: "one Redis"
	fits  func(v *locks.Variant) bool // whether a design works there unchanged; nil: this program has none
	kinds string                      // of faults expected there besides those expected everywhere
	// If this program lacks it, missing says so, and nearest is the ID of the closest choice.
	missing say.Words
	nearest string
}

// everywhere are the kinds of faults expected of any store: of clients, messages and the network,
// and a server that crashes and restarts.
const everywhere = "pause pause-short slow crash host late-request late-request-short late-reply late-reply-short " +
	"late-release late-release-short lost-request lost-reply cut cut-short restart"

const (
	// replicated: a replica lags, or takes over from a primary that has died or lives on.
	replicated = " lag fail-over promote split split-short"
	// members: servers of a quorum lose one of them, or each other.
	members = " fail-over split split-short"
	// apart: independent nodes, clients on both sides.
	apart = " split split-short"
)

// plain reports whether a design works with the commands of Redis 7.0.
func plain(v *locks.Variant) bool { return !v.Servers.TairString && !v.Servers.Redis84 }

func of(s locks.Store) func(*locks.Variant) bool {
	return func(v *locks.Variant) bool { return v.Store == s }
}

// haves are in the order of the question: the forms of Redis, all other stores, what this program
// lacks.
var haves = slices.Concat(ofRedis, ofStores(), missing)

// ofStores are the stores whose servers have one form.
func ofStores() (all []have) {
	for _, s := range store.All() {
		h := have{Choice: Choice{ID: string(s.ID), Name: say.Words(s.Title)}, at: say.Words(s.Title), fits: of(s.ID), kinds: members}
		switch {
		case s.IsDatabase():
			h.Name, h.kinds = say.Words("a "+s.Title+" database"), ""
			h.at = say.Words("one " + s.Title + " server")
		case s.Topology != store.Quorum:
			continue
		}
		all = append(all, h)
	}
	return all
}

var ofRedis = []have{
	{
		Choice: Choice{ID: "redis", Name: "one Redis"}, at: "one Redis",
		fits: func(v *locks.Variant) bool {
			return v.Kind().IsRedis() && plain(v) && v.Servers.Shards == 0 && v.Servers.Replicas == 0 && v.Servers.MinReplicas == 0
		},
	},
	{
		Choice: Choice{ID: "redis-sentinel", Name: "Redis with a replica and sentinels"}, at: "Redis with a replica",
		fits:  func(v *locks.Variant) bool { return v.Kind().IsRedis() && plain(v) && v.Servers.Shards == 0 },
		kinds: replicated,
	},
	{
		Choice: Choice{ID: "redis-five", Name: "five independent Redis"}, at: "five independent Redis",
		fits: func(v *locks.Variant) bool { return v.Kind().Topology == store.Independent }, kinds: apart,
	},
	{
		Choice: Choice{ID: "redis-cluster", Name: "Redis Cluster"}, at: "Redis Cluster",
		fits:  func(v *locks.Variant) bool { return v.Kind().IsRedis() && plain(v) && v.Servers.Shards > 0 },
		kinds: replicated,
	},
}

var missing = []have{
	{
		Choice: Choice{ID: "kubernetes", Name: "Kubernetes"}, at: "Kubernetes", nearest: "etcd",
		missing: "Not in this program yet: a Lease object of Kubernetes is not searched. Its API keeps the object in etcd, but a Lease is taken and renewed with clients' clocks, which the locks on etcd here are not.",
	},
	{
		Choice: Choice{ID: "object-store", Name: "an object store"}, at: "an object store", nearest: "mysql",
		missing: "Not in this program yet: a lock made of conditional puts is not searched. Nearest is a row with an expiry that a conditional UPDATE takes over. What an object store can do is refuse: a put with a condition is a resource that checks.",
	},
}

// Nothing, Duplicate and Damage are the consequences of two working at once.
const (
	Nothing   = "nothing"
	Duplicate = "duplicate"
	Damage    = "damage"
)

// Yes and No say whether the resource can refuse an old token.
const (
	Yes = "yes"
	No  = "no"
)

// rule says what must not happen, and what decides between equally good locks.
type rule struct {
	ifTwo, tokens string
	must          []checker.Way
	also          []checker.Way // those that count next
	cheap         bool          // costs count before also
	harms         say.Words     // what no fault makes a surviving lock do: "lets two in"
	goal          say.Words     // what no lock achieves when none survives: "keeps two from working at once"
	said          say.Words     // the two answers
}

// rules is the table. Where the resource refuses old tokens, an overlap that leaves the data safe
// is harmless. Where it does not, the data are as safe as the exclusion, as the search looked for
// damage with a resource that checks tokens.
var rules = []rule{
	{
		Nothing, No, []checker.Way{checker.NoProgress, checker.Hung}, []checker.Way{checker.Overlap, checker.ForeignRelease}, true,
		"locks everyone out for good", "lets a client in after each of these faults",
		"nothing much happens",
	},
	{
		Duplicate, No, []checker.Way{checker.Overlap}, []checker.Way{checker.NoProgress, checker.ForeignRelease}, false,
		"lets two in", "always keeps two from working at once",
		"work is done twice",
	},
	{
		Damage, No, []checker.Way{checker.Overlap, checker.Damage}, []checker.Way{checker.NoProgress, checker.ForeignRelease}, false,
		"lets two in", "keeps the data safe by itself",
		"damage, and nothing refuses old tokens",
	},
	{
		Damage, Yes, []checker.Way{checker.Damage}, []checker.Way{checker.NoProgress, checker.Overlap}, false,
		"damages the data", "keeps the data safe after each of these faults",
		"damage, and the resource refuses old tokens",
	},
}

// Question is the three answers of a user.
type Question struct {
	Have   string `json:"have"`
	IfTwo  string `json:"if_two"`
	Tokens string `json:"tokens"`
}

// Haves returns the choices of the first question.
func Haves() []Choice { return each.Map(haves, func(h have) Choice { return h.Choice }) }

// IfTwo returns those of the second question.
func IfTwo() []Choice {
	return []Choice{
		{ID: Nothing, Name: "nothing much"},
		{ID: Duplicate, Name: "duplicate work: wasteful, but harmless"},
		{ID: Damage, Name: "damage: wrong data or lost updates"},
	}
}

// Tokens returns those of the third question: what a lock protects. Yes and No are for other things.
func Tokens() []Choice {
	return []Choice{
		{"sql", "a row in an SQL database: it can", Yes,
			"Before you read: UPDATE ... SET token = :mine WHERE id = :id AND token <= :mine. Write with the same condition. No row changed means refused."},
		{"object", "an object in an object store: it can", Yes,
			"Before you read, put your token into the object by a conditional put (If-Match), unless it holds a higher one. Write by a conditional put, too."},
		{"api", "an HTTP API of your own: it can", Yes,
			"Send the token in a header with each read and write. The server remembers the highest, and refuses what is lower."},
		{"payments", "a payment provider or another outside API: it cannot", No,
			"It does not compare tokens. But an idempotency key derived from the order, not from the client or the attempt, turns a second call into a no-op: two holders then only duplicate work."},
		{"file", "a file or a device: it cannot", No,
			"Let one process own it, and compare tokens there: that is an API of your own."},
		{Yes, "something else that refuses old tokens", Yes, ""},
		{No, "something else, or I do not know", No, ""},
	}
}

// Refuses says whether a choice of the third question can refuse an old token: Yes or No; an
// unknown id is returned.
func Refuses(id string) string {
	if c := each.Find(Tokens(), func(c *Choice) bool { return c.ID == id }); c != nil {
		return c.Tokens
	}
	return id
}

// have is the first answer; nil when there is no such choice.
func (q Question) have() *have {
	return each.Find(haves, func(h *have) bool { return h.ID == q.Have })
}

// rule is the rule for a question; tokens matter only where two do damage.
func (q Question) rule() *rule {
	return each.Find(rules, func(r *rule) bool {
		return r.ifTwo == q.IfTwo && (r.ifTwo != Damage || r.tokens == q.Tokens)
	})
}

// ToExpect returns the kinds of faults to expect.
func (q Question) ToExpect() []string {
	return strings.Fields(everywhere + q.have().kinds)
}

// Questions returns all questions with an answer of their own: tokens matter only where two do
// damage.
func Questions() (out []Question) {
	for _, h := range haves {
		for _, r := range rules {
			out = append(out, Question{h.ID, r.ifTwo, r.tokens})
		}
	}
	return out
}

// Harms returns the answers to the second and the third question, in the order of Questions.
func Harms() []say.Words { return each.Map(rules, func(r rule) say.Words { return r.said }) }

// IDs returns the ids of choices.
func IDs(all []Choice) []string { return each.Map(all, func(c Choice) string { return c.ID }) }

// Known reports whether all parts of a question are choices.
func (q Question) Known() bool {
	return slices.Contains(IDs(Haves()), q.Have) && slices.Contains(IDs(IfTwo()), q.IfTwo) && slices.Contains([]string{Yes, No}, q.Tokens)
}
