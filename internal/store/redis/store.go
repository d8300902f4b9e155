// Package redis models the data of one Redis server: its keys, their values,
// their expiry, and the Lua scripts that work on them.
//
// A Store is a pure state machine. It has no clock, no goroutine and no randomness:
// the caller says what time it is on the server's own wall clock, who asks, and
// what the command is, and gets the reply that Redis 7.0 gives. Network, the
// timing of replication, WAIT and failover belong to the world around it.
//
// A lock of client 1 that runs out and is taken over by client 2:
//
//	s := redis.New()
//	set := Set("lock", "token-1").NX().PX(10 * time.Second)
//	s.Exec(0, 1, &set)      // OK;    Changes: granted lock to 1
//	s.Exec(10_000, 2, &set) // nil:   at 10.000 s the lock is still there ...
//	s.Exec(10_001, 2, &set) // OK;    Changes: expired lock of 1, granted lock to 2
//
// Besides its reply every call leaves two lists behind, valid until the next call:
//
//   - Changes says what happened to entries, in the words of package history:
//     whose entry was created, extended, removed or expired, and by whom. Redis
//     itself knows no owners; an entry belongs to the client whose command
//     created it, and overwriting another client's entry removes that entry.
//   - Effects says what a replica has to apply to become equal. As in Redis,
//     the results are replicated and not the commands: expiries as absolute
//     times, and the death of an expired key as a DEL of the primary. The effects
//     of one call belong together (MULTI/EXEC) and must be applied together.
//
// A replica (SetReplica) refuses writes, deletes nothing on its own, and reads
// keys that are past their time as missing (expireIfNeeded in db.c).
package redis

import (
	"sort"

	"lockstep/internal/history"
)

// noExpiry is the expiry of a key that lives until it is removed.
const noExpiry = -1

// indexAbove is the number of keys from which on a map finds them. Locks use one
// to three keys, and comparing that many strings is cheaper than hashing one.
const indexAbove = 8

// valueKind is the type of an entry's value.
type valueKind uint8

const (
	kindString valueKind = iota
	kindHash
	kindList
	kindSortedSet
)

// field is one field of a hash, one element of a list (without a name), or one
// member of a sorted set (its value is the score).
type field struct {
	name  string
	value Arg
}

// entry is one key with its value. A number is kept as a number, so that
// counters cost no conversion; its Text then holds the digits once asked for.
type entry struct {
	key      string
	str      Arg
	fields   []field // of all but strings, in the order of the type
	expireMS int64   // absolute, on the server's wall clock; noExpiry for none
	born     uint64  // counts creations, for a stable order among equal expiries
	index    int     // position in Store.live
	owner    history.NodeID
	kind     valueKind
}

// Store is the keyspace of one server.
type Store struct {
	live   []*entry
	byKey  map[string]*entry // in use only when indexed
	free   []*entry
	dying  []*entry // scratch of ExpireDue
	vm     *interpreter
	nowMS  int64
	nextMS int64 // earliest expiry of all entries; valid unless nextStale
	born   uint64
	by     history.NodeID

	changes  []Change
	effects  []Effect
	reads    []Read
	loaded   []*program // that EVALSHA finds
	rng      luck       // of math.random in scripts
	declared []Arg      // the keys of the script that runs
	inScript bool

	indexed   bool
	nextStale bool
	replica   bool

	// Extensions are the commands beyond Redis 7.0 that the store knows. They
	// belong to the program and not to its data: Reset leaves them alone.
	Extensions Extensions

	// KeepReads makes the store note what is read (see Read). Reset leaves it alone.
	KeepReads bool

	// NoGoodReplicas makes a primary refuse writes, as min-replicas-to-write does
	// while too few replicas report in time. The world counts the replicas. Reset
	// clears it.
	NoGoodReplicas bool

	// OnPublish, when set, delivers a message of PUBLISH to the subscribers of a
	// channel and returns how many there are.
	OnPublish func(channel, message string) (receivers int64)
}

// New returns an empty store of a primary. It makes a Lua interpreter of its own
// with its first script; see NewSharing.
func New() *Store { return &Store{nextMS: noExpiry, vm: &interpreter{}, rng: firstLuck} }

// NewSharing returns an empty store that runs its scripts on the interpreter of
// another one. An interpreter takes about 60 KB; the stores that share one must
// be used from one goroutine at a time, as those of one world are.
func NewSharing(other *Store) *Store { return &Store{nextMS: noExpiry, vm: other.vm, rng: firstLuck} }

// Reset empties the store and makes it a primary. Memory is kept, so that a
// store can be used for many runs without allocation. Nothing is reported.
func (s *Store) Reset() {
	s.drop()
	s.changes, s.effects = s.changes[:0], s.effects[:0]
	s.replica, s.NoGoodReplicas, s.inScript, s.declared = false, false, false, nil
	s.born, s.loaded, s.rng = 0, s.loaded[:0], firstLuck
	s.nowMS, s.by = 0, 0
}

// SetReplica makes the store a replica or a primary. The keys stay as they are:
// promotion neither loses nor expires anything by itself.
func (s *Store) SetReplica(replica bool) { s.replica = replica }

// IsReplica reports whether the store is a replica.
func (s *Store) IsReplica() bool { return s.replica }

// Exec executes one command of a client at the server's own wall clock, in
// milliseconds, and returns its reply.
func (s *Store) Exec(nowMS int64, by history.NodeID, cmd *Cmd) Reply {
	s.begin(nowMS, by)
	c := lookup(cmd.name)
	if c == cmdEval {
		return s.eval(c, cmd)
	}
	if refused := s.admit(c, cmd); refused != nil {
		return Failed(refused)
	}
	if c == cmdSet { // what clients spin with
		return s.set(c, cmd.Arguments())
	}
	return s.perform(c, cmd)
}

// perform executes a command that was admitted.
func (s *Store) perform(c *command, cmd *Cmd) Reply {
	switch c {
	case cmdEval, cmdEvalSHA:
		return s.eval(c, cmd)
	case cmdScript:
		return s.loadScript(cmd)
	}
	return s.run(c, cmd.Arguments())
}

// admit refuses what does not even begin to run (processCommand in server.c).
func (s *Store) admit(c *command, cmd *Cmd) error {
	if !s.knows(c) {
		return unknownCommand(cmd.name, cmd.Arguments())
	}
	if cmd.Script == nil && !c.takes(cmd.Len()) { // with one it has a text and a number besides
		return wrongNumber(c).Err
	}
	if c.write {
		return s.refuses()
	}
	return nil
}

// begin starts a call: it forgets what the last one reported. The time is that of
// Unix: before 1970 an expiry could not be told from none, in Redis neither.
func (s *Store) begin(nowMS int64, by history.NodeID) {
	if nowMS < 0 {
		panic("redis: a server's wall clock shows a time before 1970: give it an epoch")
	}
	s.nowMS, s.by = nowMS, by
	s.changes, s.effects, s.reads = s.changes[:0], s.effects[:0], s.reads[:0]
}

// Changes returns what the last call of Exec, ExpireDue, Evict, Apply, CopyTo (of the
// destination) or Lose did to entries. The buffer is reused by the next call.
func (s *Store) Changes() []Change { return s.changes }

// Effects returns what a replica has to apply to follow the last call of Exec, Evict or
// ExpireDue. The buffer is reused by the next call; copy the values to keep them.
func (s *Store) Effects() []Effect { return s.effects }

// Len returns the number of keys, those past their time included.
func (s *Store) Len() int { return len(s.live) }

// Owner returns the client whose command created the entry, 0 when there is
// none. It does not look at the clock: an entry that is past its time but was
// not yet dropped still has its owner.
func (s *Store) Owner(key string) history.NodeID {
	if e := s.find(key); e != nil {
		return e.owner
	}
	return 0
}

// find returns the entry of a key whether or not it is past its time.
func (s *Store) find(key string) *entry {
	if s.indexed {
		return s.byKey[key]
	}
	for _, e := range s.live {
		if e.key == key {
			return e
		}
	}
	return nil
}

// lookup returns the entry of a key, or nil when there is none or its time is
// up. A primary drops such a key then and there (expireIfNeeded in db.c).
func (s *Store) lookup(key string) *entry {
	e := s.find(key)
	if e == nil || !e.expired(s.nowMS) {
		return e
	}
	if !s.replica {
		s.expire(e)
	}
	return nil
}

// expired reports whether an entry is past its time. Redis expires a key when
// now > when (keyIsExpired in db.c): in the millisecond of its expiry it lives.
func (e *entry) expired(nowMS int64) bool {
	return e.expireMS != noExpiry && nowMS > e.expireMS
}

// add makes an entry with a key that has none.
func (s *Store) add(key string, kind valueKind, owner history.NodeID) *entry {
	var e *entry
	if n := len(s.free); n > 0 {
		e = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		e = &entry{}
	}
	s.born++
	e.key, e.kind, e.owner, e.born = key, kind, owner, s.born
	e.expireMS, e.index = noExpiry, len(s.live)
	s.live = append(s.live, e)
	switch {
	case s.indexed:
		s.byKey[key] = e
	case len(s.live) > indexAbove:
		s.buildIndex()
	}
	return e
}

// buildIndex starts the map from keys to entries.
func (s *Store) buildIndex() {
	if s.byKey == nil {
		s.byKey = make(map[string]*entry, 4*indexAbove)
	}
	for _, e := range s.live {
		s.byKey[e.key] = e
	}
	s.indexed = true
}

// remove takes an entry out of the keyspace, without reporting it.
func (s *Store) remove(e *entry) {
	if s.indexed {
		delete(s.byKey, e.key)
	}
	if e.expireMS != noExpiry && e.expireMS == s.nextMS {
		s.nextStale = true
	}
	last := len(s.live) - 1
	s.live[e.index] = s.live[last]
	s.live[e.index].index = e.index
	s.live[last] = nil
	s.live = s.live[:last]
	s.recycle(e)
}

// recycle keeps the memory of an entry for another key, but none of its strings.
func (s *Store) recycle(e *entry) {
	clear(e.fields)
	e.fields = e.fields[:0]
	e.key, e.str = "", Arg{}
	s.free = append(s.free, e)
}

// drop empties the keyspace without reporting it.
func (s *Store) drop() {
	for i, e := range s.live {
		s.recycle(e)
		s.live[i] = nil
	}
	s.live = s.live[:0]
	if s.indexed {
		clear(s.byKey)
		s.indexed = false
	}
	s.nextMS, s.nextStale = noExpiry, false
}

// setExpiry gives an entry a new absolute expiry, noExpiry for none.
func (s *Store) setExpiry(e *entry, atMS int64) {
	if e.expireMS != noExpiry && e.expireMS == s.nextMS && atMS != e.expireMS {
		s.nextStale = true
	}
	e.expireMS = atMS
	if atMS != noExpiry && (s.nextMS == noExpiry || atMS < s.nextMS) {
		s.nextMS = atMS // still the minimum when stale: it is below all others
	}
}

// Entry is a key with all that belongs to it, for tests and comparisons.
type Entry struct {
	Key       string
	Type      string // as TYPE answers: string, hash, list, zset
	Value     string // of a string
	Fields    []string
	ExpiresMS int64 // -1: never
	Owner     history.NodeID
}

// Snapshot returns all entries in the order of their keys, those past their time
// included. Fields holds names and values of a hash in turn, the elements of a
// list, or members and scores of a sorted set in turn.
func (s *Store) Snapshot() []Entry {
	out := make([]Entry, 0, len(s.live))
	for _, e := range s.live {
		shot := Entry{Key: e.key, Type: e.typeName(), ExpiresMS: e.expireMS, Owner: e.owner}
		if e.kind == kindString {
			shot.Value = e.str.String()
		}
		for i := range e.fields {
			if e.kind != kindList {
				shot.Fields = append(shot.Fields, e.fields[i].name)
			}
			shot.Fields = append(shot.Fields, e.fields[i].value.String())
		}
		out = append(out, shot)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

// typeName is the answer of TYPE.
func (e *entry) typeName() string { return typeNames[e.kind] }

var typeNames = [...]string{
	kindString: "string", kindHash: "hash", kindList: "list", kindSortedSet: "zset",
}
