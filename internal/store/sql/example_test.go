package sql_test

import (
	"fmt"

	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

// Two clients want a named lock. The second one waits, and gets it when the first one's session
// ends.
func Example() {
	db := sql.New(sql.Config{Flavour: sql.MySQL, Lock: store.Entry{Key: "lock"}})
	a, b := store.Conn{ID: 1, Client: 1}, store.Conn{ID: 2, Client: 2}
	get := sql.Stmt{Query: "SELECT GET_LOCK(?, 60)", Args: []sql.Value{sql.Text("lock")}}
	now := store.Clock{}

	answer, _ := db.Exec(now, 1, a, get)
	fmt.Println("A:", get.AnswerText(answer.Value))
	_, done := db.Exec(now, 2, b, get)
	fmt.Println("B has an answer:", done)
	db.Closed(now, a)
	for _, late := range db.Output().Answers {
		fmt.Println("B, late:", get.AnswerText(late.Value))
	}
	// Output:
	// A: (1)
	// B has an answer: false
	// B, late: (1)
}
