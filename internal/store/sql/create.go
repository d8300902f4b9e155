package sql

import (
	"cmp"
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
	return st
}

// element reads one column or one key.
func (p *parser) element(def *definition) {
	switch {
	case p.accept("PRIMARY", "KEY"):
		def.primary(p.inParentheses())
	case p.accept("UNIQUE"):
		k := key{}
		if p.flavour == MySQL {
			if !p.accept("KEY") {
				p.accept("INDEX")
			}
			if !p.peek().is("(") {
				k.name = p.name()
			}
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
	name := p.name()
	c, isTime := p.timeType()
	mysql, word := p.flavour == MySQL, ""
	if c.name = name; !isTime {
		word = strings.ToUpper(p.name())
	}
	switch {
	case isTime:
	case word == "INT", word == "INTEGER":
		c.holds(32)
	case word == "BIGINT":
		c.holds(64)
	case !mysql && (word == "SERIAL" || word == "BIGSERIAL"):
		c.holds(map[string]int{"SERIAL": 32, "BIGSERIAL": 64}[word])
		c.generated, c.notNull = true, true
	case mysql && (word == "BOOLEAN" || word == "BOOL"):
		c.holds(8)
	case word == "BOOLEAN", word == "BOOL":
		c.boolean = true
	case word == "VARCHAR", word == "TEXT":
	default:
		p.at--
		p.fail()
	}
	if digits := mysql && c.number; (digits || word == "VARCHAR") && p.accept("(") {
		size := decimal(p.peek().text)
		if p.take().kind != tokenNumber || size.kind != valueNumber || size.num == 0 {
			p.at--
			p.fail()
		}
		if p.expect(")"); !digits { // the digits of a number are shown, and limit nothing
			c.chars = size.num
		}
	} else if mysql && word == "VARCHAR" {
		p.fail()
	}
	for p.option(&c, def) {
	}
	def.columns = append(def.columns, c)
}

// holds makes it a column of whole numbers of so many bits.
func (c *column) holds(bits int) {
	c.number, c.least, c.most = true, -1<<(bits-1), 1<<(bits-1)-1
}

// option reads one of the words behind a column's type.
func (p *parser) option(c *column, def *definition) bool {
	switch {
	case p.flavour == MySQL && c.number && !c.unsigned && p.accept("UNSIGNED"):
		c.unsigned, c.least = true, 0
		if c.most < math.MaxInt64 {
			c.most = 2*c.most + 1
		}
	case p.accept("NULL"):
	case c.absent == nil && p.accept("DEFAULT"):
		if c.absent = p.sum(); p.params > 0 {
			p.fail()
		}
	case p.accept("NOT", "NULL"):
		c.notNull = true
	case p.flavour == MySQL && p.accept("AUTO_INCREMENT"):
		c.generated = true
	case p.accept("PRIMARY", "KEY"):
		c.notNull = true
		def.primary(c.name)
	case p.accept("UNIQUE"):
		if p.flavour == MySQL {
			p.accept("KEY")
		}
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
	t := &table{name: st.table, columns: slices.Clone(def.columns), nextID: 1, definition: def}
	for i, c := range def.columns {
		if t.column(c.name) != i {
			panic(f.pick(1060, "42S21", "Duplicate column name '"+c.name+"'",
				"42701", `column "`+c.name+`" specified more than once`))
		}
	}
	for i, k := range def.keys {
		at := t.column(k.column)
		if at < 0 {
			panic(f.pick(1072, "42000", "Key column '"+k.column+"' doesn't exist in table",
				"42703", `column "`+k.column+`" named in key does not exist`))
		}
		if k.name == primaryKey {
			if i > 0 {
				panic(f.pick(1068, "42000", "Multiple primary key defined",
					"42P16", `multiple primary keys for table "`+st.table+`" are not allowed`))
			}
			t.columns[at].notNull = true
		}
		if f == PostgreSQL {
			k.name = pgKeyName(t.name, k)
		}
		t.unique = append(t.unique, unique{name: k.name, column: at})
	}
	if g := t.generated(); f == MySQL && g >= 0 && !t.isKey(g) {
		panic(mysqlError(1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"))
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
