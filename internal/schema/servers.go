package schema

import (
	"time"

	"lockstep/internal/plan"
)

// servers is the schema of the servers of the stores.
func servers(d plan.Plan) *Schema {
	d.Redis.Cluster = plan.DefaultRedisCluster()
	var stores Properties
	for _, s := range plan.ServerKeys {
		stores = append(stores, section(s, &d))
	}
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
