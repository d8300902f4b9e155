package containers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/moby/moby/client"
)

// chosenEngine returns the host of DOCKER_HOST or of the context of DOCKER_CONTEXT; "" for
// neither. It returns an error if the host does not answer, where testcontainers would silently
// use the default engine.
func chosenEngine(ctx context.Context) (string, error) {
	host, by, variable := os.Getenv("DOCKER_HOST"), "DOCKER_HOST", "DOCKER_HOST"
	if name := os.Getenv("DOCKER_CONTEXT"); host == "" && name != "" && name != "default" {
		var err error
		if host, err = hostOfContext(name); err != nil {
			return "", fmt.Errorf("the container engine of DOCKER_CONTEXT=%s is unknown: %w: see docker context ls, unset DOCKER_CONTEXT, or play with --backend process", name, err)
		}
		by, variable = "DOCKER_CONTEXT="+name, "DOCKER_CONTEXT"
	}
	if host == "" {
		return "", nil
	}
	c, err := client.New(client.FromEnv, client.WithHost(host))
	if err == nil {
		_, err = c.Ping(ctx, client.PingOptions{})
		err = errors.Join(err, c.Close())
	}
	if err != nil {
		return "", fmt.Errorf("the container engine at %s, which %s names, does not answer: %w: start it, unset %s, or play with --backend process", host, by, err, variable)
	}
	return host, nil
}

// hostOfContext reads the address of a context from the files of the docker command.
func hostOfContext(name string) (string, error) {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".docker")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte(name))), "meta.json"))
	if err != nil {
		return "", err
	}
	var meta struct {
		Endpoints struct {
			Docker struct{ Host string } `json:"docker"`
		}
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return "", err
	}
	if meta.Endpoints.Docker.Host == "" {
		return "", errors.New("it names no address")
	}
	return meta.Endpoints.Docker.Host, nil
}
