package worker

import "errors"

// errorText is the text of an answer that refuses.
func errorText(err error) string {
	var told interface {
		error
		Text() string
	}
	if errors.As(err, &told) {
		return told.Text()
	}
	return err.Error()
}
