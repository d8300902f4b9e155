package sql

import "strings"

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
func (f Flavour) pick(number int, state, message, pgState, pgMessage string) *Error {
	if f == MySQL {
		return mysqlError(number, state, message)
	}
	return pgError(pgState, pgMessage)
}

// hints say what to write instead of what the model does not know, by a word of it.
var hints = map[string]string{
	"JOIN": byItself, "USING": byItself, "UNION": byItself, "GROUP": byItself,
	"WITH":      "write the part in WITH as a subquery: WHERE id = (SELECT id ... LIMIT 1 FOR UPDATE SKIP LOCKED)",
	"SELECT":    "read first, and then INSERT ... VALUES, with INSERT IGNORE or ON DUPLICATE KEY UPDATE where others may do the same",
	"SHARE":     rowLocked,
	"LOCK":      rowLocked,
	"REPLACE":   "write INSERT ... ON DUPLICATE KEY UPDATE",
	"INDEX":     "write unique keys into CREATE TABLE, and leave out other indexes",
	"SAVEPOINT": "begin a transaction of its own",
	"RETURNING": "read the row with a SELECT of its own",
}

const (
	byItself  = "read each table by itself"
	rowLocked = "lock rows with SELECT ... FOR UPDATE"
)

// beyond refuses what a real server can do and this model cannot.
func (f Flavour) beyond(what string) *Error {
	what = "the model does not know " + what
	return f.pick(1235, "42000", what, "0A000", what)
}

func (f Flavour) noColumn(name, clause string) *Error {
	return f.pick(1054, "42S22", "Unknown column '"+name+"' in '"+clause+"'",
		"42703", `column "`+name+`" does not exist`)
}

func (f Flavour) duplicate(key string, v image) *Error {
	var parts []string
	for _, part := range v {
		parts = append(parts, part.digits())
	}
	return f.pick(1062, "23000", "Duplicate entry '"+strings.Join(parts, "-")+"' for key '"+key+"'",
		"23505", `duplicate key value violates unique constraint "`+key+`"`)
}

func (f Flavour) waitTimeout() *Error {
	return f.pick(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction",
		"55P03", "canceling statement due to lock timeout")
}

// noValue refuses a row without a value in a column that is NOT NULL: NULL was given, or nothing.
func (f Flavour) noValue(column string, given bool) *Error {
	number, state, message := 1364, "HY000", "Field '"+column+"' doesn't have a default value"
	if given {
		number, state, message = 1048, "23000", "Column '"+column+"' cannot be null"
	}
	return f.pick(number, state, message, "23502", `null value in column "`+column+`" violates not-null constraint`)
}
