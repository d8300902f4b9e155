// Package redis models the data of one Redis server: its keys, their values,
// their expiry, and the Lua scripts that work on them.
//
// A Store is a pure state machine, without clock, goroutine or randomness: the caller
// gives the time on the server's own wall clock, the client and the command, and gets
// the reply that Redis 7.0 gives. Network, the timing of replication, WAIT and failover
// belong to the world around it.
//
// A lock of client 1 that expires and is taken over by client 2:
//
//	s := redis.New()
//	set := Set("lock", "token-1").NX().PX(10 * time.Second)
//	s.Exec(0, 1, &set)      // OK;    Changes: granted lock to 1
//	s.Exec(10_000, 2, &set) // nil:   at 10.000 s the lock is still there ...
//	s.Exec(10_001, 2, &set) // OK;    Changes: expired lock of 1, granted lock to 2
//
// Besides its reply every call leaves two lists, valid until the next call:
//
//   - Changes are what happened to entries, in the words of package history:
//     whose entry was created, extended, removed or expired, and by whom. Redis
//     has no owners; here an entry belongs to the client whose command created
//     it, and overwriting another client's entry removes that entry. So does
//     overwriting what its owner wrote into a hash.
//   - Effects are what a replica has to apply to become equal. As in Redis,
//     results are replicated and not commands: expiries as absolute times, and
//     the expiry of a key as a DEL of the primary. The effects of one call
//     (MULTI/EXEC) must be applied together.
//
// A replica (SetReplica) refuses writes, deletes nothing on its own, and reads
// keys past their time as missing (expireIfNeeded in db.c).
package redis

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// noExpiry is the expiry of a key that lives until it is removed.
const noExpiry = -1

// valueKind is the type of an entry's value.
type valueKind uint8

const (
	kindString valueKind = iota
	kindHash
	kindList
	kindSortedSet
	kindAny // for commands that work on all of them
)

// field is one field of a hash, one element of a list (without a name), or one
// member of a sorted set (its value is the score).
type field struct {
	name  string
	value Arg
	by    history.NodeID // who wrote it; of hashes
}

// entry is one key with its value. A number is kept as a number, so that counters
// need no conversion.
type entry struct {
	key      string
	str      Arg
	fields   []field // of all but strings, in the order of the type
	expireMS int64   // absolute, on the server's wall clock; noExpiry for none
	born     uint64  // counts creations, for a stable order among equal expiries
	index    int     // in Store.live
	owner    history.NodeID
	kind     valueKind
}

// Store is the keyspace of one server. Locks use few keys, so it is a list.
type Store struct {
	live  []*entry
	free  []*entry // for reuse
	dying []*entry // scratch of ExpireDue
	vm    *interpreter
	nowMS int64
	born  uint64
	by    history.NodeID

	changes  []Change
	effects  []Effect
	reads    []Read
	loaded   []*program // for EVALSHA
	rng      rand48     // of math.random in scripts
	declared []Arg      // the keys of the running script
	inScript bool
	replica  bool

	// Extensions are the commands beyond Redis 7.0 that the store has. They belong
	// to the program and not to its data: Reset leaves them alone.
	Extensions Extensions

	// KeepReads makes the store record reads (see Read). Reset leaves it alone.
	KeepReads bool

	// NoGoodReplicas makes a primary refuse writes, as min-replicas-to-write does
	// while too few replicas report in time; the world counts them. Reset clears it.
	NoGoodReplicas bool

	// OnPublish delivers a message of PUBLISH to the subscribers of a channel and
	// returns how many there are; may be nil.
	OnPublish func(channel, message string) (receivers int64)
}

// New returns an empty store of a primary, with a Lua interpreter of its own.
func New() *Store { return NewSharing(&Store{vm: &interpreter{}}) }

// NewSharing returns an empty store of a primary that shares the interpreter of another
// one, which takes memory. Stores that share one must be used from one goroutine at a
// time, as those of one world are.
func NewSharing(other *Store) *Store { return &Store{vm: other.vm, rng: firstRand} }

// Reset empties the store and makes it a primary, without reporting it. Memory is
// kept, so that a store can be used for many runs without allocation.
func (s *Store) Reset() {
	s.drop()
	s.changes, s.effects = s.changes[:0], s.effects[:0]
	s.replica, s.NoGoodReplicas, s.inScript, s.declared = false, false, false, nil
	s.born, s.loaded, s.rng = 0, s.loaded[:0], firstRand
	s.nowMS, s.by = 0, 0
}

// SetReplica makes the store a replica or a primary, with the same keys: promotion
// neither loses nor expires any.
func (s *Store) SetReplica(replica bool) { s.replica = replica }

// IsReplica reports whether the store is a replica.
func (s *Store) IsReplica() bool { return s.replica }

// Exec executes one command of a client and returns its reply. nowMS is the server's
// own wall clock.
func (s *Store) Exec(nowMS int64, by history.NodeID, cmd *Cmd) Reply {
	s.begin(nowMS, by)
	c := lookup(cmd.name)
	if refused := s.admit(c, cmd); refused != nil {
		return Failed(refused)
	}
	if c == cmdSet { // the command of a client that tries again and again
		return s.set(c, cmd.Arguments())
	}
	return s.perform(c, cmd)
}

// perform executes an admitted command.
func (s *Store) perform(c *command, cmd *Cmd) Reply {
	switch c {
	case cmdEval, cmdEvalSHA:
		return s.eval(c, cmd)
	case cmdScript:
		return s.loadScript(cmd)
	}
	return s.run(c, cmd.Arguments())
}

// admit returns why a command does not even start to run (processCommand in server.c).
func (s *Store) admit(c *command, cmd *Cmd) error {
	if !s.knows(c) {
		return unknownCommand(cmd.name, cmd.Arguments())
	}
	if cmd.Script == nil && !c.takes(cmd.Len()) { // a Script stands for two more arguments
		return wrongNumber(c).Err
	}
	if c.write {
		return s.refuses()
	}
	return nil
}

// begin starts a call: it discards what the last one reported. Before 1970 an expiry
// could not be told from none, not even in Redis.
func (s *Store) begin(nowMS int64, by history.NodeID) {
	if nowMS < 0 {
		panic("redis: a server's wall clock shows a time before 1970: give it an epoch")
	}
	s.nowMS, s.by = nowMS, by
	s.changes, s.effects, s.reads = s.changes[:0], s.effects[:0], s.reads[:0]
}

// Changes returns what the last call of Exec, ExpireDue, Evict, Apply, CopyTo (on the
// destination) or Lose did to entries. The buffer is reused by the next call.
func (s *Store) Changes() []Change { return s.changes }

// Effects returns what a replica has to apply after the last call of Exec, Evict or
// ExpireDue. The buffer is reused by the next call; copy the values to keep them.
func (s *Store) Effects() []Effect { return s.effects }

// Len returns the number of keys, those past their time included.
func (s *Store) Len() int { return len(s.live) }

// Owner returns the client whose entry it is, 0 when there is none. An
// entry past its time has an owner until it is dropped.
func (s *Store) Owner(key string) history.NodeID {
	if e := s.find(key); e != nil {
		return e.owner
	}
	return 0
}

// find returns the entry of a key even if it is past its time; nil if there is none.
func (s *Store) find(key string) *entry {
	for _, e := range s.live {
		if e.key == key {
			return e
		}
	}
	return nil
}

// lookup returns the entry of a key, nil when there is none or it is past its time. A
// primary then drops the key (expireIfNeeded in db.c).
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
// now > when (keyIsExpired in db.c): in the millisecond of its expiry it still exists.
func (e *entry) expired(nowMS int64) bool {
	return e.expireMS != noExpiry && nowMS > e.expireMS
}

// add makes an entry for a key that has none.
func (s *Store) add(key string, kind valueKind, owner history.NodeID, atMS int64) *entry {
	var e *entry
	if n := len(s.free); n > 0 {
		e = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		e = &entry{}
	}
	s.born++
	e.key, e.kind, e.owner, e.born = key, kind, owner, s.born
	e.expireMS, e.index = atMS, len(s.live)
	s.live = append(s.live, e)
	return e
}

// remove removes an entry from the keyspace, without reporting it.
func (s *Store) remove(e *entry) {
	last := len(s.live) - 1
	s.live[e.index] = s.live[last]
	s.live[e.index].index = e.index
	s.live[last] = nil
	s.live = s.live[:last]
	s.recycle(e)
}

// recycle keeps the memory of an entry for another key, but not its strings.
func (s *Store) recycle(e *entry) {
	clear(e.fields)
	e.fields = e.fields[:0]
	e.key, e.str = "", Arg{}
	s.free = append(s.free, e)
}

// drop empties the keyspace without reporting it.
func (s *Store) drop() {
	for _, e := range s.live {
		s.recycle(e)
	}
	clear(s.live)
	s.live = s.live[:0]
}

// Kept returns the keys whose entries are a client's, in order.
func (s *Store) Kept(client history.NodeID) (all []store.Entry) {
	for _, e := range s.live {
		if e.owner == client {
			all = append(all, store.Entry{Key: e.key, Lease: time.Duration(e.left(s.nowMS)) * time.Millisecond})
		}
	}
	slices.SortFunc(all, func(a, b store.Entry) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// left is how long an entry lasts, in milliseconds: its time to live, or until a time in its value
// that is less than a day ahead; 0: neither.
func (e *entry) left(nowMS int64) int64 {
	if e.expireMS != noExpiry {
		return e.ttl(nowMS)
	}
	for _, f := range append([]field{{value: e.str}}, e.fields...) {
		for _, text := range timeIn.FindAllString(digits(&f.value), -1) {
			if left := millis(text) - nowMS; left > 0 && left < (24*time.Hour).Milliseconds() {
				return left
			}
		}
	}
	return 0
}

// timeIn finds what may be a time in a value: a number since 1970, or a text as time.Time writes it.
var timeIn = regexp.MustCompile(`\d{10,19}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)

// millis is a time as milliseconds since 1970. The unit of a number shows in its digits: seconds have
// 10 of them until 2286, nanoseconds 19. 0 for no time.
func millis(text string) int64 {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UnixMilli()
	}
	n, _ := strconv.ParseInt(text, 10, 64) // 0 if it is too long
	switch len(text) {
	case 10:
		return n * 1000
	case 13:
		return n
	case 16:
		return n / 1000
	case 19:
		return n / 1_000_000
	}
	return 0
}

// typeNames are the replies of TYPE.
var typeNames = [...]string{
	kindString: "string", kindHash: "hash", kindList: "list", kindSortedSet: "zset",
}
