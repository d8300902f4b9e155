package containers

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// An engine that the user has named and that does not answer is an error with its name, even if
// another one would answer.
func TestANamedEngineThatDoesNotAnswerIsRefused(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	for _, tt := range []struct{ name, host, context, want string }{
		{"no socket", "unix:///nowhere/docker.sock", "", "unix:///nowhere/docker.sock, which DOCKER_HOST names"},
		{"no engine listens", "tcp://127.0.0.1:1", "", "tcp://127.0.0.1:1, which DOCKER_HOST names"},
		{"a context", "", "work", "unix:///nowhere/work.sock, which DOCKER_CONTEXT=work names"},
		{"an unknown context", "", "play", "DOCKER_CONTEXT=play is unknown"},
		{"no choice", "", "", ""},
		{"the default context", "", "default", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeContext(t, "work", "unix:///nowhere/work.sock")
			t.Setenv("DOCKER_HOST", tt.host)
			t.Setenv("DOCKER_CONTEXT", tt.context)
			host, err := chosenEngine(t.Context())
			if tt.want == "" && (err != nil || host != "") {
				t.Errorf("got %q, %v for no choice", host, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, %v, want %q", host, err, tt.want)
			}
		})
	}
}

// An engine of a context that answers is used.
func TestAContextThatAnswersIsChosen(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	socket := filepath.Join(t.TempDir(), "s")
	l := must.Get(net.Listen("unix", socket))(t)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", "1.47")
	})}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	writeContext(t, "work", "unix://"+socket)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "work")
	if host, err := chosenEngine(t.Context()); err != nil || host != "unix://"+socket {
		t.Errorf("got %q, %v", host, err)
	}
}

func writeContext(t *testing.T, name, host string) {
	t.Helper()
	dir := filepath.Join(os.Getenv("DOCKER_CONFIG"), "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte(name))))
	must.Do(t, os.MkdirAll(dir, 0o700))
	text := fmt.Sprintf(`{"Name":%q,"Endpoints":{"docker":{"Host":%q,"SkipTLSVerify":false}}}`, name, host)
	must.Do(t, os.WriteFile(filepath.Join(dir, "meta.json"), []byte(text), 0o600))
}
