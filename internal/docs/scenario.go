package docs

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/schema"
)

// scenarioPage is the view of the reference of the scenario file. Its keys come from the schema; a
// test plays the examples.
type scenarioPage struct {
	*writer
	Keys *schema.Schema
}

// Key is the schema of a key.
func (p scenarioPage) Key(name string) *schema.Schema { return at(p.Keys, name) }

// FaultKeys are the keys of a fault, apart from verbs and their parameters.
func (p scenarioPage) FaultKeys() schema.Properties {
	return slices.DeleteFunc(slices.Clone(at(p.Keys, "faults").Items.Properties), func(key schema.Property) bool {
		return !slices.Contains(faults.Keys(), key.Name)
	})
}

// CommandDoc explains the commands of moments.
func (p scenarioPage) CommandDoc() string { return faults.CommandDoc }

// MomentRows explain the moments.
func (p scenarioPage) MomentRows() [][]string {
	return each.Map(faults.MomentPhrases(), func(m faults.MomentPhrase) []string {
		return []string{code(strings.ReplaceAll(m.Text, "%s", "COMMAND")), text(m.Doc.English())}
	})
}

// SettingRows are what a sweep can vary.
func (p scenarioPage) SettingRows() [][]string {
	return each.Map(plan.Settings, func(s plan.Setting) []string { return []string{code(s.Key), text(s.Doc)} })
}

// at is the schema of a key.
func at(s *schema.Schema, key string) *schema.Schema {
	i := slices.IndexFunc(s.Properties, func(p schema.Property) bool { return p.Name == key })
	if i < 0 {
		panic("docs: the schema has no key " + key)
	}
	return s.Properties[i].Value
}

// keyTable is a table of keys, with full paths for nested ones.
func keyTable(keys schema.Properties) string {
	return table("key | what it is | left out", keyRows("", keys, func(string) string { return "" }))
}

// starred is the table of the workload's keys: a star marks those that a client can override.
func starred(s *schema.Schema) string {
	own := plan.Names(plan.ClientKeys())
	return table("key | what it is | left out", keyRows("", s.Properties, func(key string) string {
		if slices.Contains(own, key) {
			return " \\*"
		}
		return ""
	}))
}

func keyRows(before string, keys schema.Properties, mark func(key string) string) (rows [][]string) {
	for _, p := range keys {
		first, _, _ := strings.Cut(p.Value.Description, "\n")
		about := strings.ReplaceAll(text(first), "\\`", "`") // the schema's own Markdown
		if strings.HasSuffix(p.Value.Ref, "/span") {
			about += " It may vary."
		}
		for i, word := range p.Value.Enum {
			about += "<br>" + code(word) + ": " + text(p.Value.EnumDescriptions[i])
		}
		usual := ""
		if d := p.Value.Default; d != nil {
			usual = code(fmt.Sprint(d))
		}
		if names, ok := p.Value.Default.([]string); ok {
			usual = code("[" + strings.Join(names, ", ") + "]")
		}
		rows = append(rows, []string{code(before+p.Name) + mark(p.Name), about, usual})
		if before != "" || p.Name == "failover" || p.Name == "cluster" {
			rows = append(rows, keyRows(p.Name+".", p.Value.Properties, mark)...)
		}
	}
	return rows
}
