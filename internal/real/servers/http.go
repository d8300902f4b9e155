package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ErrNotFound is the error for the HTTP status 404.
var ErrNotFound = errors.New("not found")

// Ask sends the server one HTTP request, bypassing all links, on a new connection, and decodes the
// JSON of the response. body and answer may be nil.
func (s *Server) Ask(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Close = true
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s %s on %s: %w", method, path, s.Name, ErrNotFound)
	case reply.StatusCode != http.StatusOK:
		said, _ := io.ReadAll(io.LimitReader(reply.Body, 1000)) // it is only for the message
		return fmt.Errorf("%s answered %s %s with %s: %s", s.Name, method, path, reply.Status, strings.TrimSpace(string(said)))
	case answer == nil:
		return nil
	}
	return json.NewDecoder(reply.Body).Decode(answer)
}
