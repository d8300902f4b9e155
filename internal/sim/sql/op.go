package sql

import (
	"strconv"
	"strings"

	"lockstep/internal/world"
)

// Op is one statement as a request; the answer's value is a world.SQLResult.
type Op struct{ Stmt world.Stmt }

// Name implements store.Op: the first word of the statement, or the function that
// a SELECT without a table calls: INSERT, GET_LOCK.
func (o *Op) Name() string {
	q := strings.TrimSpace(o.Stmt.Query)
	first := leadingWord(q)
	if !strings.EqualFold(first, "SELECT") {
		return strings.ToUpper(first)
	}
	rest := strings.TrimSpace(q[len(first):])
	function := leadingWord(rest)
	if function == "" || !strings.HasPrefix(rest[len(function):], "(") || strings.Contains(strings.ToUpper(rest), " FROM ") {
		return "SELECT"
	}
	return strings.ToUpper(function)
}

func leadingWord(s string) string {
	end := 0
	for end < len(s) && (isLetter(s[end]) || (end > 0 && isDigit(s[end]))) {
		end++
	}
	return s[:end]
}

// AppendText implements store.Op: the statement with its arguments filled in.
func (o *Op) AppendText(buf []byte) []byte {
	next := 0
	var quote byte
	for i := range len(o.Stmt.Query) {
		c := o.Stmt.Query[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '?' && next < len(o.Stmt.Args):
			buf = appendValue(buf, o.Stmt.Args[next])
			next++
			continue
		}
		buf = append(buf, c)
	}
	return buf
}

// appendValue appends a value as one would type it.
func appendValue(buf []byte, v world.SQLValue) []byte {
	switch {
	case v.Null:
		return append(buf, "NULL"...)
	case v.IsNum:
		return strconv.AppendInt(buf, v.Num, 10)
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

// text is an answer as reports show it, on one line.
func text(st *statement, res *world.SQLResult, err *world.SQLError) string {
	if err != nil {
		if err.Number != 0 {
			return "ERROR " + strconv.Itoa(err.Number) + " (" + err.State + "): " + err.Message
		}
		return "ERROR " + err.State + ": " + err.Message
	}
	var buf []byte
	switch {
	case st.kind == kindSelect && len(res.Rows) == 0:
		return "no row"
	case st.kind == kindSelect:
		for i, row := range res.Rows {
			if i > 0 {
				buf = append(buf, ' ')
			}
			buf = appendRow(buf, row)
		}
	case st.kind == kindInsert || st.kind == kindUpdate || st.kind == kindDelete:
		buf = strconv.AppendInt(buf, res.Affected, 10)
		buf = append(buf, " row"...)
		if res.Affected != 1 {
			buf = append(buf, 's')
		}
		if res.LastID != 0 {
			buf = strconv.AppendInt(append(buf, ", id "...), res.LastID, 10)
		}
	default:
		return "OK"
	}
	return string(buf)
}

func appendRow(buf []byte, row []world.SQLValue) []byte {
	buf = append(buf, '(')
	for i, v := range row {
		if i > 0 {
			buf = append(buf, ", "...)
		}
		buf = appendValue(buf, v)
	}
	return append(buf, ')')
}
