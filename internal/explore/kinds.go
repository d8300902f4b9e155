package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/measured"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Kind is one thing that can happen to those who use a lock.
type Kind struct {
	Name    string
	Summary string // one sentence
}

// short ends the names of kinds that last less than a lease, or heal while the holder works.
const short = measured.Short

// kinds are all of them, in the order in which they are told.
var kinds = []Kind{
	{"pause", "A client's process stands still for longer than a lease."},
	{"pause-short", "A client's process stands still for less than a lease."},
	{"crash", "A client's process dies; its host closes its connections."},
	{"host", "A client's host is gone, and its connections stay open."},
	{"slow", "The work takes longer than a lease; the rest of the process runs."},
	{"hung", "The work never ends; the rest of the process runs."},
	{"late-request", "A request arrives later than a lease (not one of a release)."},
	{"late-request-short", "A request arrives late, but within a lease (not one of a release)."},
	{"late-reply", "A reply arrives later than a lease."},
	{"late-reply-short", "A reply arrives late, but within a lease."},
	{"late-release", "A request of a release arrives later than a lease."},
	{"late-release-short", "A request of a release arrives late, but within a lease."},
	{"lost-request", "A request never arrives."},
	{"lost-reply", "A request is executed, but its reply never arrives."},
	{"cut", "A client is cut off from one server or all for longer than a lease."},
	{"cut-short", "A client is cut off from one server or all for less than a lease."},
	{"split", "The servers are split for longer than a lease, clients on both sides."},
	{"split-short", "The servers are split, and heal while the holder works."},
	{"restart", "A server restarts with what its persistence kept."},
	{"server-pause", "A server's process stands still for longer than a lease."},
	{"server-pause-short", "A server's process stands still for less than a lease."},
	{"fail-over", "The primary or leader dies, and another server takes its place."},
	{"promote", "A replica is promoted while the old primary lives on."},
	{"client-clock", "A client's wall clock is stepped by more than a lease."},
	{"server-clock", "A server's wall clock is stepped by more than a lease."},
	{"clock-rate", "A clock runs fast or slow, by 2 % or 15 %."},
	{"evict", "The store drops the lock's entry early, or ends the holder's session."},
	{"lag", "Replication falls behind."},
}

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Clone(kinds) }

// kindIndex is where a kind stands in the list; -1 for none.
func kindIndex(name string) int {
	return slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
}

// moments is a set of kinds of moments, a bit for each.
type moments uint32

func setOf(all ...faults.MomentKind) (m moments) {
	for _, k := range all {
		m |= 1 << k
	}
	return m
}

func (m moments) has(k faults.MomentKind) bool { return m&(1<<k) != 0 }

var (
	// ofProcess are the moments at which a client's process can be hit: around each of its
	// messages and each step of its workload.
	ofProcess = setOf(faults.StartsWaiting, faults.AboutToSend, faults.Sends, faults.HasReply, faults.Enters,
		faults.InSection, faults.AboutToWrite, faults.Releases)
	// ofDeath has the execution besides, between request and reply.
	ofDeath = ofProcess | setOf(faults.HasExecuted)
	// ofServers are those at which servers are hit. What is done to a server when a request
	// leaves its client is done before the request comes, so Sends would say AboutToSend again.
	ofServers = setOf(faults.StartsWaiting, faults.AboutToSend, faults.HasExecuted, faults.HasReply,
		faults.InSection, faults.AboutToWrite, faults.Releases)
	ofRates  = setOf(faults.StartsWaiting, faults.Acquires)
	onTheWay = setOf(faults.AboutToSend)
	atWork   = setOf(faults.InSection)
)

// parts says which requests a fault of one request is for.
type parts uint8

const (
	anyPart parts = iota
	butRelease
	onlyRelease
)

// everybody stands for the index of a client where the moments of all will do.
const everybody = -1

// letter is one letter of the alphabet: a fault but for its moment.
type letter struct {
	kind  int
	text  string // as a scenario says it, keys joined by semicolons
	on    moments
	who   int8 // the client whose moments will do, or everybody
	part  parts
	pairs bool // also used where several faults come together
	fault faults.Fault
}

// alphabet are the letters for one lock in one base world.
type alphabet struct {
	p       *plan.Plan
	world   string // the text that p was read from
	v       locks.Variant
	letters []letter
}

// newAlphabet builds all letters that make sense for a lock; only, if not nil, says which
// kinds are wanted.
func newAlphabet(p *plan.Plan, world string, v locks.Variant, only []string) ([]letter, error) {
	a := &alphabet{p: p, world: world, v: v}
	for i, c := range p.Clients {
		a.ofClient(int8(i), c)
	}
	a.ofStore(p.Servers(plan.StoreOf(&v)))
	a.letters = slices.DeleteFunc(a.letters, func(l letter) bool {
		return only != nil && !slices.Contains(only, kinds[l.kind].Name)
	})
	return a.letters, a.parse()
}

// add adds a letter. The text of one that is left out of pairs begins with a star.
func (a *alphabet) add(kind string, on moments, who int8, format string, args ...any) *letter {
	text := fmt.Sprintf(format, args...)
	single, alone := strings.CutPrefix(text, "* ")
	i := kindIndex(kind)
	if i < 0 {
		panic("explore: no kind is called " + kind)
	}
	a.letters = append(a.letters, letter{kind: i, text: single, on: on, who: who, pairs: !alone})
	return &a.letters[len(a.letters)-1]
}

// alone leaves the letters from an index on out of pairs.
func (a *alphabet) alone(from int) {
	for i := range a.letters[from:] {
		a.letters[from+i].pairs = false
	}
}

// lasting is one length of what can last, with the end of its kind's name.
type lasting struct{ end, text, star string }

// longest is how long a fault lasts at most, unless the store waits for longer.
const longest = 40 * time.Second

// lengths are those for a lock, a star at those that pairs leave out. Where the store keeps a lock for longer than the
// shorter of the long ones lasts, pairs have the longest, too.
func (a *alphabet) lengths() []lasting {
	long := lasting{"", seconds(longFault(&a.v)), "* "}
	if a.v.Outlasts(lease) > 12*time.Second {
		long.star = ""
	}
	return []lasting{{short, "2s", "* "}, {short, "5s", ""}, {"", "12s", ""}, long}
}

func (a *alphabet) ofClient(i int8, c string) {
	for _, d := range a.lengths() {
		a.add("pause"+d.end, ofProcess, i, "%spause: %s; for: %s", d.star, c, d.text)
		a.add("cut"+d.end, ofProcess, i, "%spartition: [%s, store]; for: %s", d.star, c, d.text)
		for _, s := range a.targets() {
			one := d.star
			if d.end == short || a.twin(s) {
				one = "* "
			}
			a.add("cut"+d.end, ofProcess, i, "%spartition: [%s, %s]; for: %s", one, c, s, d.text)
		}
		a.add("late-request"+d.end, onTheWay, i, "%sdelay: request; by: %s", d.star, d.text).part = butRelease
		a.add("late-release"+d.end, onTheWay, i, "%sdelay: request; by: %s", d.star, d.text).part = onlyRelease
		a.add("late-reply"+d.end, onTheWay, i, "%sdelay: reply; by: %s", d.star, d.text)
	}
	a.add("crash", ofDeath, i, "crash: %s", c)
	a.add("host", ofDeath, i, "lose-host: %s", c)
	a.add("slow", atWork, i, "slow: %s; by: 8s", c)
	a.add("slow", atWork, i, "slow: %s; by: 40s", c)
	a.add("hung", atWork, i, "hang: %s", c)
	a.add("lost-request", onTheWay, i, "drop: request")
	a.add("lost-reply", onTheWay, i, "drop: reply")
	a.add("client-clock", ofProcess, i, "jump-clock: %s; by: -11s", c)
	a.add("client-clock", ofProcess, i, "jump-clock: %s; by: +11s", c)
	a.rates(c)
}

func (a *alphabet) rates(node string) {
	for _, r := range []string{"* +2%", "* -2%", "+15%", "-15%"} {
		rate, alone := strings.CutPrefix(r, "* ")
		a.add("clock-rate", ofRates, everybody, "drift-clock: %s; rate: %s; forever: true", node, rate).pairs = !alone
	}
}

// twin reports whether a server is like another one, so that pairs do without it: the third
// member of a cluster, which begins as a follower like the second.
func (a *alphabet) twin(server string) bool {
	return plan.InCluster(server) && strings.HasSuffix(server, "-3")
}

// targets are the servers that a fault can name one by one; none where there is only one.
// Of a Redis Cluster these are the lock's primary with its replica and the first primary of
// the others, which stands for all that have nothing to do with the lock.
func (a *alphabet) targets() []string {
	servers := a.p.Servers(plan.StoreOf(&a.v))
	if a.p.InShards(plan.StoreOf(&a.v)) {
		return []string{"redis-2", "redis-5", "redis-1"}
	}
	if len(servers) == 1 {
		return nil
	}
	return servers
}

func (a *alphabet) ofStore(servers []string) {
	named := a.targets()
	if named == nil {
		named = servers
	}
	for _, s := range named {
		from := len(a.letters)
		a.add("restart", ofServers, everybody, "restart: %s; down: 500ms", s)
		a.add("restart", ofServers, everybody, "* restart: %s; down: 12s", s)
		for _, d := range a.lengths()[1:] {
			a.add("server-pause"+d.end, ofServers, everybody, "%spause: %s; for: %s", d.star, s, d.text)
		}
		a.add("server-clock", ofServers, everybody, "jump-clock: %s; by: +11s", s)
		a.add("server-clock", ofServers, everybody, "jump-clock: %s; by: -11s", s)
		a.rates(s)
		if a.twin(s) {
			a.alone(from)
		}
	}
	a.add("evict", ofServers, everybody, "evict: lock")
	switch shards := a.p.InShards(plan.StoreOf(&a.v)); {
	case a.v.Store == locks.StoreRedisNodes:
		for _, s := range servers {
			a.add("evict", ofServers, everybody, "evict: lock; from: %s", s)
		}
	case shards:
		a.add("fail-over", ofServers, everybody, "crash: redis-2")
		a.add("fail-over", ofServers, everybody, "crash: redis-1")
		a.add("lag", ofServers, everybody, "lag: 5s; for: 40s")
		a.splits(servers, "redis-2", "redis-1")
	case plan.InCluster(servers[0]):
		a.add("fail-over", ofServers, everybody, "fail-over: operator")
		a.splits(servers, servers[0])
		from := len(a.letters)
		a.splits(servers, servers[1:]...)
		a.alone(from)
	case len(servers) > 1:
		by := plan.ByOperator
		if a.v.Store == locks.StoreRedis {
			by = a.p.Redis.Failover.By
		}
		a.add("fail-over", ofServers, everybody, "fail-over: %s", by)
		if a.p.Redis.Failover.By == plan.ByOperator || a.v.Store != locks.StoreRedis {
			a.add("promote", ofServers, everybody, "promote: replica") // where sentinels do it, no operator does
		}
		a.add("lag", ofServers, everybody, "lag: 5s; for: 40s")
		a.splits(servers, servers[0])
	}
}

// splits are cuts between servers: each of those named alone with all clients on the other
// side, or with one client beside it.
func (a *alphabet) splits(servers []string, alone ...string) {
	for _, s := range alone {
		others := slices.DeleteFunc(slices.Clone(servers), func(o string) bool { return o == s })
		for _, d := range append([]lasting{{short, "3s", ""}}, a.lengths()[2:]...) {
			a.add("split"+d.end, ofServers, everybody, "%spartition: [%s, [%s]]; for: %s", d.star, s, strings.Join(others, ", "), d.text)
			for _, c := range a.p.Clients {
				rest := slices.Clone(others)
				for _, o := range a.p.Clients {
					if o != c {
						rest = append(rest, o)
					}
				}
				if len(a.p.SentinelNames(plan.StoreOf(&a.v))) > 0 {
					rest = append(rest, faults.Sentinels)
				}
				a.add("split"+d.end, ofServers, everybody, "%spartition: [[%s, %s], [%s]]; for: %s", d.star, c, s, strings.Join(rest, ", "), d.text)
			}
		}
	}
}

// parse makes faults of the texts, by the same parser that reads the stories: as many in one scenario as it takes.
func (a *alphabet) parse() error {
	for letters := range slices.Chunk(a.letters, scenario.MostFaults) {
		s := story{lock: a.v.ID, world: a.world}
		for i := range letters {
			t := trigger{Moment: faults.StartsWaiting, Who: 0, Nth: 1}
			if letters[i].on == onTheWay {
				t.Moment, t.Word = faults.AboutToSend, faults.AnyCommand
			}
			s.faults = append(s.faults, faultItem(letters[i].text, t.phrase(a.p.Clients), 0))
		}
		p, err := s.plan()
		if err != nil {
			return err
		}
		for i := range letters {
			letters[i].fault = p.Faults[i]
		}
	}
	return nil
}
