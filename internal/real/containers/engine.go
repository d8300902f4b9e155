// Package containers runs servers in containers of the local engine. It is another launcher of
// package servers: the same servers, started from images.
//
// A container shares the network of this machine. So a server listens on the loopback interface
// as a child process would, reaches its primary through a proxy of the harness, and is not
// reachable from other machines. Its files are in a volume that outlives the container: a
// restarted server is a new container with the old volume.
//
// Containers do not die with the harness. Each harness with containers therefore starts a reaper,
// a process that removes them when the harness is dead, see reaper.go.
package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
)

// Engine is a launcher of servers in containers.
type Engine struct {
	client  *testcontainers.DockerClient
	chosen  map[images.Product]string // by the user
	scratch *osproc.Scratch           // for directories that servers share with this process
	label   string                    // of the containers and volumes of this engine
	reaper  *osproc.Reaper
	ctx     context.Context // of background requests
	cancel  context.CancelFunc
}

var _ servers.Launcher = (*Engine)(nil)

// answerTime bounds one request to the engine, other than pulling an image.
const answerTime = 30 * time.Second

// quiet prevents testcontainers from logging, and from starting its own reaper, whose image an
// engine without a registry cannot have.
var quiet = sync.OnceValue(func() error {
	log.SetDefault(log.NewNoopLogger())
	return os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
})

// Open connects to the engine, removes what dead harnesses have left in it and starts a reaper
// for this one. chosen are the images that the user has chosen; it may be nil. Directories that
// servers share with this process are in scratch. Close has to be called.
func Open(ctx context.Context, scratch *osproc.Scratch, chosen map[images.Product]string) (*Engine, error) {
	e, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	e.scratch, e.chosen = scratch, chosen
	if _, err = e.remove(ctx, abandoned); err == nil || err == errBusy {
		e.label, err = ownLabel()
	}
	if err == nil {
		e.reaper, err = remains.Reaper(e.label)
	}
	if err != nil {
		return nil, errors.Join(err, e.disconnect())
	}
	return e, nil
}

// disconnect ends what runs in the background, and closes the connection to the engine.
func (e *Engine) disconnect() error {
	e.cancel()
	return e.client.Close()
}

// Answers returns nil if an engine of this machine answers, and otherwise what to do.
func Answers(ctx context.Context) error {
	e, err := connect(ctx)
	if err != nil {
		return err
	}
	return e.disconnect()
}

func connect(ctx context.Context) (*Engine, error) {
	if err := quiet(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	chosen, err := chosenEngine(ctx)
	if err != nil {
		return nil, err
	}
	var opts []client.Opt
	if chosen != "" {
		opts = append(opts, client.WithHost(chosen))
		if err := os.Setenv("DOCKER_HOST", chosen); err != nil { // for reapers and testcontainers
			return nil, err
		}
	}
	c, err := testcontainers.NewDockerClientWithOpts(ctx, opts...)
	if err == nil {
		_, err = c.Ping(ctx, client.PingOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("no container engine answers: %w: start one (sudo systemctl start docker), or play with --backend process", err)
	}
	if host := c.DaemonHost(); !strings.HasPrefix(host, "unix://") {
		return nil, errors.Join(fmt.Errorf("the container engine at %s is not this machine's own: servers have to reach proxies on the loopback interface; unset DOCKER_HOST, or play with --backend process", host), c.Close())
	}
	e := &Engine{client: c}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

// Place implements servers.Launcher.
func (e *Engine) Place(_ context.Context, product images.Product, name string) (servers.Place, error) {
	image := images.Of(product)
	return &place{
		engine: e, image: image, from: image.Chosen(e.chosen, e.has),
		name: name, volume: unique(name),
	}, nil
}

// Fetch pulls the image of a product from its registry unless the engine has it, without a time
// limit.
func (e *Engine) Fetch(ctx context.Context, product images.Product) error {
	image := images.Of(product)
	name := image.Chosen(e.chosen, e.has)
	if e.has(name) {
		return nil
	}
	pull, err := e.client.ImagePull(ctx, name, client.ImagePullOptions{})
	if err == nil {
		err = pull.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("the engine has no image %s and cannot pull it: %w: choose another one with --image %s=NAME, or build local ones with scripts/local-images", name, err, product)
	}
	return nil
}

// has reports whether the engine has an image.
func (e *Engine) has(image string) bool {
	ctx, cancel := context.WithTimeout(e.ctx, answerTime)
	defer cancel()
	_, err := e.client.ImageInspect(ctx, image)
	return err == nil
}

// Close removes the containers that are left, and ends the reaper.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_, err := e.remove(ctx, func(label string) bool { return label == e.label })
	return errors.Join(err, e.reaper.End(err == nil), e.disconnect())
}
