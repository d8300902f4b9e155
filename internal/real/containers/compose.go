package containers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
)

// Labels of the services in docker-compose.yml.
const (
	serviceLabel = "lockstep.service" // name of the service in this package
	addrLabel    = "lockstep.addr"    // host:port that its server listens on
)

// Compose is a launcher that attaches to the services of docker-compose.yml, which the user has
// started. Faults act on their containers. A run restores them at its end, and a reaper does so
// when the harness is killed.
//
// The sentinels of the topology are paused during a run, in whose failovers they would interfere:
// those are made by an operator.
type Compose struct {
	engine  *Engine
	service func(server string) string
	paused  []string       // IDs of containers
	reaper  *osproc.Reaper // unpauses them when the harness is killed; nil for none
}

var _ servers.Launcher = (*Compose)(nil)

// Attach connects to the services. service returns the name of a server's service. Close has to
// be called.
func Attach(ctx context.Context, service func(server string) string) (*Compose, error) {
	e, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &Compose{engine: e, service: service}
	if err := c.pauseSentinels(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Compose) pauseSentinels(ctx context.Context) error {
	var running []string
	for _, name := range []string{"sentinel-1", "sentinel-2", "sentinel-3"} {
		found, err := c.find(ctx, name)
		if err != nil {
			return err
		}
		switch found.State {
		case container.StateRunning:
			running = append(running, found.ID)
		case container.StatePaused: // by a run that was killed together with its reaper
		default:
			continue
		}
		c.paused = append(c.paused, found.ID)
	}
	if len(c.paused) == 0 {
		return nil
	}
	var err error
	if c.reaper, err = pausedRemains.Reaper(strings.Join(c.paused, " ")); err != nil {
		return err
	}
	for _, id := range running {
		if _, err := c.engine.client.ContainerPause(ctx, id, client.ContainerPauseOptions{}); err != nil {
			return fmt.Errorf("a sentinel cannot be paused for the run: %w", err)
		}
	}
	return nil
}

// find finds the container of a service.
func (c *Compose) find(ctx context.Context, service string) (*container.Summary, error) {
	found, err := c.engine.client.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: client.Filters{}.Add("label", serviceLabel+"="+service),
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("the engine does not tell which containers there are: %w", err)
	case len(found.Items) == 0:
		return nil, fmt.Errorf("there is no container of the service %s: bring the servers up with docker compose up -d (or docker-compose up -d; without a registry, scripts/local-images --env > .env comes before)", service)
	case len(found.Items) > 1:
		return nil, fmt.Errorf("there are %d containers of the service %s: take one of the projects down with docker compose down", len(found.Items), service)
	}
	return &found.Items[0], nil
}

// Place implements servers.Launcher: the place where the server already runs.
func (c *Compose) Place(ctx context.Context, _ images.Product, name string) (servers.Place, error) {
	found, err := c.find(ctx, c.service(name))
	if err != nil {
		return nil, err
	}
	addr := found.Labels[addrLabel]
	if err := checkAddr(addr); err != nil {
		return nil, fmt.Errorf("the label %s of the service %s: %w", addrLabel, c.service(name), err)
	}
	return &attached{
		engine: c.engine, name: name, id: found.ID, addr: addr,
		running: found.State == container.StateRunning,
	}, nil
}

// checkAddr validates the address of a service: a run stays on this machine.
func checkAddr(addr string) error {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() || at.Port() == 0 {
		return fmt.Errorf("%q is no port of the loopback interface: write one as in 127.0.0.1:6401", addr)
	}
	return nil
}

// Close unpauses the sentinels.
func (c *Compose) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	var errs []error
	for _, id := range c.paused {
		errs = append(errs, c.engine.unpause(ctx, id))
	}
	err := errors.Join(errs...)
	if c.reaper != nil {
		err = errors.Join(err, c.reaper.End(err == nil))
	}
	return errors.Join(err, c.engine.disconnect())
}

// unpause ends the pause of a container, if it is paused.
func (e *Engine) unpause(ctx context.Context, id string) error {
	_, err := e.client.ContainerUnpause(ctx, id, client.ContainerUnpauseOptions{})
	if found, lookErr := e.client.ContainerInspect(ctx, id, client.ContainerInspectOptions{}); lookErr == nil && found.Container.State != nil && !found.Container.State.Paused {
		return nil
	}
	return err
}

// restart restarts a container in any state.
func (e *Engine) restart(ctx context.Context, id string) error {
	atOnce := 0
	_, _ = e.client.ContainerUnpause(ctx, id, client.ContainerUnpauseOptions{}) // a paused one cannot end
	_, err := e.client.ContainerRestart(ctx, id, client.ContainerRestartOptions{Timeout: &atOnce})
	return err
}

// attached is the container of a service.
type attached struct {
	engine   *Engine
	name, id string
	addr     string
	running  bool           // when the place was made
	reaper   *osproc.Reaper // from the first start to the removal
}

var _ servers.Resident = (*attached)(nil)

func (a *attached) Addr() string      { return a.addr }
func (a *attached) Runs() bool        { return a.running }
func (a *attached) Dir() string       { return "" }
func (a *attached) ConfigDir() string { return "" }

func (a *attached) Shared() (here, there string, err error) {
	return "", "", fmt.Errorf("this process and %s, a service of docker-compose.yml, share no directory", a.name)
}

// Start implements servers.Place: it restarts the service, whatever the recipe says.
func (a *attached) Start(ctx context.Context, _ servers.Recipe) (servers.Process, error) {
	if a.reaper == nil {
		var err error
		if a.reaper, err = usedRemains.Reaper(a.id); err != nil {
			return nil, err
		}
	}
	if err := a.engine.restart(ctx, a.id); err != nil {
		return nil, fmt.Errorf("%s cannot be started again: %w", a.name, err)
	}
	return a.engine.watch(ctx, a.name, a.id)
}

func (a *attached) Log() []byte { return []byte("see docker logs " + a.id[:12]) }

// Remove implements servers.Place: it restarts the service, which restores its own settings.
func (a *attached) Remove() error {
	ctx, cancel := context.WithTimeout(a.engine.ctx, answerTime)
	defer cancel()
	err := a.engine.restart(ctx, a.id)
	if a.reaper != nil {
		err = errors.Join(err, a.reaper.End(err == nil))
		a.reaper = nil
	}
	return err
}
