package plan

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/store"
)

// Limits, all above what any user runs or writes.
const (
	MaxReplicas = 10
	maxNodes    = 15
	maxShards   = 7 // every two of their nodes talk to each other
	maxNested   = 10
	MaxRepeat   = 10_000
)

// Key is one key of a scenario file: its name, its text in the reference, and the field of the plan
// that holds it. The reader, the resolved form and the schema all use it. Default has its default.
type Key struct {
	Name        string
	Doc         string
	Example     string // of a value, shown when a file has something else
	Form        Form
	Least, Most int64            // of a number; of a duration the least, in nanoseconds
	Words       []Word           // of a choice
	By          string           // of a failover: which kind the key belongs to; "" for all
	Keys        []Key            // nested keys; such a key has no value itself
	Shared      bool             // of the workload: the same for all clients
	Idle        func(*Plan) bool // another setting of the plan replaces it; nil: never

	// At returns the field: a *time.Duration, *Range, *int, *int64 (a share in millionths) or
	// *string (a choice).
	At func(*Plan) any
}

// Form is a special notation for values of a key.
type Form uint8

// The forms.
const (
	Plain    Form = iota
	Times         // once, 20 times
	Patience      // up to 40s; 0s: once
	OrNever       // 30s, never
	Name          // of a resource
)

// Word is a word that can be chosen.
type Word struct{ Word, Doc string }

// Never is written for a duration without an end.
const Never = "never"

// Section is a group of keys.
type Section struct {
	Name, Doc, Example string
	Store              locks.Store // whose servers it describes; "" for none
	Keys               []Key
}

// WorkloadKeys and NetworkKeys are the keys for clients and for messages.
var (
	WorkloadKeys = Section{"workload", "What every client does.", "work: 2s..3s below it", "", []Key{
		{Name: "repeat", Doc: "How many rounds each client plays, at most 10000.", Form: Times, At: func(p *Plan) any { return &p.Workload.Repeat }},
		{Name: "wait", Doc: "How long a client waits for the lock in each round; then it gives up and says so. 0s: it tries once, and a lock that queues waits for one timeout.", Form: Patience, At: func(p *Plan) any { return &p.Workload.Wait }},
		{Name: "work", Doc: "How long the work in the critical section takes; it reads first and writes the guarded resource last.", Example: "2s..3s", At: func(p *Plan) any { return &p.Workload.Work }},
		{Name: "rest", Doc: "How long a client rests between two rounds.", Example: "100ms", At: func(p *Plan) any { return &p.Workload.Rest }},
		{Name: "arrivals", Doc: "How much later each round begins than the one before, whether that one is over or not; a late round begins at once. It replaces rest. Thirty per minute are 2s, or 1s..3s.", Example: "500ms..2s",
			Idle: func(p *Plan) bool { return p.Workload.Arrivals.Max == 0 }, At: func(p *Plan) any { return &p.Workload.Arrivals }},
		{Name: "stagger", Shared: true, Doc: "How much later each client starts than the one before.", Example: "50ms", At: func(p *Plan) any { return &p.Workload.Stagger }},
		{Name: "retry", Doc: "How long a lock that spins waits between two tries, 1ms or more.", Example: "100ms", Least: ms, At: func(p *Plan) any { return &p.Workload.Retry }},
		{Name: "resource", Doc: "What a client works on, by name: each resource has a lock of its own, whose key is that name. With several, a story is played in one world and each lock is judged separately, as `set-nx-lua@orders`; simulator only.",
			Example: "orders", Form: Name, Idle: func(p *Plan) bool { return p.Workload.resource() == locks.Key }, At: func(p *Plan) any { return &p.Workload.Resource }},
		{Name: "renew", Doc: "How often a watchdog renews, for locks that let you set it. Left out: every third of the lease.", Example: "3s", Least: 1,
			Idle: func(p *Plan) bool { return p.Workload.Renew == 0 }, At: func(p *Plan) any { return &p.Workload.Renew }},
		{Name: "release-again", Doc: "How much later a client repeats a release, once, when it does not know its outcome; 0s: never.", Example: "1s", At: func(p *Plan) any { return &p.Workload.ReleaseAgain }},
		{Name: "fence", Shared: true, Doc: "What the guarded resource checks.", At: func(p *Plan) any { return (*string)(&p.Workload.Fence) }, Words: []Word{
			{string(FenceNone), "nothing: every write is taken"},
			{string(FenceWrites), "a write whose token is lower than that of an earlier write is refused"},
			{string(FenceReadsAndWrites), "reads raise the mark too, which closes the gap between a stale read and an accepted write"},
		}},
		{Name: "nested", Doc: "How often a client takes the lock again while it holds it.", Example: "1", Most: maxNested, At: func(p *Plan) any { return &p.Workload.Nested }},
	}}
	NetworkKeys = Section{"network", "How messages travel, in each direction.", "latency: 1ms..2ms below it", "", []Key{
		{Name: "latency", Doc: "How long a message takes, one way.", Example: "1ms..2ms", At: func(p *Plan) any { return &p.Network.Latency }},
		{Name: "loss", Doc: "The share of commands that lose their request or their reply.", Example: "0.5%", At: func(p *Plan) any { return &p.Network.LossPPM }},
		{Name: "timeout", Doc: "How long a client waits for a reply.", Example: "3s", Least: 1, At: func(p *Plan) any { return &p.Network.Timeout }},
	}}
)

// ClientKeys are the workload keys that a single client may override.
func ClientKeys() []Key {
	return slices.DeleteFunc(slices.Clone(WorkloadKeys.Keys), func(k Key) bool { return k.Shared })
}

const ms = int64(time.Millisecond)

// ServerKeys are the keys for the servers of each store.
var ServerKeys = func() (all []Section) {
	for _, s := range store.All() {
		all = append(all, sectionOf(s))
	}
	return all
}()

func sectionOf(s *store.Store) Section {
	out := Section{Name: s.Section, Doc: s.About, Store: s.ID}
	switch {
	case s.Topology == store.Independent:
		out.Example = "{nodes: 5}"
		out.Keys = []Key{nodes("5", func(p *Plan) any { return &p.Redlock.Nodes }), persistence(func(p *Plan) any { return &p.Redlock.Persistence })}
	case s.Topology == store.Quorum:
		out.Example = "{nodes: 3, election: 1s}"
		out.Keys = cluster(s)
	case s.IsDatabase():
		out.Example = "{replicas: 1, lag: 500ms}"
		of := func(p *Plan) *SQL { return p.Database(s.ID) }
		out.Keys = append(
			replicated(false, func(p *Plan) (*int, *time.Duration, *Failover) { return &of(p).Replicas, &of(p).Lag, &of(p).Failover }),
			Key{Name: "idle-timeout", Doc: "How long a session may say nothing between two statements before the server ends it, 1ms or more, or never; " + s.IdleDoc + ".",
				Example: "30s, or idle-timeout: never", Form: OrNever, Least: ms, At: func(p *Plan) any { return &of(p).IdleTimeout }})
	default:
		out.Example = "{replicas: 1, lag: 500ms}"
		out.Keys = append(
			replicated(true, func(p *Plan) (*int, *time.Duration, *Failover) {
				return &p.Redis.Replicas, &p.Redis.Lag, &p.Redis.Failover.Failover
			}),
			persistence(func(p *Plan) any { return &p.Redis.Persistence }),
			Key{Name: "min-replicas", Doc: "A primary refuses writes while it hears from fewer replicas; 0: never.", Example: "1", Most: MaxReplicas,
				At: func(p *Plan) any { return &p.Redis.MinReplicas }},
			Key{Name: "min-replicas-max-lag", Doc: "How recently a primary must have heard from a replica to count it, 1ms or more.", Example: "10s", Least: ms,
				At: func(p *Plan) any { return &p.Redis.MinReplicasMaxLag }},
		)
	}
	out.Example = s.Section + ": " + out.Example
	return out
}

func nodes(usual string, at func(*Plan) any) Key {
	return Key{Name: "nodes", Doc: "How many servers.", Example: usual, Least: 1, Most: maxNodes, At: at}
}

func cluster(s *store.Store) []Key {
	of := func(p *Plan) *Cluster { return p.Cluster(s.ID) }
	keys := []Key{
		nodes("3", func(p *Plan) any { return &of(p).Nodes }),
		{Name: "election", Doc: "How long the cluster has no leader after losing one.", Example: "1s", At: func(p *Plan) any { return &of(p).Election }},
	}
	for i, set := range s.Settings {
		keys = append(keys, Key{Name: set.Name, Doc: set.Doc, Example: set.Example, Least: int64(set.Least),
			At: func(p *Plan) any { return &of(p).Settings[i] }})
	}
	return keys
}

func persistence(at func(*Plan) any) Key {
	return Key{Name: "persistence", Doc: "What a restarted server still knows.", At: at, Words: []Word{
		{PersistNone, "nothing"},
		{PersistEverySecond, "everything, as with always: its file is written before each reply, and on disk once per second. The last second is lost with the machine, which no fault plays; `none` loses more"},
		{PersistAlways, "everything: its file is on disk before each reply"},
	}}
}

// replicated returns the keys of a primary with replicas; Redis also has sentinels and Redis
// Cluster.
func replicated(redis bool, of func(*Plan) (*int, *time.Duration, *Failover)) []Key {
	failover := func(p *Plan) *Failover { _, _, f := of(p); return f }
	by := Key{Name: "by", Doc: "Who promotes a replica.", At: func(p *Plan) any { return &failover(p).By },
		Words: []Word{{ByOperator, "an operator promotes a replica as soon as after has passed"}}}
	times := []Key{{Name: "after", Doc: "By the operator: from the primary's death to the promotion.", Example: "500ms", By: ByOperator,
		At: func(p *Plan) any { return &failover(p).After }}}
	keys := []Key{
		{Name: "replicas", Doc: "How many replicas the primary has; at least one for a lock that waits for replicas.", Example: "1", Most: MaxReplicas, At: func(p *Plan) any { n, _, _ := of(p); return n }},
		{Name: "lag", Doc: "How late a replica applies what the primary has executed.", Example: "500ms", At: func(p *Plan) any { _, lag, _ := of(p); return lag }},
	}
	if redis {
		by.Words = append(by.Words, Word{BySentinel, "sentinels promote a replica once they agree that the primary is down"})
		times = append(times,
			Key{Name: "down-after", Doc: "By sentinels: how long the primary must be silent.", Example: "500ms", By: BySentinel,
				At: func(p *Plan) any { return &p.Redis.Failover.DownAfter }},
			Key{Name: "election", Doc: "By sentinels: from their agreement to the promotion.", Example: "500ms", By: BySentinel,
				At: func(p *Plan) any { return &p.Redis.Failover.Election }})
		keys[0].Idle = sharded
		keys = []Key{keys[0], shards, keys[1]}
	}
	return append(keys, Key{Name: "failover", Doc: "How a replica takes over.", Example: "{by: operator, after: 500ms}", Keys: append([]Key{by}, times...), Idle: keys[0].Idle})
}

func sharded(p *Plan) bool { return p.Redis.Cluster.Shards > 0 }

// shards are the keys of a Redis Cluster.
var shards = Key{
	Name: "cluster", Doc: "A Redis Cluster, instead of replicas and failover: primaries that share the keys among them and promote each other's replicas.",
	Example: "{shards: 3, replicas: 1, node-timeout: 5s}", Idle: func(p *Plan) bool { return !sharded(p) }, Keys: []Key{
		{Name: "shards", Doc: "How many primaries. The lock's key is on one of them: with 3 shards on the second, redis-2.", Example: "3",
			Least: LeastShards, Most: maxShards, At: func(p *Plan) any { return &p.Redis.Cluster.Shards }},
		{Name: "replicas", Doc: "How many replicas each primary has.", Example: "1", Most: MaxReplicas, At: func(p *Plan) any { return &p.Redis.Cluster.Replicas }},
		{Name: "node-timeout", Doc: "How long a node must be silent to count as down (cluster-node-timeout), 1ms or more.", Example: "5s", Least: ms,
			At: func(p *Plan) any { return &p.Redis.Cluster.NodeTimeout }},
	},
}

// Names returns the names of some keys.
func Names(keys []Key) (names []string) {
	for i := range keys {
		names = append(names, keys[i].Name)
	}
	return names
}

// Text returns the value that a plan has for the key, in the notation of a file.
func (k *Key) Text(p *Plan) string {
	switch at := k.At(p).(type) {
	case *time.Duration:
		switch {
		case k.Form == Patience && *at > 0:
			return "up to " + faults.Duration(*at)
		case k.Form == OrNever && *at == 0:
			return Never
		}
		return faults.Duration(*at)
	case *Range:
		return at.Text(faults.Duration)
	case *int:
		switch {
		case k.Form == Times && *at == 1:
			return "once"
		case k.Form == Times:
			return fmt.Sprintf("%d times", *at)
		}
		return fmt.Sprint(*at)
	case *int64:
		return Percent(*at)
	case *string:
		return *at
	}
	panic("plan: the key " + k.Name + " has a field of an unknown type")
}
