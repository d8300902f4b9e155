package worker

import (
	"errors"
	"strings"

	"lockstep/internal/world"
)

// errorText is the text of an answer that refuses.
func errorText(err error) string {
	var database *world.SQLError
	switch {
	case errors.As(err, &database):
		return database.Text()
	case strings.HasPrefix(err.Error(), "zk: "):
		return "(error) " + err.Error()
	}
	return err.Error()
}
