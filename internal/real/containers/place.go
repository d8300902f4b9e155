package containers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
)

// place is the volume of a server, with a container on it.
type place struct {
	engine *Engine
	image  images.Image
	from   string // the name of the image
	name   string // of the server
	volume string
	shared string                   // directory of this machine that is mounted in the container; "" for none
	made   testcontainers.Container // the last one; nil before the first start
}

func (p *place) Dir() string       { return p.image.Data }
func (p *place) ConfigDir() string { return p.image.Config }

// Paths in a container.
const (
	sharedDir = "/lockstep"
	preloaded = "/libfaketime.so.1"
)

// Shared implements servers.Place. The server may read it as any user.
func (p *place) Shared() (here, there string, err error) {
	if p.shared == "" {
		if p.shared, err = p.engine.scratch.Fresh(p.name); err == nil {
			err = os.Chmod(p.shared, 0o755)
		}
	}
	return p.shared, sharedDir, err
}

// Start implements servers.Place: a new container on the volume.
func (p *place) Start(ctx context.Context, r servers.Recipe) (servers.Process, error) {
	if err := p.removeContainer(); err != nil {
		return nil, err
	}
	options, err := p.options(r)
	if err != nil {
		return nil, err
	}
	c, err := testcontainers.Run(ctx, p.from, options...)
	if c != nil {
		p.made = c
	}
	if p.shared != "" && err != nil && strings.Contains(err.Error(), "bind source path does not exist") {
		return nil, fmt.Errorf("%s cannot be started: the engine does not see %s, through which its clock is set: %w: set TMPDIR to a directory that the engine sees, too", p.name, p.shared, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be started from the image %s: %w: choose another one with --image %s=NAME, or build local ones with scripts/local-images",
			p.name, p.from, err, p.image.Product)
	}
	return p.engine.watch(ctx, p.name, c.GetContainerID())
}

func (p *place) options(r servers.Recipe) ([]testcontainers.ContainerCustomizer, error) {
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithName(unique(p.name)),
		testcontainers.WithLabels(p.labels()),
		testcontainers.WithEnv(p.image.Env),
		testcontainers.WithEnv(r.Env),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.NetworkMode, h.Mounts = "host", p.mounts()
		}),
	}
	if p.image.Command != "" {
		options = append(options, testcontainers.WithCmd(append([]string{p.image.Command}, r.Args...)...))
	}
	for path, text := range r.Files {
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644,
		}))
	}
	if !r.Faketime {
		return options, nil
	}
	library, libc, err := servers.Faketime(false)
	if err != nil {
		return nil, err
	}
	// An image has its own C library, in the search path.
	name, value, _ := strings.Cut(servers.Preload(preloaded, filepath.Base(libc)), "=")
	return append(options, testcontainers.WithEnv(map[string]string{name: value}),
		testcontainers.WithFiles(testcontainers.ContainerFile{HostFilePath: library, ContainerFilePath: preloaded, FileMode: 0o644})), nil
}

func (p *place) labels() map[string]string { return map[string]string{HarnessLabel: p.engine.label} }

// mounts are the volume and the shared directory.
func (p *place) mounts() []mount.Mount {
	all := []mount.Mount{{
		Type: mount.TypeVolume, Source: p.volume, Target: p.image.Data,
		VolumeOptions: &mount.VolumeOptions{Labels: p.labels()},
	}}
	if p.shared != "" {
		all = append(all, mount.Mount{Type: mount.TypeBind, Source: p.shared, Target: sharedDir, ReadOnly: true})
	}
	return all
}

func (p *place) Log() []byte {
	if p.made == nil {
		return []byte("no log")
	}
	ctx, cancel := context.WithTimeout(p.engine.ctx, answerTime)
	defer cancel()
	said, err := p.made.Logs(ctx)
	if err != nil {
		return []byte("no log: " + err.Error())
	}
	defer said.Close()
	log := servers.NewClip()
	if _, err := io.Copy(log, said); err != nil {
		return []byte("no log: " + err.Error())
	}
	return log.Bytes()
}

func (p *place) Remove() error {
	if err := p.removeContainer(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.engine.ctx, answerTime)
	defer cancel()
	if p.shared != "" {
		if err := os.RemoveAll(p.shared); err != nil {
			return err
		}
	}
	return p.engine.removeVolume(ctx, p.volume)
}

func (p *place) removeContainer() error {
	if p.made == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.engine.ctx, answerTime)
	defer cancel()
	err := p.engine.removeContainer(ctx, p.made.GetContainerID())
	if err == nil {
		p.made = nil
	}
	return err
}

// watch makes the process of a started container.
func (e *Engine) watch(ctx context.Context, name, id string) (*process, error) {
	found, err := e.client.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("the engine does not tell how %s is: %w", name, err)
	}
	p := &process{engine: e, name: name, id: id, done: make(chan struct{})}
	go p.wait()
	state := found.Container.State
	if state == nil || !state.Running {
		return p, nil // it has ended already; Done says so
	}
	p.pid = state.Pid
	seen, err := sees("/proc", id, p.pid)
	if err != nil {
		select {
		case <-p.done: // a process that has just ended is not seen either, and the engine learns of its end later
			return p, nil
		case <-time.After(endTime):
			return nil, err
		}
	}
	if seen {
		p.started = osproc.StartTime(p.pid)
	}
	return p, nil
}

// endTime is how long the engine may take to learn that a container has ended.
const endTime = 2 * time.Second
