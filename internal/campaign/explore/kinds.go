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

// kindNames are the names of all kinds, by index.
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
	// ofDeath adds the execution, between request and reply.
	ofDeath = ofProcess | setOf(faults.HasExecuted)
	// ofServers are those at which servers are hit. A fault of a server when a request
	// leaves its client comes before the request arrives, so Sends would repeat AboutToSend.
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

// anyClient is the index of a client where the moments of all clients fit.
const anyClient = -1

// faultTemplate is a fault without its moment.
type faultTemplate struct {
	kind  int
	text  string // as a scenario says it, keys joined by semicolons
	on    moments
	who   int8 // the client whose moments fit, or anyClient
	part  parts
	pairs bool // also used in schedules of several faults
	fault faults.Fault
}

// templates builds the templates for one lock in one usage profile.
type templates struct {
	p      *plan.Plan
	sketch scenario.Sketch // of p
	v      locks.Variant
	all    []faultTemplate
}

// newTemplates returns all templates for a lock, of all kinds when only is nil.
func newTemplates(p *plan.Plan, sketch scenario.Sketch, v locks.Variant, only []string) ([]faultTemplate, error) {
	ts := &templates{p: p, sketch: sketch, v: v}
	for i, c := range p.Clients {
		ts.ofClient(int8(i), c)
	}
	ts.ofStore(p.Servers(plan.StoreOf(&v)))
	ts.all = slices.DeleteFunc(ts.all, func(l faultTemplate) bool {
		return only != nil && !slices.Contains(only, kindNames[l.kind])
	})
	return ts.all, ts.parse()
}

// add adds a template. A text that begins with a star is left out of pairs.
func (ts *templates) add(kind string, on moments, who int8, format string, args ...any) *faultTemplate {
	text := fmt.Sprintf(format, args...)
	single, alone := strings.CutPrefix(text, "* ")
	i := faultkind.Index(kind)
	if i < 0 {
		panic("explore: no kind is called " + kind)
	}
	ts.all = append(ts.all, faultTemplate{kind: i, text: single, on: on, who: who, pairs: !alone})
	return &ts.all[len(ts.all)-1]
}

// alone leaves the templates from an index on out of pairs.
func (ts *templates) alone(from int) {
	for i := range ts.all[from:] {
		ts.all[from+i].pairs = false
	}
}

// lasting is one length of a fault, with the end of its kind's name.
type lasting struct{ end, text, star string }

// longest is how long a fault lasts at most, unless the store waits for longer.
const longest = 40 * time.Second

// lengths are those for a lock, with a star at those that pairs leave out. Where the store keeps a
// lock for longer than 12 s, pairs have the longest, too.
func (ts *templates) lengths() []lasting {
	long := lasting{"", seconds(longFault(&ts.v)), "* "}
	if ts.v.Outlasts(lease) > 12*time.Second {
		long.star = ""
	}
	return []lasting{{short, "2s", "* "}, {short, "5s", ""}, {"", "12s", ""}, long}
}

func (ts *templates) ofClient(i int8, c string) {
	for _, d := range ts.lengths() {
		ts.add("pause"+d.end, ofProcess, i, "%spause: %s; for: %s", d.star, c, d.text)
		ts.add("cut"+d.end, ofProcess, i, "%spartition: [%s, store]; for: %s", d.star, c, d.text)
		for _, s := range ts.servers() {
			one := d.star
			if d.end == short || ts.twin(s) {
				one = "* "
			}
			ts.add("cut"+d.end, ofProcess, i, "%spartition: [%s, %s]; for: %s", one, c, s, d.text)
		}
		ts.add("late-request"+d.end, onTheWay, i, "%sdelay: request; by: %s", d.star, d.text).part = butRelease
		ts.add("late-release"+d.end, onTheWay, i, "%sdelay: request; by: %s", d.star, d.text).part = onlyRelease
		ts.add("late-reply"+d.end, onTheWay, i, "%sdelay: reply; by: %s", d.star, d.text)
	}
	ts.add("crash", ofDeath, i, "crash: %s", c)
	ts.add("host", ofDeath, i, "lose-host: %s", c)
	ts.add("slow", atWork, i, "slow: %s; by: 8s", c)
	ts.add("slow", atWork, i, "slow: %s; by: 40s", c)
	ts.add("hung", atWork, i, "hang: %s", c)
	ts.add("lost-request", onTheWay, i, "drop: request")
	ts.add("lost-reply", onTheWay, i, "drop: reply")
	ts.add("client-clock", ofProcess, i, "jump-clock: %s; by: -11s", c)
	ts.add("client-clock", ofProcess, i, "jump-clock: %s; by: +11s", c)
	ts.rates(c)
}

func (ts *templates) rates(node string) {
	for _, r := range []string{"* +2%", "* -2%", "+15%", "-15%"} {
		rate, alone := strings.CutPrefix(r, "* ")
		ts.add("clock-rate", ofRates, anyClient, "drift-clock: %s; rate: %s; forever: true", node, rate).pairs = !alone
	}
}

// twin reports whether a server is like another one, so that pairs do without it: the third
// member of a cluster, which begins as a follower like the second.
func (ts *templates) twin(server string) bool {
	s := plan.StoreOf(&ts.v)
	return s.Topology == store.Quorum && slices.Index(ts.p.Servers(s), server) == 2
}

// servers are those that a fault can name one by one; none where there is only one. Of a Redis
// Cluster these are the lock's primary with its replica and the first primary of another shard.
func (ts *templates) servers() []string {
	servers := ts.p.Servers(plan.StoreOf(&ts.v))
	if ts.p.InShards(plan.StoreOf(&ts.v)) {
		return []string{servers[1], servers[4], servers[0]}
	}
	if len(servers) == 1 {
		return nil
	}
	return servers
}

func (ts *templates) ofStore(servers []string) {
	named := ts.servers()
	if named == nil {
		named = servers
	}
	for _, s := range named {
		from := len(ts.all)
		ts.add("restart", ofServers, anyClient, "restart: %s; down: 500ms", s)
		ts.add("restart", ofServers, anyClient, "* restart: %s; down: 12s", s)
		for _, d := range ts.lengths()[1:] {
			ts.add("server-pause"+d.end, ofServers, anyClient, "%spause: %s; for: %s", d.star, s, d.text)
		}
		ts.add("server-clock", ofServers, anyClient, "jump-clock: %s; by: +11s", s)
		ts.add("server-clock", ofServers, anyClient, "jump-clock: %s; by: -11s", s)
		ts.rates(s)
		if ts.twin(s) {
			ts.alone(from)
		}
	}
	ts.add("evict", ofServers, anyClient, "evict: lock")
	switch s := plan.StoreOf(&ts.v); {
	case s.Topology == store.Independent:
		for _, s := range servers {
			ts.add("evict", ofServers, anyClient, "evict: lock; from: %s", s)
		}
	case ts.p.InShards(s):
		ts.add("fail-over", ofServers, anyClient, "crash: %s", servers[1])
		ts.add("fail-over", ofServers, anyClient, "crash: %s", servers[0])
		ts.add("lag", ofServers, anyClient, "lag: 5s; for: 40s")
		ts.splits(servers, servers[1], servers[0])
	case s.Topology == store.Quorum:
		ts.add("fail-over", ofServers, anyClient, "fail-over: operator")
		ts.splits(servers, servers[0])
		from := len(ts.all)
		ts.splits(servers, servers[1:]...)
		ts.alone(from)
	case len(servers) > 1:
		by := plan.ByOperator
		if s.IsRedis() {
			by = ts.p.Redis.Failover.By
		}
		ts.add("fail-over", ofServers, anyClient, "fail-over: %s", by)
		if ts.p.Redis.Failover.By == plan.ByOperator || !s.IsRedis() {
			ts.add("promote", ofServers, anyClient, "promote: replica") // where sentinels do it, no operator does
		}
		ts.add("lag", ofServers, anyClient, "lag: 5s; for: 40s")
		ts.splits(servers, servers[0])
	}
}

// splits are cuts around each of those named, alone or with one client on their side.
func (ts *templates) splits(servers []string, alone ...string) {
	for _, s := range alone {
		others := slices.DeleteFunc(slices.Clone(servers), func(o string) bool { return o == s })
		for _, d := range append([]lasting{{short, "3s", ""}}, ts.lengths()[2:]...) {
			ts.add("split"+d.end, ofServers, anyClient, "%spartition: [%s, [%s]]; for: %s", d.star, s, strings.Join(others, ", "), d.text)
			for _, c := range ts.p.Clients {
				rest := slices.Concat(others, slices.DeleteFunc(slices.Clone(ts.p.Clients), func(o string) bool { return o == c }))
				if len(ts.p.SentinelNames(plan.StoreOf(&ts.v))) > 0 {
					rest = append(rest, faults.Sentinels)
				}
				ts.add("split"+d.end, ofServers, anyClient, "%spartition: [[%s, %s], [%s]]; for: %s", d.star, c, s, strings.Join(rest, ", "), d.text)
			}
		}
	}
}

// parse parses the texts with the parser for stories, as many in one scenario as it takes.
func (ts *templates) parse() error {
	for chunk := range slices.Chunk(ts.all, scenario.MostFaults) {
		s := ts.sketch
		for i := range chunk {
			t := trigger{Moment: faults.StartsWaiting, Who: 0, Nth: 1}
			if chunk[i].on == onTheWay {
				t.Moment, t.Word = faults.AboutToSend, faults.AnyCommand
			}
			s.Faults = append(s.Faults, faultItem(chunk[i].text, t.phrase(ts.p.Clients), 0))
		}
		_, p, err := s.Plan()
		if err != nil {
			return err
		}
		for i := range chunk {
			chunk[i].fault = p.Faults[i]
		}
	}
	return nil
}
