package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
)

// short ends the names of kinds that last less than a lease, or heal while the holder works.
const short = faultkind.Short

// kindNames are those of all kinds, by their places.
var kindNames = faultkind.Names()

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
		return only != nil && !slices.Contains(only, kindNames[l.kind])
	})
	return a.letters, a.parse()
}

// add adds a letter. The text of one that is left out of pairs begins with a star.
func (a *alphabet) add(kind string, on moments, who int8, format string, args ...any) *letter {
	text := fmt.Sprintf(format, args...)
	single, alone := strings.CutPrefix(text, "* ")
	i := faultkind.Index(kind)
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
	s := plan.StoreOf(&a.v)
	return s.Topology == store.Quorum && slices.Index(a.p.Servers(s), server) == 2
}

// targets are the servers that a fault can name one by one; none where there is only one.
// Of a Redis Cluster these are the lock's primary with its replica and the first primary of
// the others, which stands for all that have nothing to do with the lock.
func (a *alphabet) targets() []string {
	servers := a.p.Servers(plan.StoreOf(&a.v))
	if a.p.InShards(plan.StoreOf(&a.v)) {
		return []string{servers[1], servers[4], servers[0]}
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
	switch s := plan.StoreOf(&a.v); {
	case s.Topology == store.Independent:
		for _, s := range servers {
			a.add("evict", ofServers, everybody, "evict: lock; from: %s", s)
		}
	case a.p.InShards(s):
		a.add("fail-over", ofServers, everybody, "crash: %s", servers[1])
		a.add("fail-over", ofServers, everybody, "crash: %s", servers[0])
		a.add("lag", ofServers, everybody, "lag: 5s; for: 40s")
		a.splits(servers, servers[1], servers[0])
	case s.Topology == store.Quorum:
		a.add("fail-over", ofServers, everybody, "fail-over: operator")
		a.splits(servers, servers[0])
		from := len(a.letters)
		a.splits(servers, servers[1:]...)
		a.alone(from)
	case len(servers) > 1:
		by := plan.ByOperator
		if s.IsRedis() {
			by = a.p.Redis.Failover.By
		}
		a.add("fail-over", ofServers, everybody, "fail-over: %s", by)
		if a.p.Redis.Failover.By == plan.ByOperator || !s.IsRedis() {
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
