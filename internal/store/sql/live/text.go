package live

import (
	"database/sql/driver"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	model "lockstep/internal/store/sql"
)

// Statements and their answers as the drivers want them.

// returnsRows reports whether a statement is a query.
func returnsRows(query string) bool {
	first := strings.ToUpper(model.LeadingWord(strings.TrimSpace(query)))
	return first == "SELECT" || first == "SHOW" || returning(query)
}

// returning reports whether a statement changes rows and gives them.
func returning(query string) bool { return strings.Contains(strings.ToUpper(query), " RETURNING ") }

// numberPlaceholders writes $1 and so on for the question marks of a query, as PostgreSQL requires.
func numberPlaceholders(query string) string {
	return string(model.AppendReplaced(nil, query, func(buf []byte, i int) []byte {
		return strconv.AppendInt(append(buf, '$'), int64(i)+1, 10)
	}))
}

// readRows reads all rows of an answer.
func readRows(rows driver.Rows) (res model.Result, err error) {
	res.Columns = rows.Columns()
	kinds := rows.(driver.RowsColumnTypeDatabaseTypeName)
	cells := make([]driver.Value, len(res.Columns))
	for {
		if err := rows.Next(cells); err == io.EOF { // never wrapped
			return res, nil
		} else if err != nil {
			return model.Result{}, err
		}
		row := make([]model.Value, 0, len(cells))
		for i, c := range cells {
			row = append(row, sqlValue(c, kinds.ColumnTypeDatabaseTypeName(i)))
		}
		res.Rows = append(res.Rows, row)
	}
}

// sqlValue converts a value of a driver. kind is the type of its column: where a protocol carries
// texts only, the value does not show it.
func sqlValue(cell any, kind string) model.Value {
	switch c := cell.(type) {
	case nil:
		return model.Value{Null: true}
	case int64:
		return model.Num(c)
	case uint64: // BIGINT UNSIGNED of MariaDB
		if c <= math.MaxInt64 {
			return model.Num(int64(c))
		}
	case bool:
		return model.Bool(c)
	case time.Time:
		return model.Time(c.UnixMicro())
	case []byte:
		if n, err := strconv.ParseInt(string(c), 10, 64); err == nil && strings.HasSuffix(kind, "INT") {
			return model.Num(n)
		}
		if at, err := time.Parse(time.DateTime, string(c)); err == nil && (kind == "DATETIME" || kind == "TIMESTAMP") {
			return model.Time(at.UnixMicro())
		}
		return model.Text(string(c))
	}
	return model.Text(fmt.Sprint(cell))
}
