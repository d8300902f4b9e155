package sql

// Flavour is which database a model is of.
type Flavour uint8

// The flavours.
const (
	MySQL      Flavour = iota // InnoDB at its default isolation, REPEATABLE READ
	PostgreSQL                // at its default isolation, READ COMMITTED
	flavourCount
)

func mysqlError(number int, state, message string) *Error {
	return &Error{Number: number, State: state, Message: message}
}

func pgError(state, message string) *Error {
	return &Error{State: state, Message: message}
}

// pick is the error that this flavour gives.
func (f Flavour) pick(mysql, pg *Error) *Error {
	if f == MySQL {
		return mysql
	}
	return pg
}

func (f Flavour) syntaxError(near string) *Error {
	return f.pick(
		mysqlError(1064, "42000", "You have an error in your SQL syntax near '"+near+"'"),
		pgError("42601", `syntax error at or near "`+near+`"`))
}

// beyond refuses what a real server can do and this model cannot.
func (f Flavour) beyond(what string) *Error {
	return f.pick(
		mysqlError(1235, "42000", "the model does not know "+what),
		pgError("0A000", "the model does not know "+what))
}

func (f Flavour) noTable(name string) *Error {
	return f.pick(
		mysqlError(1146, "42S02", "Table '"+name+"' doesn't exist"),
		pgError("42P01", `relation "`+name+`" does not exist`))
}

func (f Flavour) noColumn(name, clause string) *Error {
	return f.pick(
		mysqlError(1054, "42S22", "Unknown column '"+name+"' in '"+clause+"'"),
		pgError("42703", `column "`+name+`" does not exist`))
}

func (f Flavour) duplicate(key string, v value) *Error {
	shown := v.text
	if v.kind == valueNumber {
		shown = toText(v)
	}
	return f.pick(
		mysqlError(1062, "23000", "Duplicate entry '"+shown+"' for key '"+key+"'"),
		pgError("23505", `duplicate key value violates unique constraint "`+key+`"`))
}

func (f Flavour) waitTimeout() *Error {
	return f.pick(
		mysqlError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"),
		pgError("55P03", "canceling statement due to lock timeout"))
}

func (f Flavour) deadlock() *Error {
	return f.pick(
		mysqlError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction"),
		pgError("40P01", "deadlock detected"))
}

func (f Flavour) isNull(column string) *Error {
	return f.pick(
		mysqlError(1048, "23000", "Column '"+column+"' cannot be null"),
		pgError("23502", `null value in column "`+column+`" violates not-null constraint`))
}

func (f Flavour) noDefault(column string) *Error {
	return f.pick(
		mysqlError(1364, "HY000", "Field '"+column+"' doesn't have a default value"),
		pgError("23502", `null value in column "`+column+`" violates not-null constraint`))
}

// readOnly is a replica's answer to a statement that changes something.
func (f Flavour) readOnly(what string) *Error {
	return f.pick(
		mysqlError(1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot execute this statement"),
		pgError("25006", "cannot execute "+what+" in a read-only transaction"))
}

// aborted is PostgreSQL's answer to all statements of a transaction after its
// first error.
func aborted() *Error {
	return pgError("25P02", "current transaction is aborted, commands ignored until end of transaction block")
}
