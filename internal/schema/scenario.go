package schema

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Scenario returns the schema of scenario files.
func Scenario() *Schema {
	d := plan.Default()
	s := closed("One file is one story: clients, a lock, faults, and what is expected.", Properties{
		{"scenario", title()},
		{"subtitle", text(scenario.MaxTitle, "What it is about, in plain words, where the title says so only to those who know the end.")},
		{"level", &Schema{
			Type: "integer", Minimum: ptr(1), Maximum: ptr(3), Default: d.Level,
			Description: "How much a reader has to know: 1 start here, 2 some, 3 subtle.",
		}},
		{"story", text(scenario.MaxText, "What happens, told to a reader who has not seen it.")},
		{"question", text(scenario.MaxText, "What the reader should think about before the answer.")},
		{"lesson", text(scenario.MaxText, "What is learned from it.")},
		{"remedy", &Schema{
			Type: "string", Pattern: "^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$",
			Description: "The scenario that shows what survives this one. A report leads to it.",
		}},
		{"origin", text(scenario.MaxText, "Where a file that was not written by hand comes from.")},
		{"seed", &Schema{
			Type: "integer", Minimum: ptr(1), Default: 1,
			Description: "The seed that is played unless --seed asks for another one.",
		}},
		{"locks", lockList()},
		{"lease", positive("duration", "How long the store remembers the holder. Every lock rounds as its protocol demands.").
			withDefault(faults.Duration(plan.DefaultLease))},
		{"clients", clients()},
		section(plan.WorkloadKeys, &d),
		section(plan.NetworkKeys, &d),
		{"servers", servers(d)},
		{"clocks", clocks()},
		{"faults", faultList()},
		{"chaos", chaos()},
		{"vary", vary()},
		{"expect", expect()},
		{"zh", chinese()},
	})
	s.Dialect = dialect
	s.Title = "A scenario of lockstep"
	s.Required = []string{"scenario"}
	s.Not = &Schema{Required: []string{"faults", "chaos"}} // they are listed, or drawn
	s.Defs = definitions()
	return s
}

func title() *Schema {
	return &Schema{
		Type: []string{"string", "number"}, MinLength: 1, MaxLength: scenario.MaxTitle,
		Description: "The title: what happens, in a few words.",
		Examples:    []any{"A long pause outlives the lease"},
	}
}

// chinese is the schema of the Chinese texts.
func chinese() *Schema {
	return closed("The same texts in Chinese, for --lang zh. What is left out is said in English.", Properties{
		{"scenario", title()},
		{"subtitle", text(scenario.MaxTitle, "The subtitle.")},
		{"story", text(scenario.MaxText, "The story.")},
		{"question", text(scenario.MaxText, "The question.")},
		{"lesson", text(scenario.MaxText, "The lesson.")},
		{"origin", text(scenario.MaxText, "The origin.")},
	})
}

func ptr(n int) *int { return &n }

// lockIDs is the schema of a registered variant.
func lockIDs() *Schema {
	return choice("A lock variant.", locks.Known(), func(v locks.Variant) (id, idea string) {
		return v.ID, v.Doc(say.English).Idea
	})
}

// lockOfResource is the schema of the lock of one of several resources.
func lockOfResource() *Schema {
	return form(`[a-z0-9][a-z0-9.-]*@`+resourceForm, "write a lock, @ and a resource: set-nx-lua@orders", "The lock of one of several resources.", "set-nx-lua@orders")
}

func lockList() *Schema {
	return &Schema{
		Description: "The locks that are put through this story. Left out: all that every world can play.",
		Default:     "all",
		AnyOf: []*Schema{
			{Type: "array", MinItems: 1, UniqueItems: true, Items: &Schema{AnyOf: []*Schema{lockIDs(), lockOfResource(), program()}}},
			{Const: "all", Description: "Every lock that all worlds can play."},
		},
	}
}

// program is the schema of a user's own program.
func program() *Schema {
	word := &Schema{Type: "string", MinLength: 1, Description: "A word of the command."}
	out := closed("Your own lock, a program that speaks JSON lines; it is played on real servers.", Properties{
		{"exec", &Schema{Type: "array", MinItems: 1, Items: word, Description: "The program with its arguments."}},
		{"name", &Schema{Type: "string", Default: locks.ProgramName, Description: "What reports call the lock."}},
		{"store", &Schema{Type: "string", Enum: locks.ProgramStores(), Default: string(locks.StoreRedis), Description: "What it keeps its entries in."}},
	})
	out.Required = []string{"exec"}
	return out
}

func clients() *Schema {
	d := plan.Default()
	one := closed("A client that does something other than the rest: what it does differently. With a count, that many of them.", append(Properties{
		{"name", ref("client")},
		{"count", count(1, scenario.MaxClients, "How many: they are called name-1, name-2 and so on.")},
	}, properties(plan.ClientKeys(), &d)...))
	one.Required = []string{"name"}
	return &Schema{
		Description: "Who contends for the lock: names, or how many, named A, B, C, ...",
		Default:     d.Clients,
		AnyOf: []*Schema{
			{Type: "array", MinItems: 1, MaxItems: scenario.MaxClients, UniqueItems: true, Items: &Schema{AnyOf: []*Schema{ref("client"), one}}},
			count(1, scenario.MaxClients, "That many clients."),
		},
	}
}

func clocks() *Schema {
	return &Schema{
		Type: "object", Description: "Clocks of clients or servers that differ from true time.",
		PropertyNames: &Schema{
			Pattern: "^(?:" + clientForm + ")$", PatternErrorMessage: "name a client, or a server such as redis-1",
		},
		Additional: closed("The clocks of one node.", Properties{
			{"offset", like("offset", "How far its wall clock is ahead.")},
			{"drift", like("drift", "How much faster both its clocks run.")},
		}),
		Examples: []any{object{{"B", object{{"offset", "+12s"}, {"drift", "200ppm"}}}}},
	}
}

func expect() *Schema {
	keys := Properties{{plan.EveryLock, like("verdicts", "Expected of all locks of this file that are not mentioned themselves.")}}
	for _, v := range locks.Known() {
		keys = append(keys, Property{v.ID, like("verdicts", v.Doc(say.English).Idea)})
	}
	known := closed("What is expected of each lock. A missed expectation fails the run; one about a lock overrides one about every lock. A lock that is not mentioned is expected to keep every property.", keys)
	known.Additional = like("verdicts", "Expected of the lock of one of several resources.")
	known.PropertyNames = &Schema{AnyOf: []*Schema{lockOfResource(), {}}}
	for _, k := range keys {
		known.PropertyNames.AnyOf[1].Enum = append(known.PropertyNames.AnyOf[1].Enum, k.Name)
	}
	s := orAnything(known)
	s.Examples = []any{object{{plan.EveryLock, object{{checker.ProgressID, string(checker.Kept)}}}}, plan.Anything}
	return s
}

// verdicts is the schema of the expectations of one lock.
func verdicts() *Schema {
	words := []plan.Word{
		{Word: string(checker.Kept), Doc: "the property holds in every run"},
		{Word: string(checker.Broken), Doc: "the lock is caught breaking it"},
	}
	keys := each.Map(checker.All(), func(p checker.Property) Property {
		return Property{p.ID, choice(p.Summary.English(), words, meaning)}
	})
	return orAnything(closed("Properties, and whether the lock keeps them; or anything, and nothing is expected.", keys))
}

// orAnything also allows the word for expecting nothing.
func orAnything(said *Schema) *Schema {
	said.MinProperties = 1
	return &Schema{Description: said.Description, AnyOf: []*Schema{
		said, {Const: plan.Anything, Description: "Nothing is expected: you only look."},
	}}
}

// servers is the schema of the servers of the stores.
func servers(d plan.Plan) *Schema {
	d.Redis.Cluster = plan.DefaultRedisCluster()
	stores := each.Map(plan.ServerKeys, func(s plan.Section) Property { return section(s, &d) })
	return closed("What a lock's store is made of. Every lock has sensible servers without this.", stores)
}

// section is a group of keys with their defaults.
func section(s plan.Section, d *plan.Plan) Property {
	return Property{s.Name, closed(s.Doc, properties(s.Keys, d))}
}

func properties(keys []plan.Key, d *plan.Plan) (all Properties) {
	for i := range keys {
		k := &keys[i]
		if k.Keys != nil {
			all = append(all, Property{k.Name, closed(k.Doc, properties(k.Keys, d))})
			continue
		}
		all = append(all, Property{k.Name, value(k, d)})
	}
	return all
}

const resourceForm = `[a-z][a-z0-9-]{0,31}`

// value is the schema of a key's value.
func value(k *plan.Key, d *plan.Plan) *Schema {
	switch at := k.At(d).(type) {
	case *time.Duration:
		switch {
		case k.Form == plan.Patience:
			s := form(`up to +`+durationForm, "write up to and a duration: up to 40s", "", "up to 40s")
			s.AllOf = []*Schema{notZero}
			return (&Schema{AnyOf: []*Schema{s, {Const: "0s", Description: "It tries once."}}, Description: k.Doc}).withDefault(k.Text(d))
		case k.Form == plan.OrNever:
			s := &Schema{AnyOf: []*Schema{{Const: plan.Never}, {Ref: "#/$defs/duration", AllOf: []*Schema{notZero}}}, Description: k.Doc}
			return s.withDefault(k.Text(d))
		case k.Least == 0:
			return like("duration", k.Doc).withDefault(k.Text(d))
		case *at == 0: // no default of its own
			return positive("duration", k.Doc)
		}
		return positive("duration", k.Doc).withDefault(k.Text(d))
	case *plan.Range:
		return like("span", k.Doc).withDefault(k.Text(d))
	case *int:
		if k.Form == plan.Times {
			return form(`(?:once|0*(?:[1-9][0-9]{0,3}|10000) times?)`, "write once, or a number of times: 20 times", k.Doc, "once", "20 times").withDefault(k.Text(d))
		}
		return count(int(k.Least), int(k.Most), k.Doc).withDefault(*at)
	case *int64:
		return like("share", k.Doc).withDefault(k.Text(d))
	}
	if k.Form == plan.Name {
		return form(resourceForm, "write a name of small letters, digits and -", k.Doc, "orders", "stock")
	}
	return choice(k.Doc, k.Words, meaning).withDefault(k.Text(d))
}
