package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// exchange sends the server one request over HTTP, past all links and on a connection of
// its own; body goes as JSON, unless it is nil. The caller closes the answer's body.
func (s *Server) exchange(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Close = true
	return http.DefaultClient.Do(request)
}
