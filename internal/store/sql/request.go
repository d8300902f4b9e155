package sql

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Stmt is one statement with its arguments, answered by a Result. Query holds one question mark
// for each argument, in every flavour; adapters number them where a database requires it.
type Stmt struct {
	Query string
	Args  []Value
	// Does is what it can do to an entry, where that does not follow from its first word: an UPDATE
	// that gives a row back.
	Does history.Effect
}

// What an UPDATE does that gives a row back: RemovesOwn if it says whose.
const (
	RemovesOwn = history.RemovesOwn
	Removes    = history.Removes
)

// Value is a text or a whole number; the zero value is the empty text.
type Value struct {
	Text   string
	Num    int64
	IsNum  bool
	IsBool bool // and a number, 1 for true: PostgreSQL tells the two types apart
	IsTime bool // of results: Num microseconds since 1970
	Null   bool // in results only
}

// Text and Num make values.
func Text(s string) Value { return Value{Text: s} }

// Bool makes a truth value.
func Bool(b bool) Value {
	v := Value{IsNum: true, IsBool: true}
	if b {
		v.Num = 1
	}
	return v
}

// Time makes a time, of microseconds since 1970.
func Time(us int64) Value { return Value{Num: us, IsTime: true} }

// Num makes a number.
func Num(n int64) Value { return Value{Num: n, IsNum: true} }

// Result is what a statement did.
type Result struct {
	Rows     [][]Value // of a SELECT
	Columns  []string  // their names
	Affected int64     // rows changed by INSERT, UPDATE or DELETE
	LastID   int64     // the generated id of an INSERT (MySQL); 0 for none
	Err      error     // ErrTimeout, ErrConnection, an error of ctx, or a *Error
}

// Error is an error of the database: MySQL's number, or PostgreSQL's SQLSTATE.
type Error struct {
	Number  int    // 1062: duplicate key; 0 in PostgreSQL
	State   string // 23000, 23505
	Message string
}

// Error returns the database's text.
func (e *Error) Error() string { return e.Message }

// Unable reports whether the server would refuse any client, since it is read-only: a replica.
func (e *Error) Unable() bool { return e.Number == 1290 || e.State == "25006" }

// Duplicate reports whether an INSERT failed because the row exists: MySQL's
// error 1062, PostgreSQL's state 23505.
func (r Result) Duplicate() bool {
	e, ok := r.Err.(*Error)
	return ok && (e.Number == 1062 || e.State == "23505")
}

// Op implements Request. A lock of a session is given back by that session, and so is a row that
// says whose it is.
func (s Stmt) Op() history.Op {
	op := history.Op{Name: statementName(s.Query)}
	op.Does = statementEffects[op.Name]
	says := func(words string) bool { return strings.Contains(ports.RequestText(s), words) }
	switch op.Name {
	case "GET_LOCK", "PG_ADVISORY_LOCK":
		op.Bound = true
	case "SELECT":
		if says("FOR UPDATE") {
			op.Does, op.Bound = history.Makes, true
		}
	case "DELETE":
		if says(" AND ") {
			op.Does = history.Anything // whichever rows its conditions mean
		}
	}
	if s.Does != 0 {
		op.Does = s.Does
	}
	return op
}

// LeadingWord is the name at the beginning of a text, "" when it begins with something else.
func LeadingWord(s string) string {
	end := 0
	for end < len(s) && (isLetter(s[end]) || end > 0 && isDigit(s[end])) {
		end++
	}
	return s[:end]
}

// statementName is the first word of a statement of SQL, or the function that a SELECT without a
// table calls.
func statementName(query string) string {
	query = strings.TrimSpace(query)
	first := strings.ToUpper(LeadingWord(query))
	if first != "SELECT" {
		return first
	}
	rest := strings.TrimSpace(query[len(first):])
	function := LeadingWord(rest)
	if function == "" || !strings.HasPrefix(rest[len(function):], "(") || strings.Contains(strings.ToUpper(rest), " FROM ") {
		return first
	}
	return strings.ToUpper(function)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// statementEffects are those of statements by their names.
var statementEffects = map[string]history.Effect{
	"BEGIN": history.NoEntry, "SELECT": history.Asks, "SET": history.Asks, "CREATE": history.Asks,
	"INSERT": history.Makes, "UPDATE": history.Makes, "GET_LOCK": history.Makes, "PG_ADVISORY_LOCK": history.Makes,
	"DELETE": history.Removes, "COMMIT": history.RemovesOwn, "RELEASE_LOCK": history.RemovesOwn, "PG_ADVISORY_UNLOCK": history.RemovesOwn,
}

// AnswerOf is the number of rows that a statement has changed.
func (s Stmt) AnswerOf(value any) history.Answer {
	r, ok := value.(Result)
	switch statementName(s.Query) {
	case "INSERT", "UPDATE", "DELETE":
		if ok {
			return history.Number(r.Affected)
		}
	}
	return history.Answer{}
}

// AppendText implements Request: the statement with its arguments filled in.
func (s Stmt) AppendText(buf []byte) []byte {
	return AppendReplaced(buf, s.Query, func(buf []byte, i int) []byte {
		if i >= len(s.Args) {
			return append(buf, '?')
		}
		return s.Args[i].appendText(buf)
	})
}

// AppendReplaced appends a query in which arg replaces the question mark of each argument, by its
// index; question marks in quotes stay.
func AppendReplaced(buf []byte, query string, arg func(buf []byte, i int) []byte) []byte {
	next := 0
	var quote byte
	for i := range len(query) {
		c := query[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '?':
			buf = arg(buf, next)
			next++
			continue
		}
		buf = append(buf, c)
	}
	return buf
}

// appendText appends a value as one would type it.
func (v Value) appendText(buf []byte) []byte {
	switch {
	case v.Null:
		return append(buf, "NULL"...)
	case v.IsNum:
		return strconv.AppendInt(buf, v.Num, 10)
	case v.IsTime:
		return time.UnixMicro(v.Num).UTC().AppendFormat(buf, "'2006-01-02 15:04:05.999999'")
	}
	buf = append(buf, '\'')
	for i := range len(v.Text) {
		if v.Text[i] == '\'' {
			buf = append(buf, '\'')
		}
		buf = append(buf, v.Text[i])
	}
	return append(buf, '\'')
}

// Driver is the value as drivers of databases take and give it.
func (v Value) Driver() any {
	switch {
	case v.Null:
		return nil
	case v.IsBool:
		return v.Num != 0
	case v.IsTime:
		return time.UnixMicro(v.Num).UTC()
	case v.IsNum:
		return v.Num
	}
	return v.Text
}

// RowsText is the answer to a SELECT on one line: its rows.
func (r Result) RowsText() string {
	if len(r.Rows) == 0 {
		return "no row"
	}
	var buf []byte
	before := ""
	for _, row := range r.Rows {
		buf = append(append(buf, before...), '(')
		for k, v := range row {
			if k > 0 {
				buf = append(buf, ", "...)
			}
			buf = v.appendText(buf)
		}
		buf = append(buf, ')')
		before = " "
	}
	return string(buf)
}

// affectedText is the answer to an INSERT, UPDATE or DELETE: how many rows it has changed.
func (r Result) affectedText() string {
	text := strconv.FormatInt(r.Affected, 10) + " row"
	if r.Affected != 1 {
		text += "s"
	}
	if r.LastID != 0 {
		text += ", id " + strconv.FormatInt(r.LastID, 10)
	}
	if len(r.Rows) > 0 {
		text += ": " + r.RowsText()
	}
	return text
}

// Text is the error as an answer.
func (e *Error) Text() string {
	if e.Number != 0 {
		return "ERROR " + strconv.Itoa(e.Number) + " (" + e.State + "): " + e.Message
	}
	return "ERROR " + e.State + ": " + e.Message
}

// AnswerText implements store.AnswerFormatter.
func (s Stmt) AnswerText(value any) string {
	res, _ := value.(Result)
	switch strings.ToUpper(LeadingWord(strings.TrimSpace(s.Query))) {
	case "SELECT":
		return res.RowsText()
	case "INSERT", "UPDATE", "DELETE":
		return res.affectedText()
	}
	return ports.OKText
}

var _ store.AnswerFormatter = Stmt{}
