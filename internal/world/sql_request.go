package world

import (
	"strconv"
	"strings"
)

// The requests to a database are its statements. They and what is answered, in texts.

// Name implements Request: the first word of the statement, or the function that a SELECT
// without a table calls: INSERT, GET_LOCK.
func (s Stmt) Name() string { return statementName(s.Query) }

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

// LeadingWord is the name that a text begins with, "" when it begins with something else.
func LeadingWord(s string) string {
	letter := func(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	end := 0
	for end < len(s) && (letter(s[end]) || end > 0 && '0' <= s[end] && s[end] <= '9') {
		end++
	}
	return s[:end]
}

// AppendText implements Request: the statement with its arguments filled in.
func (s Stmt) AppendText(buf []byte) []byte {
	next := 0
	var quote byte
	for i := range len(s.Query) {
		c := s.Query[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '?' && next < len(s.Args):
			buf = s.Args[next].appendText(buf)
			next++
			continue
		}
		buf = append(buf, c)
	}
	return buf
}

// appendText appends a value as one would type it.
func (v SQLValue) appendText(buf []byte) []byte {
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

// RowsText are the rows that a SELECT has found, as an answer on one line.
func (r *SQLResult) RowsText() string {
	if len(r.Rows) == 0 {
		return "no row"
	}
	var buf []byte
	for i, row := range r.Rows {
		buf = append(buf, separator(i, "(", " (")...)
		for k, v := range row {
			buf = v.appendText(append(buf, separator(k, "", ", ")...))
		}
		buf = append(buf, ')')
	}
	return string(buf)
}

// AffectedText says how many rows an INSERT, UPDATE or DELETE has changed, as an answer.
func (r *SQLResult) AffectedText() string {
	text := strconv.FormatInt(r.Affected, 10) + " row"
	if r.Affected != 1 {
		text += "s"
	}
	if r.LastID != 0 {
		text += ", id " + strconv.FormatInt(r.LastID, 10)
	}
	return text
}

// Text is the error as an answer.
func (e *SQLError) Text() string {
	if e.Number != 0 {
		return "ERROR " + strconv.Itoa(e.Number) + " (" + e.State + "): " + e.Message
	}
	return "ERROR " + e.State + ": " + e.Message
}
