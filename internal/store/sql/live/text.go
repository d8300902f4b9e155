package live

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	model "lockstep/internal/store/sql"
)

// Statements and their answers as the drivers want them.

// verb is the first word of a statement.
func verb(query string) string { return strings.ToUpper(model.LeadingWord(strings.TrimSpace(query))) }

// returnsRows reports whether a statement is one that asks.
func returnsRows(query string) bool {
	first := verb(query)
	return first == "SELECT" || first == "SHOW"
}

// replacePlaceholders writes a statement with something else for each question
// mark that stands for an argument; those in quotes do not.
func replacePlaceholders(query string, with func(i int) string) string {
	var out strings.Builder
	var quote byte
	next := 0
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
			out.WriteString(with(next))
			next++
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// numberPlaceholders writes a statement as PostgreSQL wants it.
func numberPlaceholders(query string) string {
	return replacePlaceholders(query, func(i int) string { return "$" + strconv.Itoa(i+1) })
}

func sqlArgs(values []model.Value) []any {
	out := make([]any, 0, len(values))
	for _, v := range values {
		if v.IsNum {
			out = append(out, v.Num)
		} else {
			out = append(out, v.Text)
		}
	}
	return out
}

// readRows reads all rows of an answer.
func readRows(rows *sql.Rows) model.Result {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return model.Result{Err: sqlError(err)}
	}
	var res model.Result
	for rows.Next() {
		cells := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return model.Result{Err: sqlError(err)}
		}
		row := make([]model.Value, 0, len(cells))
		for i, c := range cells {
			row = append(row, sqlValue(c, strings.HasSuffix(columns[i].DatabaseTypeName(), "INT")))
		}
		res.Rows = append(res.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return model.Result{Err: sqlError(err)}
	}
	return res
}

// sqlValue converts a value of a driver. whole says that its column has whole
// numbers: where a protocol carries texts only, the value does not show it.
func sqlValue(cell any, whole bool) model.Value {
	switch c := cell.(type) {
	case nil:
		return model.Value{Null: true}
	case int64:
		return model.Num(c)
	case bool:
		return model.Bool(c)
	case []byte:
		if n, err := strconv.ParseInt(string(c), 10, 64); err == nil && whole {
			return model.Num(n)
		}
		return model.Text(string(c))
	}
	return model.Text(fmt.Sprint(cell))
}
