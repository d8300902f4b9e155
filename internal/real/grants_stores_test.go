package real

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
)

// twoRows are two clients that hold the lock of a table without a unique key.
const twoRows = `
	0-2 A 1 INSERT INTO lock_info (name) VALUES ('lock') -> 1 row
	2 A acquired
	10-12 B 1 INSERT INTO lock_info (name) VALUES ('lock') -> 1 row
	12 B acquired`

var consulTraits = traits{elsewhere: true, shared: true, agreed: true}

func TestWhatIsDerivedOfEachStore(t *testing.T) {
	consul, etcd := consulTraits, consulTraits
	zk, mysql := traits{shared: true, agreed: true}, traits{shared: true}
	const (
		zkHolds = `
			0-1 A 1 CONNECT 1000 -> session 0xa, timeout 1000
			2-3 A 2 CREATE /lock EPHEMERAL -> /lock
			3 A acquired`
		zkNext = `
			100-101 B 1 CONNECT 1000 -> session 0xb, timeout 1000
			102-104 B 2 CREATE /lock EPHEMERAL -> /lock
			104 B acquired`
		zkDelete = `
			120 A releasing
			121-123 A 4 DELETE /lock -1 -> OK
			123 A released`
	)
	const consulHolds = `
			0-1 A 1 SESSION TTL 50ms LOCK-DELAY 15ms BEHAVIOR release -> s-a
			2-3 A 2 ACQUIRE lock SESSION s-a -> true
			3 A acquired`
	const doubtful, doubtfulC = "123 may-have-removed - by A", "105 may-have-removed - by C"
	for _, tt := range []struct {
		name string
		of   traits
		ttl  time.Duration
		give string
		want []string
	}{
		{"zookeeper: a node with the name of all clients", zk, 50, zkHolds + zkNext + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: a session that nothing has kept alive", zk, 15, zkHolds + zkNext + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtful}},
		{"zookeeper: a session that a heartbeat has kept alive", zk, 15, zkHolds + zkNext + `
			112-113 B 3w PING -> OK` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: a delete with a lost reply may have removed it before", zk, 50, zkHolds + zkNext + `
			103 C sent 3 DELETE /lock -1
			105 C reply-dropped 3` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtfulC, doubtful}},
		{"zookeeper: a delete with a lost reply was executed before the next create", zk, 50, zkHolds + `
			20 A releasing
			21 A sent 3 DELETE /lock -1
			22 B sent 1 CREATE /lock EPHEMERAL
			23 A reply-dropped 3
			24 B replied 1 /lock
			24 B acquired
			30 A release-failed
			31 A releasing
			32-33 A 4 DELETE /lock -1 -> OK
			33 A released`,
			[]string{"3 granted A by A", "23 removed A by A", "24 granted B by B", "33 removed B by A"}},
		{"zookeeper: unless the session may have ended before", zk, 15, zkHolds + `
			20 A releasing
			21 A sent 3 DELETE /lock -1
			22 B sent 1 CREATE /lock EPHEMERAL
			23 A reply-dropped 3
			24 B replied 1 /lock
			24 B acquired`,
			[]string{"3 granted A by A", "23 may-have-removed - by A", "24 granted B by B"}},
		{"zookeeper: unless the node was seen later", zk, 50, zkHolds + zkNext + `
			103 C sent 3 DELETE /lock -1
			105 C reply-dropped 3
			106-107 C 4 EXISTS /lock WATCH -> czxid 4, version 0, session 0xb` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtfulC, "123 removed B by A"}},
		{"zookeeper: no node without its session", zk, 50, zkHolds + `
			4-5 A 3 CLOSE -> OK
			6-7 C 3 CREATE /lock EPHEMERAL -> (error) nothing is known of it
			20 B releasing
			21-22 B 1 DELETE /lock -1 -> OK
			22 B released`,
			[]string{"3 granted A by A", "22 may-have-removed - by B"}},
		{"zookeeper: the end of a session removes only its own nodes", zk, 50, zkHolds + zkNext + `
			105 C sent 3 CLOSE` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: the first in the queue has the grant", zk, 50, `
			0-1 A 1 CREATE /lock/x-lock- EPHEMERAL SEQUENTIAL -> /lock/x-lock-0000000007
			40-42 A 2 CHILDREN /lock -> [x-lock-0000000007]
			42 A acquired
			50 A releasing
			51-52 A 3 DELETE /lock/x-lock-0000000007 -1 -> OK
			52 A released`,
			[]string{"42 granted A by A", "52 removed A by A"}},
		{"etcd: a queue, and a delete of its own key", etcd, 50, `
			0-1 A 1 TXN IF create(lock/a) = 0 THEN PUT lock/a LEASE a; GET lock/ -> succeeded, revision 2
			1 A acquired
			5-7 B 1 TXN IF create(lock/b) = 0 THEN PUT lock/b LEASE b; GET lock/ -> succeeded, revision 3
			20 A releasing
			21-24 A 2 DELETE lock/a -> deleted 1
			24 A released
			22-23 B 2 GET lock/ -> none
			23 B acquired`,
			[]string{"1 granted A by A", "23 granted B by B", "24 removed A by A"}},
		{"etcd: a revocation does not remove a key with another lease", etcd, 50, `
			0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
			1 A acquired
			2 C sent 1 TXN IF create(latch) = 0 THEN PUT lock LEASE c
			20 A releasing
			21 A sent 2 REVOKE a
			22 B sent 1 REVOKE b
			24 A replied 2 OK
			24 A released`,
			[]string{"1 granted A by A"}},
		{"etcd: a revocation removes a key that no other client can have put", etcd, 50, `
			0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
			1 A acquired
			20 A releasing
			21 A sent 2 REVOKE a
			22 B sent 1 REVOKE b
			24 A replied 2 OK
			24 A released`,
			[]string{"1 granted A by A", "24 removed A by A"}},
		{"consul: a key that was released before its session ended", consul, 50, consulHolds + `
			30 A releasing
			31 A sent 3 RELEASE lock SESSION s-a
			32 B sent 1 ACQUIRE lock SESSION s-b
			33 A replied 3 true
			34 A sent 4 DESTROY s-a
			35 B replied 1 true
			35 B acquired
			36 A replied 4 true
			36 A released`,
			[]string{"3 granted A by A", "33 removed A by A", "35 granted B by B"}},
		{"consul: a refused client has no key", consul, 50, consulHolds + `
			5-6 B 1 ACQUIRE lock SESSION s-b -> false
			6 B acquired`,
			[]string{"3 granted A by A"}},
		{"consul: the end of a session does not release the keys of others", consul, 50, consulHolds + `
			5 B sent 1 DESTROY s-b
			20 A releasing
			21-22 A 3 RELEASE lock SESSION s-a -> true
			22 A released`,
			[]string{"3 granted A by A", "22 removed A by A"}},
		{"mysql: a row without an owner", mysql, 0, `
			0-2 A 1 INSERT INTO locks (name) VALUES ('lock') -> 1 row, id 1
			2 A acquired
			30 A releasing
			31 A sent 2 DELETE FROM locks WHERE name = 'lock'
			33 A timed-out 2 no reply
			33 A release-failed
			40-42 B 1 INSERT INTO locks (name) VALUES ('lock') -> 1 row, id 2
			42 B acquired
			60 A releasing
			61-63 A 3 DELETE FROM locks WHERE name = 'lock' -> 1 row
			63 A released`,
			[]string{"2 granted A by A", "33 may-have-removed - by A", "42 granted B by B", "63 may-have-removed - by A"}}, // the first DELETE may come at any time
		{"mysql: a statement without an answer may have removed two rows", mysql, 0, twoRows + `
			30 B releasing
			31 B sent 2 DELETE FROM lock_info WHERE name = 'lock'
			33 B timed-out 2
			33 B release-failed`,
			[]string{"2 granted A by A", "12 granted B by B", "33 may-have-removed - by B"}},
		{"mysql: a statement that removes two rows", mysql, 0, twoRows + `
			30 A releasing
			31-33 A 2 DELETE FROM lock_info WHERE name = 'lock' -> 2 rows
			33 A released`,
			[]string{"2 granted A by A", "12 granted B by B", "33 removed A by A", "33 removed B by A"}},
		{"mysql: a release at the same time that finds nothing", mysql, 0, twoRows + `
			30 A releasing
			30 B releasing
			31 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			32 B sent 2 DELETE FROM lock_info WHERE name = 'lock'
			33 A replied 2 2 rows
			33 A released
			34 B replied 2 0 rows
			34 B not-held`,
			[]string{"2 granted A by A", "12 granted B by B", "33 removed A by A", "33 removed B by A"}},
		{"mysql: as many rows as there can be, despite a statement without an answer", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 2 rows
			33 B released
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "33 removed A by B", "33 removed B by B", "40 may-have-removed - by A"}},
		{"mysql: as many rows, but a third client may have made one", mysql, 0, twoRows + `
			15 C sent 1 INSERT INTO lock_info (name) VALUES ('lock')
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 2 rows
			33 B released
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "33 may-have-removed - by B", "40 may-have-removed - by A"}},
		{"mysql: a statement that finds no row shows that an earlier one removed it", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			23 A reply-dropped 2
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 0 rows
			33 B not-held
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "23 removed A by A", "23 removed B by A"}},
		{"mysql: but not which of two earlier ones", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			21 C sent 2 DELETE FROM lock_info WHERE name = 'lock'
			23 A reply-dropped 2
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 0 rows
			33 B not-held
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "21 may-have-removed - by C", "23 may-have-removed - by A"}},
		{"mysql: a row with its owner", mysql, 20, `
			0-2 A 1 UPDATE lock_leases SET owner = 'x', expires_at = 7 -> 1 row
			2-3 A 2 SELECT version FROM lock_leases -> (3)
			3 A acquired
			30 A releasing
			31-33 A 3 UPDATE lock_leases SET expires_at = 0 WHERE name = 'lock' -> 1 row
			33 A released`,
			[]string{"2 granted A by A", "33 removed A by A"}},
		{"postgres: a lock of a session", mysql, 0, `
			0-2 A 1 PG_ADVISORY_LOCK -> ok
			2 A acquired
			30 A releasing
			31-33 A 2 PG_ADVISORY_UNLOCK -> t
			33 A released`,
			[]string{"2 granted A by A", "33 removed A by A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := deriveGrants(script(t, tt.give), tt.of, tt.ttl*time.Millisecond, interference{})
			concludes(t, out, tt.want...)
		})
	}
}

// evicted is the removal of an entry by an operator, at 30 to 31 ms.
func evicted(victim history.NodeID) interference {
	const ms = history.Instant(time.Millisecond)
	return interference{evictions: []*command{{
		server: nodeOne, sent: 30 * ms, done: 31 * ms, answered: true, releasing: true, answer: history.Number(1), victim: victim,
	}}}
}

func TestWhoseLeaseAnOperatorRevoked(t *testing.T) {
	entries := script(t, `
		0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
		1 A acquired`)
	for victim, want := range map[history.NodeID][]string{
		nodeA: {"1 granted A by A", "31 removed A by -"}, nodeOf("B"): {"1 granted A by A"},
	} {
		concludes(t, deriveGrants(entries, consulTraits, time.Second, evicted(victim)), want...)
	}
}

// Entries that end with their client, with their server, or when their primary becomes a replica
// are not there for an operator to remove.
func TestWhatEndsWithoutARemoval(t *testing.T) {
	const (
		getLock = `
			0-2 A 1 GET_LOCK -> (1)
			2 A acquired`
		insert = `
			0-2 A 1 INSERT INTO locks (name) VALUES ('lock') -> 1 row
			2 A acquired`
		set = `
			12-14 A 1 SET lock aaaa PX 50 NX -> OK
			14 A acquired`
		died = `
			20 one crashed
			25 one restarted`
		deposed = `
			10 two promoted one
			20 one demoted two`
	)
	for _, tt := range []struct {
		name string
		of   traits
		give string
		want []string
	}{
		{"a session's lock ends when its client dies", traits{shared: true}, getLock + "\n20 A crashed",
			[]string{"2 granted A by A"}},
		{"a row does not", traits{shared: true}, insert + "\n20 A crashed",
			[]string{"2 granted A by A", "31 removed A by -"}},
		{"a session's lock ends when the server dies", traits{shared: true}, getLock + died,
			[]string{"2 granted A by A", "25 forgotten A by -"}},
		{"a row does not", traits{shared: true}, insert + died,
			[]string{"2 granted A by A", "31 removed A by -"}},
		{"the grants of a replaced primary are lost when it becomes a replica", redisTraits, set + deposed,
			[]string{"14 granted A by A", "20 forgotten A by -"}},
		{"unless other servers may have them, too", redisTraits, strings.ReplaceAll(set, "12-14 A", "8-14 A") + deposed,
			[]string{"14 granted A by A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			concludes(t, deriveGrants(script(t, tt.give), tt.of, 0, evicted(0)), tt.want...)
		})
	}
}
