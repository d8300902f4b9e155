package sql

import (
	"cmp"
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
	if p.accept("ENGINE") {
		p.accept("=")
		def.engine = p.name()
	}
	return st
}

// element reads one column or one key.
func (p *parser) element(def *definition) {
	switch {
	case p.accept("PRIMARY", "KEY"):
		def.primary(p.inParentheses())
	case p.accept("UNIQUE"):
		if !p.accept("KEY") {
			p.accept("INDEX")
		}
		k := key{}
		if !p.peek().is("(") {
			k.name = p.name()
		}
		k.column = p.inParentheses()
		k.name = cmp.Or(k.name, k.column)
		def.keys = append(def.keys, k)
	default:
		p.column(def)
	}
}

func (p *parser) inParentheses() string {
	p.expect("(")
	name := p.name()
	p.expect(")")
	return name
}

// primary puts the primary key before the others: it is checked first.
func (d *definition) primary(column string) {
	d.keys = append([]key{{name: primaryKey, column: column}}, d.keys...)
}

const primaryKey = "PRIMARY"

func (p *parser) column(def *definition) {
	c := column{name: p.name()}
	switch word := strings.ToUpper(p.name()); word {
	case "INT", "INTEGER", "BIGINT":
		c.number = true
	case "SERIAL", "BIGSERIAL":
		c.number, c.generated, c.notNull = true, true, true
	case "BOOLEAN", "BOOL":
		c.number, c.boolean = p.flavour == MySQL, p.flavour == PostgreSQL
	case "VARCHAR", "TEXT":
	default:
		p.at--
		p.fail()
	}
	if p.accept("(") {
		if p.take().kind != tokenNumber {
			p.at--
			p.fail()
		}
		p.expect(")")
	}
	for p.option(&c, def) {
	}
	def.columns = append(def.columns, c)
}

// option reads one of the words behind a column's type.
func (p *parser) option(c *column, def *definition) bool {
	switch {
	case p.accept("UNSIGNED"), p.accept("NULL"):
	case p.accept("NOT", "NULL"):
		c.notNull = true
	case p.accept("AUTO_INCREMENT"):
		c.generated = true
	case p.accept("PRIMARY", "KEY"):
		c.notNull = true
		def.primary(c.name)
	case p.accept("UNIQUE"):
		p.accept("KEY")
		def.keys = append(def.keys, key{name: c.name, column: c.name})
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
	t := &table{name: st.table, columns: slices.Clone(def.columns), nextID: 1}
	for i, c := range def.columns {
		if t.column(c.name) != i {
			panic(f.pick(1060, "42S21", "Duplicate column name '"+c.name+"'",
				"42701", `column "`+c.name+`" specified more than once`))
		}
	}
	for _, k := range def.keys {
		at := t.column(k.column)
		if at < 0 {
			panic(f.pick(1072, "42000", "Key column '"+k.column+"' doesn't exist in table",
				"42703", `column "`+k.column+`" named in key does not exist`))
		}
		if k.name == primaryKey {
			t.columns[at].notNull = true
		}
		if f == PostgreSQL {
			k.name = pgKeyName(t.name, k)
		}
		t.unique = append(t.unique, unique{name: k.name, column: at})
	}
	d.tables = append(d.tables, t)
}

// pgKeyName is the name that PostgreSQL gives a key without one of its own.
func pgKeyName(table string, k key) string {
	if k.name == primaryKey {
		return table + "_pkey"
	}
	return table + "_" + k.column + "_key"
}
