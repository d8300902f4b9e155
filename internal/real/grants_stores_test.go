package real

import (
	"fmt"
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

func TestWhatIsDerivedOfEachStore(t *testing.T) {
	consul, etcd, zk, mysql := traits{elsewhere: true, shared: true, agreed: true}, traits{elsewhere: true, shared: true, agreed: true}, traits{shared: true, agreed: true}, traits{shared: true}
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
	const doubtful, doubtfulC = "123 may-have-removed nobody by A", "105 may-have-removed nobody by C"
	tests := []struct {
		name string
		of   traits
		ttl  time.Duration
		give string
		want []string
	}{
		{"zookeeper: a node of everybody's name", zk, 50, zkHolds + zkNext + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: a session that nothing has kept alive", zk, 15, zkHolds + zkNext + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtful}},
		{"zookeeper: a session that a heartbeat has kept alive", zk, 15, zkHolds + zkNext + `
			112-113 B 3w PING -> OK` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: a delete whose reply was lost may have hit it before", zk, 50, zkHolds + zkNext + `
			103 C sent 3 DELETE /lock -1
			105 C reply-dropped 3` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtfulC, doubtful}},
		{"zookeeper: a delete whose reply was lost made room for the next one", zk, 50, zkHolds + `
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
		{"zookeeper: or may not have, when the session may have ended", zk, 15, zkHolds + `
			20 A releasing
			21 A sent 3 DELETE /lock -1
			22 B sent 1 CREATE /lock EPHEMERAL
			23 A reply-dropped 3
			24 B replied 1 /lock
			24 B acquired`,
			[]string{"3 granted A by A", "23 may-have-removed nobody by A", "24 granted B by B"}},
		{"zookeeper: and has not when the node was seen later", zk, 50, zkHolds + zkNext + `
			103 C sent 3 DELETE /lock -1
			105 C reply-dropped 3
			106-107 C 4 EXISTS /lock WATCH -> czxid 4, version 0, session 0xb` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", doubtfulC, "123 removed B by A"}},
		{"zookeeper: who has ended its session has no node", zk, 50, zkHolds + `
			4-5 A 3 CLOSE -> OK
			6-7 C 3 CREATE /lock EPHEMERAL -> (error) nothing is known of it
			20 B releasing
			21-22 B 1 DELETE /lock -1 -> OK
			22 B released`,
			[]string{"3 granted A by A", "22 may-have-removed nobody by B"}},
		{"zookeeper: who ends a session takes nothing of others with it", zk, 50, zkHolds + zkNext + `
			105 C sent 3 CLOSE` + zkDelete,
			[]string{"3 granted A by A", "104 granted B by B", "123 removed B by A"}},
		{"zookeeper: a place in the queue is granted when its turn comes", zk, 50, `
			0-1 A 1 CREATE /lock/x-lock- EPHEMERAL SEQUENTIAL -> /lock/x-lock-0000000007
			40-42 A 2 CHILDREN /lock -> [x-lock-0000000007]
			42 A acquired
			50 A releasing
			51-52 A 3 DELETE /lock/x-lock-0000000007 -1 -> OK
			52 A released`,
			[]string{"42 granted A by A", "52 removed A by A"}},
		{"etcd: a queue again, and a delete that can only be its own", etcd, 50, `
			0-1 A 1 TXN IF create(lock/a) = 0 THEN PUT lock/a LEASE a; GET lock/ -> succeeded, revision 2
			1 A acquired
			5-7 B 1 TXN IF create(lock/b) = 0 THEN PUT lock/b LEASE b; GET lock/ -> succeeded, revision 3
			20 A releasing
			21-24 A 2 DELETE lock/a -> deleted 1
			24 A released
			22-23 B 2 GET lock/ -> none
			23 B acquired`,
			[]string{"1 granted A by A", "23 granted B by B", "24 removed A by A"}},
		{"etcd: a revocation removes no key that is bound to another lease by now", etcd, 50, `
			0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
			1 A acquired
			2 C sent 1 TXN IF create(latch) = 0 THEN PUT lock LEASE c
			20 A releasing
			21 A sent 2 REVOKE a
			22 B sent 1 REVOKE b
			24 A replied 2 OK
			24 A released`,
			[]string{"1 granted A by A"}},
		{"etcd: it does where no client puts the key where another one's may be", etcd, 50, `
			0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
			1 A acquired
			20 A releasing
			21 A sent 2 REVOKE a
			22 B sent 1 REVOKE b
			24 A replied 2 OK
			24 A released`,
			[]string{"1 granted A by A", "24 removed A by A"}},
		{"consul: a key that was given back before its session ended", consul, 50, consulHolds + `
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
		{"consul: who was refused has no key", consul, 50, consulHolds + `
			5-6 B 1 ACQUIRE lock SESSION s-b -> false
			6 B acquired`,
			[]string{"3 granted A by A"}},
		{"consul: the end of a session takes the key of no other with it", consul, 50, consulHolds + `
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
			[]string{"2 granted A by A", "33 may-have-removed nobody by A", "42 granted B by B", "63 may-have-removed nobody by A"}}, // the first DELETE may come at any time
		{"mysql: a statement without an answer may have removed two rows", mysql, 0, twoRows + `
			30 B releasing
			31 B sent 2 DELETE FROM lock_info WHERE name = 'lock'
			33 B timed-out 2
			33 B release-failed`,
			[]string{"2 granted A by A", "12 granted B by B", "33 may-have-removed nobody by B"}},
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
		{"mysql: as many rows as there can be, whatever another statement may have done", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 2 rows
			33 B released
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "33 removed A by B", "33 removed B by B", "40 may-have-removed nobody by A"}},
		{"mysql: as many rows, but a third client may have made one", mysql, 0, twoRows + `
			15 C sent 1 INSERT INTO lock_info (name) VALUES ('lock')
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 2 rows
			33 B released
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "33 may-have-removed nobody by B", "40 may-have-removed nobody by A"}},
		{"mysql: who finds no row tells what a lost reply was", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			23 A reply-dropped 2
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 0 rows
			33 B not-held
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "23 removed A by A", "23 removed B by A"}},
		{"mysql: who finds no row does not tell which of two it was", mysql, 0, twoRows + `
			20 A releasing
			21 A sent 2 DELETE FROM lock_info WHERE name = 'lock'
			21 C sent 2 DELETE FROM lock_info WHERE name = 'lock'
			23 A reply-dropped 2
			30 B releasing
			31-33 B 2 DELETE FROM lock_info WHERE name = 'lock' -> 0 rows
			33 B not-held
			40 A timed-out 2`,
			[]string{"2 granted A by A", "12 granted B by B", "21 may-have-removed nobody by C", "23 may-have-removed nobody by A"}},
		{"mysql: a row that says whose it is", mysql, 20, `
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries := script(t, tt.give)
			inOrder(entries)
			concludes(t, deriveGrants(entries, tt.of, tt.ttl, outside{}), tt.want)
		})
	}
}

func TestWhoseLeaseAnOperatorRevoked(t *testing.T) {
	entries := script(t, `
		0-1 A 1 TXN IF create(lock) = 0 THEN PUT lock LEASE a ELSE GET lock -> succeeded, revision 2
		1 A acquired`)
	for victim, want := range map[history.NodeID][]string{
		1: {"1 granted A by A", "6 removed A by nobody"}, 2: {"1 granted A by A"},
	} {
		c := &command{sent: 5, done: 6, answered: true, releasing: true, answer: history.Number(1), victim: victim}
		concludes(t, deriveGrants(entries, traits{elsewhere: true, shared: true, agreed: true}, 10, outside{evictions: []*command{c}}), want)
	}
}

// Entries that end with their client, their server or the rule of a primary belong to no client
// to remove after that.
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
	)
	const server = 8
	killed := &command{server: server, sent: 30, done: 31, answered: true, releasing: true, answer: history.Number(1)}
	died := []entry{befell(history.Crashed, server, 20, false), befell(history.Restarted, server, 25, false)}
	deposed := []entry{
		{Event: history.Event{At: 10, Kind: history.Promoted, Node: 9, Peer: server}},
		{Event: history.Event{At: 20, Kind: history.Demoted, Node: server, Peer: 9}},
	}
	tests := []struct {
		name string
		of   traits
		give string
		more []entry
		want []string
	}{
		{"a session's lock is not there for an operator when its client is dead", traits{shared: true}, getLock + "\n20 A crashed", nil, []string{"2 granted A by A on 8"}},
		{"a row is", traits{shared: true}, insert + "\n20 A crashed", nil, []string{"2 granted A by A on 8", "31 removed A by nobody on 8"}},
		{"a session's lock dies with the server", traits{shared: true}, getLock, died, []string{"2 granted A by A on 8", "25 forgotten A by nobody on 8"}},
		{"a row does not", traits{shared: true}, insert, died, []string{"2 granted A by A on 8", "31 removed A by nobody on 8"}},
		{"what a replaced primary has granted is lost when it becomes a replica", redisTraits, set, deposed, []string{"14 granted A by A on 8", "20 forgotten A by nobody on 8"}},
		{"unless others may have it, too", redisTraits, strings.ReplaceAll(set, "12-14 A", "8-14 A"), deposed, []string{"14 granted A by A on 8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries := script(t, tt.give)
			for i := range entries {
				entries[i].server = server
			}
			entries = append(entries, tt.more...)
			inOrder(entries)
			eviction := *killed
			out := deriveGrants(entries, tt.of, 0, outside{evictions: []*command{&eviction}})
			inOrder(out)
			names := []string{"nobody", "A"}
			var got []string
			for _, e := range out {
				got = append(got, fmt.Sprintf("%d %v %s by %s on %d", e.At, e.Kind, names[e.Owner], names[e.Peer], e.Node))
			}
			if strings.Join(got, "; ") != strings.Join(tt.want, "; ") {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
}
