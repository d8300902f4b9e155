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

// ID names a store, in a lock, in a scenario and in results: "etcd".
type ID string

// Topology is how the servers of a store stand to each other. Faults, searches, pages and both worlds ask
// for it, where they would otherwise have to know each store.
type Topology uint8

// The topologies.
const (
	Replicated  Topology = iota + 1 // a primary, and replicas that follow it
	Independent                     // primaries that know nothing of each other
	Quorum                          // servers that agree on everything, and elect their leader
)

// String is the topology as histories have it.
func (t Topology) String() string {
	return [...]string{Replicated: "replicated", Independent: "independent", Quorum: "quorum"}[t]
}

// Store is one kind of store. Its package registers it; a lock names it, and so it is there wherever the
// lock is.
type Store struct {
	ID       ID
	Place    int    // in lists
	Section  string // what a scenario's servers call it; the ID when empty
	Node     string // what its servers are called, before a number: "zk" for zk-1
	Title    string // a proper name: "ZooKeeper"
	About    string // one sentence: "An ensemble of ZooKeeper."
	Topology Topology
	Requests []string  // the names of what its locks send, see world.Request
	Settings []Setting // of a Quorum: what a scenario can set besides the number of servers and their election
	Expires  bool      // its servers set an end to an entry by themselves, where they are asked to
	Scripts  bool      // they run scripts, which have names of their own
	// LeavesServers: the client's library gives up a server that is silent by itself, and a new connection
	// takes its time. CancelsRequests: it cancels at the server what it has given up. EndsLate: a real server
	// ends an entry of a short lease up to half a lease late.
	LeavesServers, CancelsRequests, EndsLate bool

	AtOnce bool // no request waits inside its servers
	// OneLane: a client has one connection to a server, and what it sends arrives in that order.
	OneLane bool
	// Consent is who has to agree to requests by what they do, in a Quorum; all others want a majority.
	Consent map[history.Effect]Consent
	// Lossy: servers of a Quorum pass a request on to their leader and forget it. It is refused at once where the
	// leader has died, and lost with one that the others replace; what a server answers alone needs no leader.
	Lossy bool
	// Election is how long a Quorum has no leader after losing one, unless a scenario says otherwise; 0: a second.
	Election time.Duration
	// Silence is how long a leader that lives is silent until the others look for another one; nil: no
	// longer than an election takes.
	Silence func(Setup) time.Duration
	// Luck is what its real servers leave to timing.
	Luck Luck
	// Idle is how long a session of a Replicated store may say nothing until its server ends it, unless a
	// scenario says otherwise; 0: for ever. IdleDoc is how the server calls that.
	Idle    time.Duration
	IdleDoc string
	// Evict is an operator of a Quorum ending early what makes a client the holder of a key (a lease, a session, an
	// entry without one), by requests that ask sends and that belong to no client. session is what histories call what
	// it has ended, "" for an entry without one; found is false when there was nothing. nil: no request does that for
	// other clients (Evicter).
	Evict func(ask func(Op) (any, error), key string) (session string, found bool, err error)
	// New makes a model of its servers: of all of a Quorum together, of each one (a Follower) of a Replicated
	// store. It is nil for Redis, whose servers the simulator moves by itself.
	New func(Setup) Model

	// Programs are those of others that its servers need on this machine; none where they are part of this one.
	Programs []Program
	// Image is what its servers are in a container; nil: there is none, and they are played as processes only.
	Image *Image
	// Prepare is what our own locks expect to have been executed on fresh servers, in this order, for the
	// locks of these keys; nil: nothing.
	Prepare func(keys ...string) []ports.Request

	names []string // of the first servers
}

// Program is a program of others, found by its name, or a library.
type Program struct {
	Name    string
	Install string   // the command that installs it on Debian, or builds it
	Built   bool     // no package has it: it is built on this machine on demand
	Version []string // the arguments that make it tell its version; none: its files tell
}

// Image says what the image of a server is called and what it promises its user. Images that are built on
// this machine (scripts/local-images) and public ones promise the same.
type Image struct {
	Product string // what it is called in commands, and in names of variables and of local images: "mariadb"
	Public  string // the image of a registry
	Command string // the first word of its command; "" when the image has a command of its own
	Data    string // the directory of the server's files, kept in a volume
	Config  string // where it looks for files of configuration; "" for nowhere
	// Env lets it start without a password: only this machine reaches it.
	Env map[string]string
}

// Luck is what real servers leave to timing, and no scale makes shorter.
type Luck struct {
	Agreeing time.Duration // how long they may take to agree on a request, where that is noticeable
	Election time.Duration // how much longer than planned they may take to elect a leader
}

// Setting is a duration that a scenario can set.
type Setting struct {
	Name, Doc, Example string
	Least, Default     time.Duration
	// Of is what it is for a lease where a scenario does not say it; nil: Default.
	Of func(lease time.Duration) time.Duration
}

// MaxSettings is how many settings a store can have.
const MaxSettings = 2

// Settings are what a run says of a store's settings, in their order.
type Settings [MaxSettings]time.Duration

// Setup is what a run says of a store.
type Setup struct {
	Lock     Entry // where the lock's entry is
	Election time.Duration
	Settings Settings
	Idle     time.Duration   // see Store
	EpochMS  int64           // what the wall clock 0 is, in milliseconds since 1970
	Prepare  []ports.Request // what is executed before the run, as a migration would
	Memory   *any            // what the models of one world may keep from run to run
}

// MaxOfTopology is how many stores can have one topology.
const MaxOfTopology = 8

var registry []*Store

// Register adds a store; called from the init of its package. It panics when something is missing.
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

// Check says what is missing of a description, or contradicts that of another store; nil when nothing does.
func (s *Store) Check() error {
	missing := func(what string) error { return fmt.Errorf("the store %q says nothing of %s", s.ID, what) }
	switch {
	case s.ID == "":
		return fmt.Errorf("a store has no ID")
	case s.Node == "":
		return missing("what its servers are called (Node)")
	case s.Title == "":
		return missing("its name (Title)")
	case s.About == "":
		return missing("what its servers are (About)")
	case len(s.Requests) == 0:
		return missing("what its locks send (Requests)")
	case s.Topology < Replicated || s.Topology > Quorum:
		return missing("how its servers stand to each other (Topology)")
	case s.Topology == Quorum && s.New == nil:
		return missing("its model (New)")
	case s.Topology == Replicated && s.New != nil && s.IdleDoc == "":
		return missing("what its time for idle sessions is called (IdleDoc)")
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
	of := 0
	for _, o := range registry {
		switch {
		case o.ID == s.ID:
			return fmt.Errorf("the store %q is registered twice", s.ID)
		case o.Place == s.Place:
			return fmt.Errorf("the stores %q and %q have the same place in lists (Place); %d is free", o.ID, s.ID, registry[len(registry)-1].Place+1)
		case o.Section == s.Section:
			return fmt.Errorf("the stores %q and %q are called the same in scenarios (Section)", o.ID, s.ID)
		case o.Topology == s.Topology:
			of++
		}
	}
	if of >= MaxOfTopology {
		return fmt.Errorf("the store %q is one too many of its topology: raise MaxOfTopology", s.ID)
	}
	return nil
}

// Prepared is what its servers are to have executed before locks of these keys play.
func (s *Store) Prepared(keys ...string) []ports.Request {
	if s.Prepare == nil {
		return nil
	}
	return s.Prepare(keys...)
}

// IsRedis reports whether its servers are those of Redis, one primary and its replicas or a Redis Cluster:
// they can be set up, watched over and split up in more ways than those of others.
func (s *Store) IsRedis() bool { return s.Topology == Replicated && s.New == nil }

// IsDatabase reports whether it is a primary that keeps sessions, and its replicas.
func (s *Store) IsDatabase() bool { return s.Topology == Replicated && s.New != nil }

// All returns the stores in the order of lists. The list belongs to the registry.
func All() []*Store { return registry }

// Of returns the store with an ID; nil when there is none.
func Of(id ID) *Store {
	for _, s := range registry {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// With returns the stores of a topology in the order of lists.
func With(t Topology) (all []*Store) {
	for _, s := range registry {
		if s.Topology == t {
			all = append(all, s)
		}
	}
	return all
}

func (s *Store) name(i int) string { return s.Node + "-" + strconv.Itoa(i+1) }

// Names are what the first so many servers are called. The list may be shared: do not change it.
func (s *Store) Names(count int) []string {
	for i := len(s.names); i < count; i++ {
		s = &Store{Node: s.Node, names: append(slices.Clone(s.names), s.name(i))}
	}
	return s.names[:count:count]
}

// Setting is what a run says of the setting with a name, which the store has to have.
func (s *Store) Setting(values *Settings, name string) *time.Duration {
	return &values[slices.IndexFunc(s.Settings, func(set Setting) bool { return set.Name == name })]
}
