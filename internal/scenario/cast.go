package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// serverWords are the prefixes of the names of servers.
var serverWords = func() []string {
	words := []string{"sentinel"}
	for _, s := range store.All() {
		words = append(words, s.Node)
	}
	return words
}()

var serverForm = regexp.MustCompile(`^(` + strings.Join(serverWords, "|") + `)-[0-9]+$`)

// The words for nodes that are only known during a run, and for groups of nodes.
var (
	nodeWords  = []string{faults.TheHolder, faults.NextHolder, faults.ThatClient, faults.ThePrimary}
	groupWords = []string{faults.TheStore, faults.TheReplicas, faults.Sentinels}
)

// cast is the nodes that a scenario can name. The servers depend on the lock, and a fault must make
// sense for every lock of the file.
type cast struct {
	clients []string
	locks   []string
	servers map[string]bool   // that some lock has
	without map[string]string // server -> the first lock that does not have it
	stores  map[store.ID]bool // that the locks use

	replicas, sentinels          bool // the store of some lock has them
	clientsUnclear, locksUnclear bool // see reader
}

// storeOf returns the store of a lock.
func storeOf(p *plan.Plan, id string) plan.Store {
	v, _ := p.Lock(id)
	return plan.StoreOf(&v)
}

func (r *reader) newCast(p *plan.Plan) cast {
	c := cast{
		clients: p.Clients, locks: p.Locks, clientsUnclear: r.clientsUnclear, locksUnclear: r.locksUnclear,
		servers: map[string]bool{}, without: map[string]string{}, stores: map[store.ID]bool{},
	}
	for _, id := range p.Locks {
		s := storeOf(p, id)
		c.stores[s.ID] = true
		c.replicas = c.replicas || len(p.Servers(s)) > 1 && s.Topology != store.Independent
		c.sentinels = c.sentinels || len(p.SentinelNames(s)) > 0
		for _, name := range serversOf(p, id) {
			c.servers[name] = true
		}
	}
	for name := range c.servers { // order: each name on its own
		lacks := func(id string) bool { return !slices.Contains(serversOf(p, id), name) }
		if i := slices.IndexFunc(p.Locks, lacks); i >= 0 {
			c.without[name] = p.Locks[i]
		}
	}
	return c
}

// serversOf returns the servers and sentinels of a lock.
func serversOf(p *plan.Plan, id string) []string {
	s := storeOf(p, id)
	return slices.Concat(p.Servers(s), p.SentinelNames(s))
}

// everywhere returns the servers that every lock has, sorted.
func (c *cast) everywhere() []string {
	lacking := func(name string) bool { return c.without[name] != "" }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.servers)), lacking)
}

// wrongClient says why a verb cannot aim at a name, which must be a client; "" when it can. instead
// is the advice for a server, "" for none.
func (c *cast) wrongClient(verb, name, instead string) string {
	known := append(slices.Clone(c.clients), faults.TheHolder, faults.NextHolder, faults.ThatClient)
	switch {
	case slices.Contains(known, name):
		return ""
	case (name == faults.ThePrimary || c.servers[name]) && instead != "":
		return fmt.Sprintf("%s is about a client, and %s is a server: %s", verb, name, instead)
	case name == faults.ThePrimary || c.servers[name]:
		return fmt.Sprintf("%s is about a client's work, and %s has none: name a client, the holder, the next holder or that client", verb, name)
	case c.clientsUnclear:
		return ""
	}
	return fmt.Sprintf("%s cannot aim at %s, which is not in this scenario: %s", verb, quote(name), suggest(name, known))
}

// wrongNode says why a verb cannot aim at a name; "" when it can.
func (c *cast) wrongNode(verb, name string) string {
	switch {
	case slices.Contains(c.clients, name) || slices.Contains(nodeWords, name):
		return ""
	case slices.Contains(groupWords, name):
		return fmt.Sprintf("%s is a group of nodes, and %s acts on one: name the primary, or one server such as %s", name, verb, c.someServer())
	}
	wrong := c.wrongServer(verb+" cannot aim at", name, slices.Concat(c.clients, nodeWords))
	if c.without[name] != "" && wrong != "" {
		wrong += ", or name the primary"
	}
	return wrong
}

// notServer says why a name is wrong for a key whose value is a server; "" when it is right.
func (c *cast) notServer(key, name string) string {
	switch {
	case name == faults.ThePrimary:
		return ""
	case slices.Contains(c.clients, name) || slices.Contains(nodeWords, name) || slices.Contains(groupWords, name):
		return fmt.Sprintf("%s wants one server, and %s is none: name the primary, or a server such as %s", key, name, c.someServer())
	}
	return c.wrongServer(key+" cannot be", name, []string{faults.ThePrimary})
}

// wrongMember says why a name cannot be on a side of a partition; "" when it can.
func (c *cast) wrongMember(verb, name string) string {
	switch {
	case slices.Contains(c.clients, name) || slices.Contains(nodeWords, name) || name == faults.TheStore:
		return ""
	case name == faults.TheReplicas && !c.replicas && !c.locksUnclear:
		return fmt.Sprintf("%s cannot aim at replicas, there are none: add \"servers: {redis: {replicas: 1}}\"", verb)
	case name == faults.Sentinels && !c.sentinels && !c.locksUnclear:
		return fmt.Sprintf("%s cannot aim at sentinels, there are none: add \"servers: {redis: {replicas: 1, failover: {by: sentinel}}}\"", verb)
	case slices.Contains(groupWords, name):
		return ""
	}
	return c.wrongServer(verb+" cannot aim at", name, slices.Concat(c.clients, nodeWords, groupWords))
}

// wrongClock says why a node's clock cannot be set; "" when it can.
func (c *cast) wrongClock(name string) string {
	if slices.Contains(c.clients, name) {
		return ""
	}
	return c.wrongServer("clocks cannot set", name, c.clients)
}

// wrongServer says why a name is not that of a server; "" when it is. known are other names that
// would do.
func (c *cast) wrongServer(cannot, name string, known []string) string {
	isServer := serverForm.MatchString(name)
	switch lacks := c.without[name]; {
	case c.clientsUnclear || c.locksUnclear && isServer:
		return ""
	case lacks != "":
		return fmt.Sprintf("%s %s, which not every lock of this scenario has: %s has no such server; make two scenarios of it", cannot, name, lacks)
	case c.servers[name]:
		return ""
	case isServer && len(c.everywhere()) > 0:
		return fmt.Sprintf("%s %s, which is not in this scenario: its servers are %s; the key servers can add some", cannot, quote(name), strings.Join(c.everywhere(), ", "))
	}
	return fmt.Sprintf("%s %s, which is not in this scenario: %s", cannot, quote(name), suggest(name, append(known, c.everywhere()...)))
}

func (c *cast) someServer() string {
	if names := c.everywhere(); len(names) > 0 {
		return names[0]
	}
	return "redis-1"
}

// CheckServers returns an error if the plan names a server that a lock does not have. A file is
// checked with the locks that it lists; this is for other ones.
func CheckServers(p *plan.Plan, lock string) error {
	known := slices.Concat(serversOf(p, lock), p.Clients)
	for _, name := range named(p) {
		if serverForm.MatchString(name) && !slices.Contains(known, name) {
			return fmt.Errorf("the faults and clocks of this scenario aim at %s, and %s has no such server (it has %s): choose another lock, or write a scenario for it",
				name, lock, strings.Join(p.Servers(storeOf(p, lock)), ", "))
		}
	}
	return nil
}

// named returns all names of nodes in a plan.
func named(p *plan.Plan) (names []string) {
	if p.Chaos != nil {
		names = append(names, p.Chaos.Servers...)
	}
	for _, c := range p.Clocks {
		names = append(names, c.Node)
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		names = append(names, f.Names()...)
		for _, param := range append(f.Spec().Params, f.Spec().Value) {
			if param.Kind == faults.ParamServer {
				names = append(names, f.Args.Choices[param.Name], f.Args.Value)
			}
		}
	}
	return names
}
