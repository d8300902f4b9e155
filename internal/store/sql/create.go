package sql

import (
	"math"
	"slices"
	"strings"
)

// creation reads the rest of a CREATE TABLE.
func (p *parser) creation() *statement {
	def := &definition{ifNotExists: p.accept("IF", "NOT", "EXISTS")}
	st := &statement{kind: kindCreate, table: p.name(), create: def}
	p.expect("(")
	p.list(func() { p.element(def) })
	p.expect(")")
	if p.flavour == MySQL && p.accept("ENGINE") {
		p.accept("=")
		def.engine = p.name()
	}
	if p.flavour == MySQL && (p.accept("DEFAULT", "CHARSET") || p.accept("CHARSET")) {
		p.accept("=")
		p.expect("utf8mb4")
	}
	return st
}

// element reads one column or one key.
func (p *parser) element(def *definition) {
	name := ""
	if p.accept("CONSTRAINT") {
		name = p.name()
	}
	switch {
	case p.accept("PRIMARY", "KEY"):
		def.primary(key{name: name, columns: p.inParentheses()})
	case p.accept("UNIQUE"):
		if p.flavour == MySQL {
			if !p.accept("KEY") {
				p.accept("INDEX")
			}
			if !p.peek().is("(") {
				name = p.name()
			}
		}
		def.keys = append(def.keys, key{name: name, columns: p.inParentheses()})
	case name != "":
		p.fail()
	case p.flavour == MySQL && (p.peek().is("KEY") || p.peek().is("INDEX")):
		panic(p.flavour.beyond("an index that is no key, which changes what MySQL locks"))
	default:
		p.column(def)
	}
}

func (p *parser) inParentheses() (names []string) {
	p.expect("(")
	p.list(func() { names = append(names, p.name()) })
	p.expect(")")
	return names
}

// primary puts the primary key before the others: it is checked first.
func (d *definition) primary(k key) {
	k.primary = true
	d.keys = append([]key{k}, d.keys...)
}

func (p *parser) column(def *definition) {
	name := p.name()
	c, isTime := p.timeType()
	mysql, word := p.flavour == MySQL, ""
	if c.name = name; !isTime {
		word = strings.ToUpper(p.name())
	}
	switch bits := integers[p.flavour][word]; {
	case isTime:
	case bits > 0:
		c.kind, c.least, c.most = valueNumber, -1<<(bits-1), 1<<(bits-1)-1
		c.generated = strings.HasSuffix(word, "SERIAL")
		c.notNull = c.generated
	case word == "BOOLEAN", word == "BOOL":
		c.kind = valueBool
	case word == "CHAR", word == "VARCHAR", word == "TEXT":
		c.kind, c.filled = valueText, word == "CHAR"
	default:
		panic(p.flavour.beyond("the type " + word + ": make the column BIGINT, VARCHAR or a time"))
	}
	if digits := mysql && c.kind == valueNumber; (digits || c.filled || word == "VARCHAR") && p.accept("(") {
		if c.chars = p.count(1, math.MaxInt32); digits {
			c.chars = 0 // the digits of a number are shown, and limit nothing
		}
		p.expect(")")
	} else if mysql && word == "VARCHAR" || c.filled {
		p.fail()
	}
	for p.option(&c, def) {
	}
	def.columns = append(def.columns, c)
}

// integers are the types of whole numbers, with their bits.
var integers = [...]map[string]int{
	MySQL:      {"BOOL": 8, "BOOLEAN": 8, "TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64},
	PostgreSQL: {"SMALLINT": 16, "INT": 32, "INTEGER": 32, "SERIAL": 32, "BIGINT": 64, "BIGSERIAL": 64},
}

// option reads one of the words behind a column's type.
func (p *parser) option(c *column, def *definition) bool {
	switch {
	case p.flavour == MySQL && c.kind == valueNumber && !c.unsigned && p.accept("UNSIGNED"):
		c.unsigned, c.least = true, 0
		if c.most < math.MaxInt64 {
			c.most = 2*c.most + 1
		}
	case p.accept("NULL"):
	case c.absent == nil && p.accept("DEFAULT"):
		if c.absent = p.sum(); p.params > 0 || p.subs != nil {
			p.fail()
		}
	case p.accept("NOT", "NULL"):
		c.notNull = true
	case p.flavour == MySQL && p.accept("AUTO_INCREMENT"):
		c.generated = true
	case p.flavour == PostgreSQL && c.kind == valueNumber && p.accept("GENERATED"):
		if c.always = p.accept("ALWAYS"); !c.always {
			p.expect("BY", "DEFAULT")
		}
		p.expect("AS", "IDENTITY")
		c.generated, c.notNull = true, true
	case p.accept("PRIMARY", "KEY"):
		c.notNull = true
		def.primary(key{columns: []string{c.name}})
	case p.accept("UNIQUE"):
		if p.flavour == MySQL {
			p.accept("KEY")
		}
		def.keys = append(def.keys, key{columns: []string{c.name}})
	default:
		return false
	}
	return true
}

// createTable executes CREATE TABLE. It fails with the errors of the servers, and checks
// in their order: the engine, whether the table exists, its columns, its keys.
func (d *DB) createTable(st *statement) {
	def := st.create
	f := d.cfg.Flavour
	if f == MySQL && def.engine != "" && !strings.EqualFold(def.engine, "InnoDB") {
		panic(mysqlError(1286, "42000", "Unknown storage engine '"+def.engine+"'"))
	}
	if d.table(st.table) != nil {
		if def.ifNotExists {
			return
		}
		panic(f.pick(1050, "42S01", "Table '"+st.table+"' already exists",
			"42P07", `relation "`+st.table+`" already exists`))
	}
	t := &table{name: st.table, columns: slices.Clone(def.columns), nextID: 1, definition: def}
	for i, c := range def.columns {
		if t.column(c.name) != i {
			panic(f.pick(1060, "42S21", "Duplicate column name '"+c.name+"'",
				"42701", `column "`+c.name+`" specified more than once`))
		}
	}
	for i, k := range def.keys {
		u := unique{name: f.keyName(t.name, k)}
		for _, name := range k.columns {
			at := t.column(name)
			switch {
			case at < 0:
				panic(f.pick(1072, "42000", "Key column '"+name+"' doesn't exist in table",
					"42703", `column "`+name+`" named in key does not exist`))
			case slices.Contains(u.columns, at):
				panic(f.pick(1060, "42S21", "Duplicate column name '"+name+"'",
					"42701", `column "`+name+`" appears twice in a key`))
			}
			u.columns = append(u.columns, at)
			t.columns[at].notNull = t.columns[at].notNull || k.primary
		}
		if k.primary && i > 0 {
			panic(f.pick(1068, "42000", "Multiple primary key defined",
				"42P16", `multiple primary keys for table "`+st.table+`" are not allowed`))
		}
		t.unique = append(t.unique, u)
	}
	if g := t.generated(); f == MySQL && g >= 0 && !t.leads(g) {
		panic(mysqlError(1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"))
	}
	d.tables = append(d.tables, t)
}

// keyName is the name of a key: a server gives one to each that has none.
func (f Flavour) keyName(table string, k key) string {
	switch {
	case f == MySQL && k.primary:
		return "PRIMARY"
	case k.name != "":
		return k.name
	case f == MySQL:
		return k.columns[0]
	case k.primary:
		return table + "_pkey"
	}
	return table + "_" + strings.Join(k.columns, "_") + "_key"
}
