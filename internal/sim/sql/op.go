package sql

import "lockstep/internal/world"

// Op is one statement as a request; the answer's value is a world.SQLResult.
type Op struct{ world.Stmt }

// text is an answer as reports show it, on one line.
func text(st *statement, res *world.SQLResult, err *world.SQLError) string {
	switch {
	case err != nil:
		return err.Text()
	case st.kind == kindSelect:
		return res.RowsText()
	case st.kind == kindInsert || st.kind == kindUpdate || st.kind == kindDelete:
		return res.AffectedText()
	}
	return world.OKText
}
