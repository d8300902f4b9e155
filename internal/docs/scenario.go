package docs

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/schema"
)

const scenarioPage = "scenario.md"

// scenarioFile is the reference of the scenario file. Its keys come from the schema; a test plays its
// examples.
func (w *writer) scenarioFile() Page {
	s := schema.Scenario()
	fault := at(s, "faults").Items
	own := slices.DeleteFunc(slices.Clone(fault.Properties), func(p schema.Property) bool {
		return !slices.Contains(faults.Keys(), p.Name)
	})
	body := []string{
		heading(1, "The scenario file"),
		"One YAML file is one story: clients, a lock, faults, and what is expected. Everything but the title has a default, and " +
			code("simulate explain FILE") + " shows the file with all of them. " + code("simulate run --dry-run FILE") + " shows every mistake, with its place and its cure. " +
			"Editors know the keys by " + link("the schema", w.Up+"/schema/scenario.schema.json") + ". On the command line, " + code("--set KEY=VALUE") +
			" changes a value of a file: " + code("--set lease=30s --set faults.1.for=3s") + ".",
		example(exampleSmall),
		section("The keys", keyTable(s.Properties)),
		section("How long", "A duration is a number and its unit: "+code("250ms")+", "+code("10s")+", "+code("1m30s")+
			". Where a table says that it may vary, three more forms will do, and a new duration is drawn each time:\n\n"+
			table([]string{"form", "what it means"}, [][]string{
				{code("2s..3s"), "anything from 2 s to 3 s, all equally likely"},
				{code("p50 20ms, p99.9 4s"), "half of them below 20 ms, one in a thousand above 4 s; in between, and beyond the last percentile, a power law, up to ten times the last"},
				{code("min 5ms, p50 20ms, p99.9 4s, max 30s"), "the same, and never less or more than that"},
			})+"\nInside braces, percentiles need quotes, because a comma separates keys there."),
		section("clients", "A list of names, or a number. A client of the list may do something other than the rest: "+
			code("{name: C, work: 40s}")+", and a count makes many of one kind: "+code("{name: web, count: 20}")+" are web-1 to web-20.\n\n"+example(exampleClients)),
		section("workload", "Each client waits for the lock, reads the resource, works, writes the resource, releases, and rests. A key with a star may be one client's own.\n\n"+starred(at(s, "workload"))+"\n"+resources+example(exampleResources)),
		section("network", keyTable(at(s, "network").Properties)),
		section("servers", "What the locks' stores are made of. A lock uses the section of its store, and needs none.\n\n"+w.serverTables(at(s, "servers"))),
		section("clocks", "Clocks of clients or servers that differ from true time: "+code("clocks: {B: {offset: +12s, drift: 200ppm}}")+".\n\n"+
			keyTable(at(s, "clocks").Additional.(*schema.Schema).Properties)),
		section("faults", "A list. Each has one trigger, one verb, and an end where the verb needs one. All faults but those `forever` are healed before the final quiet period, in which a probe tries the lock.\n\n"+
			keyTable(own)+"\n"+whom+"\n\n"+table([]string{"verb", "what it does"}, faultRows())+
			"\nWhat a list leaves to chance, such as varying lengths and probabilities, is drawn from the seed before the run. The report lists the drawn faults. "+
			"A drawn fault that repeats strikes at most 100 times. A run that drew no fault at all tested nothing.\n\n"+example(exampleFaults)),
		section("Moments", "What "+code("when")+" and "+code("until")+" wait for. In front stands a client, "+code(faults.AnyClient)+", "+code(faults.TheHolder)+", "+code(faults.NextHolder)+
			" or "+code(faults.ThatClient)+"; behind, if you like, "+code("in its 2nd round")+", which begins when that client starts waiting for the 2nd time, "+code("after fault 1")+
			", which counts only what comes after the first fault of the list has begun, and "+code("the 3rd time")+" or "+code("every time")+", in this order.\n\n"+table([]string{"moment", "when it is"}, momentRows())+"\n"+faults.CommandDoc),
		section("chaos", at(s, "chaos").Description+"\n\n"+keyTable(at(s, "chaos").Properties)+"\n"+example(exampleChaos)),
		section("vary", "What "+code("simulate sweep")+" varies, two settings at most: one of these, a fault by its verb ("+code("pause")+", "+code("the 2nd pause")+", "+
			code("after of pause")+") or a clock ("+code("drift of B")+"). Values are a list, or "+code("0s..5s step 500ms")+".\n\n"+settings()),
		section("expect", "What is expected of each lock, by property: "+code("kept")+" or "+code("broken")+". What is said of one lock overrides what is said of "+code(plan.EveryLock)+
			". A lock that is not mentioned is expected to keep every property; "+code("expect: anything")+" is for those who only look.\n\n"+table([]string{"property", "what it demands"}, propertyRows())),
	}
	return page(scenarioPage, "internal/plan/keys.go, internal/schema and the registries", body...)
}

const anchorOfMoments = "moments"

func momentRows() [][]string {
	return each(faults.MomentPhrases(), func(m faults.MomentPhrase) []string {
		return []string{code(strings.ReplaceAll(m.Text, "%s", "COMMAND")), text(m.Doc.English())}
	})
}

// resources explains several resources.
const resources = "A story may have several resources, each with a lock of its own. All clients play in one world, so a failover hits all of them; each lock is played and judged separately, " +
	"under the name " + "`set-nx-lua@orders`" + ", which " + "`locks`, `expect` and `--lock`" + " take, too. A fault that met only clients of other resources was no test of a lock: its verdict is unknown.\n\n"

// whom explains the names of nodes in faults.
const whom = "Where a verb names a node, it is a client, a server such as `redis-1`, or one of these words. `the holder`: the client that acquired the lock last. " +
	"`the next holder`: the first one after the holder at the beginning. `that client`: the one whose moment this fault waits for; in a moment, and in a fault at an instant, the one whose moment " +
	"the latest fault has waited for. `the primary`: whichever server is it then. Sides of a partition may also be `store`, `replicas` and `sentinels`."

// at is the schema of a key.
func at(s *schema.Schema, key string) *schema.Schema {
	i := slices.IndexFunc(s.Properties, func(p schema.Property) bool { return p.Name == key })
	if i < 0 {
		panic("docs: the schema has no key " + key)
	}
	return s.Properties[i].Schema
}

// keyTable is a table of keys, with full paths for nested ones.
func keyTable(keys schema.Properties) string {
	return table([]string{"key", "what it is", "left out"}, keyRows("", keys, func(string) string { return "" }))
}

// starred is the table of the workload's keys: a star marks those that a client can override.
func starred(s *schema.Schema) string {
	own := plan.Names(plan.ClientKeys())
	return table([]string{"key", "what it is", "left out"}, keyRows("", s.Properties, func(key string) string {
		if slices.Contains(own, key) {
			return " \\*"
		}
		return ""
	}))
}

func keyRows(before string, keys schema.Properties, mark func(key string) string) (rows [][]string) {
	for _, p := range keys {
		first, _, _ := strings.Cut(p.Schema.Description, "\n")
		about := strings.ReplaceAll(text(first), "\\`", "`") // the schema's own Markdown
		if strings.HasSuffix(p.Schema.Ref, "/span") {
			about += " It may vary."
		}
		for i, word := range p.Schema.Enum {
			about += "<br>" + code(word) + ": " + text(p.Schema.EnumDescriptions[i])
		}
		usual := ""
		if d := p.Schema.Default; d != nil {
			usual = code(fmt.Sprint(d))
		}
		if names, ok := p.Schema.Default.([]string); ok {
			usual = code("[" + strings.Join(names, ", ") + "]")
		}
		rows = append(rows, []string{code(before+p.Name) + mark(p.Name), about, usual})
		if before != "" || p.Name == "failover" || p.Name == "cluster" {
			rows = append(rows, keyRows(p.Name+".", p.Schema.Properties, mark)...)
		}
	}
	return rows
}

// serverTables are the keys of each store.
func (w *writer) serverTables(s *schema.Schema) string {
	var b strings.Builder
	for _, p := range s.Properties {
		b.WriteString(heading(3, p.Name) + "\n\n" + text(p.Schema.Description) + "\n\n" + keyTable(p.Schema.Properties) + "\n")
	}
	return b.String()
}

// settings is the table of what a sweep can vary.
func settings() string {
	return table([]string{"setting", "what it is"}, each(plan.Settings, func(s plan.Setting) []string {
		return []string{code(s.Key), text(s.Doc)}
	}))
}

func example(yaml string) string { return block("yaml", yaml) }

// The examples, each a whole scenario.
const (
	exampleSmall = `scenario: A long pause outlives the lease
locks: [set-nx-lua, etcd-mutex]
faults:
  - when: A is in its critical section
    pause: A
    for: 15s
expect:
  every lock: {mutual-exclusion: broken}
`
	exampleClients = `scenario: Short jobs and a long one
locks: [watchdog-lua]
clients:
  - {name: short, count: 6, work: 100ms..500ms, repeat: 20 times}
  - {name: long, work: 20s}
workload: {repeat: 3 times, wait: up to 5m}
`
	exampleResources = `scenario: A failover forgets one lock of two
locks: [set-nx-lua]
clients:
  - {name: stock, count: 2, resource: stock, work: 4s}
  - {name: order, count: 2, resource: orders}
workload: {stagger: 500ms}
servers:
  redis: {replicas: 1, lag: 300ms}
faults:
  - when: order-1 acquires
    fail-over: operator
expect:
  set-nx-lua@orders: {mutual-exclusion: broken}
  set-nx-lua@stock: {mutual-exclusion: kept}
`
	exampleFaults = `scenario: A collector that pauses, and replies that get lost
locks: [watchdog-lua]
lease: 30s
workload: {repeat: 20 times, work: 5s..20s, wait: up to 10m}
faults:
  - every: 10s..30s
    pause: the holder
    for: p50 20ms, p99.9 4s, max 15s
  - when: any client is about to send SET every time
    chance: 1%
    drop: reply
  - when: any client wakes the 5th time
    after: 1s..2s
    crash: that client
`
	exampleChaos = `scenario: A storm
locks: [set-nx-lua]
lease: 2s
workload: {repeat: 20 times, work: 500ms..1s}
chaos:
  pick from: [pause, partition]
  every: 1s..3s
  for: p50 50ms, p99 3s
  heal: 5s before the end
expect: anything
`
)
