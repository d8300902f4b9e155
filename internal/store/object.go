package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
)

// ID names a store in locks, scenarios and results: "etcd".
type ID string

// Topology is the relation between the servers of a store. Faults, searches, pages and both worlds
// depend on it rather than on the store.
type Topology uint8

// The topologies.
const (
	Replicated  Topology = iota + 1 // a primary, and replicas that follow it
	Independent                     // unrelated primaries
	Quorum                          // servers that agree on everything and elect a leader
)

// String is the topology as in histories.
func (t Topology) String() string {
	return [...]string{Replicated: "replicated", Independent: "independent", Quorum: "quorum"}[t]
}

// Store is one kind of store. Its package registers it, and locks import that.
type Store struct {
	ID       ID
	Place    int    // in lists
	Section  string // its key below a scenario's servers; the ID when empty
	Node     string // the name of its servers before their number: "zk" for zk-1
	Title    string // a proper name: "ZooKeeper"
	About    string // one sentence: "An ensemble of ZooKeeper."
	Topology Topology
	Requests []string  // the names of what its locks send, see ports.Request
	Settings []Setting // of a Quorum: what a scenario can set besides the number of servers and their election
	Expires  bool      // its servers expire entries on request
	Scripts  bool      // they run scripts, which have names of their own
	// LeavesServers: the client's library leaves a silent server on its own, and a new connection
	// takes time. CancelsRequests: it cancels abandoned requests at the server. EndsLate: a real
	// server ends an entry of a short lease up to half a lease late.
	LeavesServers, CancelsRequests, EndsLate bool

	AtOnce bool // no request waits inside its servers
	// OneLane: a client has one connection to a server, and its requests arrive in order.
	OneLane bool
	// Consent is the consent that requests of a Quorum need, by their effect; all others need a
	// majority.
	Consent map[history.Effect]Consent
	// Lossy: servers of a Quorum pass a request on to their leader and forget it. It is refused at
	// once if the leader has died, and lost if the leader is replaced; what a server answers alone
	// needs no leader.
	Lossy bool
	// Election is how long a Quorum has no leader after losing one, unless a scenario says
	// otherwise; 0: a second.
	Election time.Duration
	// Silence is how long a living leader has to be silent before the others elect another one;
	// nil: no longer than an election takes.
	Silence func(Setup) time.Duration
	// Timing is what its real servers leave to timing.
	Timing Timing
	// Idle is how long a session of a Replicated store may be silent before its server ends it,
	// unless a scenario says otherwise; 0: for ever. IdleDoc is the server's name for it.
	Idle    time.Duration
	IdleDoc string
	// Evict ends early what makes a client the holder of a key in a Quorum (a lease, a session, an
	// entry without one), as an operator does by requests that belong to no client; ask sends them.
	// session is the name in histories of what it has ended, "" for an entry without one; found is
	// false if there was nothing. nil: no request can do that for another client (Evicter).
	Evict func(ask func(Op) (any, error), key string) (session string, found bool, err error)
	// New makes a model of its servers: of a whole Quorum, or of each server (a Follower) of a
	// Replicated store. It is nil for Redis, whose model the simulator calls directly.
	New func(Setup) Model

	// Programs are the external programs that its servers need on this machine.
	Programs []Program
	// Image is the container image of its servers; nil: they are played as processes only.
	Image *Image
	// Prepare are the requests that our own locks of these keys expect to have been executed on
	// fresh servers, in this order; nil: none.
	Prepare func(keys ...string) []ports.Request

	names []string // of the first servers
}

// Program is an external program, found by its name, or a library.
type Program struct {
	Name    string
	Install string   // the command that installs it on Debian, or builds it
	Built   bool     // it has no package: it is built on this machine on demand
	Version []string // the arguments that print its version; none: its files show it
}

// Image describes the container image of a server. Images built on this machine
// (scripts/local-images) and public ones have the same layout.
type Image struct {
	Product string // its name in commands, variables and names of local images: "mariadb"
	Public  string // the image in a registry
	Command string // the first word of its command; "" if the image has its own
	Data    string // the directory of the server's files, kept in a volume
	Config  string // where it reads configuration files; "" for nowhere
	// Env lets it start without a password: only this machine can reach it.
	Env map[string]string
}

// Timing is what real servers leave to timing, whatever the scale of a run.
type Timing struct {
	Agreeing time.Duration // how long they may take to agree on a request, if noticeable
	Election time.Duration // how much longer than planned they may take to elect a leader
}

// Setting is a duration that a scenario can set.
type Setting struct {
	Name, Doc, Example string
	Least, Default     time.Duration
	// Of is its default for a given lease; nil: Default.
	Of func(lease time.Duration) time.Duration
}

// MaxSettings is how many settings a store can have.
const MaxSettings = 2

// Settings are a run's values of a store's settings, in their order.
type Settings [MaxSettings]time.Duration

// Setup is a run's configuration of a store.
type Setup struct {
	Lock     Entry // where the lock's entry is
	Election time.Duration
	Settings Settings
	Idle     time.Duration   // see Store
	EpochMS  int64           // the zero of the wall clock, in milliseconds since 1970
	Prepare  []ports.Request // executed before the run, as by a migration
}

// MaxOfTopology is how many stores can have one topology.
const MaxOfTopology = 8

var registry []*Store

// Register adds a store; called from the init of its package. It panics if Check fails.
func Register(s Store) {
	s.Section = cmp.Or(s.Section, string(s.ID))
	if err := s.Check(); err != nil {
		panic("store: " + err.Error())
	}
	for i := range 12 {
		s.names = append(s.names, s.name(i))
	}
	registry = append(registry, &s)
	slices.SortFunc(registry, func(a, b *Store) int { return a.Place - b.Place })
}

// Check reports what is missing in a description, or in conflict with that of another store.
func (s *Store) Check() error {
	if s.ID == "" {
		return fmt.Errorf("a store has no ID")
	}
	missing := func(what string) error { return fmt.Errorf("the store %q says nothing of %s", s.ID, what) }
	for _, part := range []struct {
		missing bool
		what    string
	}{
		{s.Node == "", "what its servers are called (Node)"},
		{s.Title == "", "its name (Title)"},
		{s.About == "", "what its servers are (About)"},
		{len(s.Requests) == 0, "what its locks send (Requests)"},
		{s.Topology < Replicated || s.Topology > Quorum, "how its servers stand to each other (Topology)"},
		{s.Topology == Quorum && s.New == nil, "its model (New)"},
		{s.IsDatabase() && s.IdleDoc == "", "what its time for idle sessions is called (IdleDoc)"},
	} {
		if part.missing {
			return missing(part.what)
		}
	}
	switch {
	case s.Topology != Quorum && len(s.Settings) > 0:
		return fmt.Errorf("the store %q has settings, and only servers of a quorum have some (Settings)", s.ID)
	case len(s.Settings) > MaxSettings:
		return fmt.Errorf("the store %q has %d settings, and there is room for %d (Settings)", s.ID, len(s.Settings), MaxSettings)
	}
	for _, name := range s.Requests {
		if name != strings.ToUpper(name) {
			return fmt.Errorf("the store %q calls a request %q, and the names of requests are in capitals (Requests)", s.ID, name)
		}
	}
	for _, set := range s.Settings {
		if set.Name == "" || set.Doc == "" || set.Example == "" || set.Default == 0 && set.Of == nil {
			return missing("the name, the text, an example or the default of a setting (Settings)")
		}
	}
	same := 0
	for _, o := range registry {
		switch {
		case o.ID == s.ID:
			return fmt.Errorf("the store %q is registered twice", s.ID)
		case o.Place == s.Place:
			return fmt.Errorf("the stores %q and %q have the same place in lists (Place); %d is free", o.ID, s.ID, registry[len(registry)-1].Place+1)
		case o.Section == s.Section:
			return fmt.Errorf("the stores %q and %q are called the same in scenarios (Section)", o.ID, s.ID)
		case o.Topology == s.Topology:
			same++
		}
	}
	if same >= MaxOfTopology {
		return fmt.Errorf("the store %q is one too many of its topology: raise MaxOfTopology", s.ID)
	}
	return nil
}

// Prepared are the requests to execute on its servers before locks of these keys play.
func (s *Store) Prepared(keys ...string) []ports.Request {
	if s.Prepare == nil {
		return nil
	}
	return s.Prepare(keys...)
}

// IsRedis reports whether its servers are those of Redis, a primary and its replicas or a Redis
// Cluster, which a scenario can set up, monitor and shard in more ways than others.
func (s *Store) IsRedis() bool { return s.Topology == Replicated && s.New == nil }

// IsDatabase reports whether its servers are a primary with sessions and its replicas.
func (s *Store) IsDatabase() bool { return s.Topology == Replicated && s.New != nil }

// All returns the stores by Place. Do not change the list.
func All() []*Store { return registry }

// Of returns the store with an ID; nil if there is none.
func Of(id ID) *Store { return First(registry, func(s *Store) bool { return s.ID == id }) }

// With returns the stores of a topology by Place.
func With(t Topology) []*Store {
	return slices.DeleteFunc(slices.Clone(registry), func(s *Store) bool { return s.Topology != t })
}

func (s *Store) name(i int) string { return s.Node + "-" + strconv.Itoa(i+1) }

// Names are the names of the first count servers. Do not change the list.
func (s *Store) Names(count int) []string {
	names := slices.Clip(s.names)
	for i := len(names); i < count; i++ {
		names = append(names, s.name(i))
	}
	return names[:count:count]
}

// Setting is a run's value of the setting with a name, which must exist.
func (s *Store) Setting(values *Settings, name string) *time.Duration {
	return &values[slices.IndexFunc(s.Settings, func(set Setting) bool { return set.Name == name })]
}
