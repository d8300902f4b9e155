package containers

import (
	"context"
	"errors"
	"fmt"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"lockstep/internal/real/images"
	"lockstep/internal/real/servers"
)

// Labels of the services in docker-compose.yml.
const (
	serviceLabel = "lockstep.service" // what the service is called in this package
	addrLabel    = "lockstep.addr"    // host:port that its server listens on
)

// Compose is a launcher that starts nothing: it attaches to the services of
// docker-compose.yml, which somebody has brought up to look at them. Faults act on
// their containers. When a run is over, they are as they were.
//
// The sentinels of the topology would take part in the failovers of a run, which are
// made by an operator; they are paused meanwhile.
type Compose struct {
	engine  *Engine
	service func(server string) string
	paused  []string // containers
}

var _ servers.Launcher = (*Compose)(nil)

// Attach finds the services. The function says which of them is a server of a run.
// Close has to be called.
func Attach(ctx context.Context, service func(server string) string) (*Compose, error) {
	e, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &Compose{engine: e, service: service}
	for _, name := range []string{"sentinel-1", "sentinel-2", "sentinel-3"} {
		found, err := c.find(ctx, name)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		switch found.State {
		case container.StateRunning:
			if _, err := e.client.ContainerPause(ctx, found.ID, client.ContainerPauseOptions{}); err != nil {
				return nil, errors.Join(fmt.Errorf("%s cannot be paused for the run: %w", name, err), c.Close())
			}
		case container.StatePaused: // by a run that was killed; it goes on when this one is over
		default:
			continue
		}
		c.paused = append(c.paused, found.ID)
	}
	return c, nil
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
		return nil, fmt.Errorf("there is no container of the service %s: bring the servers up with docker compose up -d", service)
	case len(found.Items) > 1:
		return nil, fmt.Errorf("there are %d containers of the service %s: take one of the projects down with docker compose down", len(found.Items), service)
	}
	return &found.Items[0], nil
}

// Place implements servers.Launcher: the place where the server is already. It has
// been started anew, which undoes whatever a run that was killed has done to it. What
// is in it is for the server to look at first: admit is called before.
func (c *Compose) Place(ctx context.Context, _ images.Product, name string) (servers.Place, error) {
	found, err := c.find(ctx, c.service(name))
	if err != nil {
		return nil, err
	}
	return &attached{
		compose: c, name: name, id: found.ID, addr: found.Labels[addrLabel],
		running: found.State == container.StateRunning,
	}, nil
}

// Close lets the sentinels go on.
func (c *Compose) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	var errs []error
	for _, id := range c.paused {
		_, err := c.engine.client.ContainerUnpause(ctx, id, client.ContainerUnpauseOptions{})
		errs = append(errs, err)
	}
	c.engine.cancel()
	return errors.Join(append(errs, c.engine.client.Close())...)
}

// attached is the container of a service.
type attached struct {
	compose  *Compose
	name, id string
	addr     string
	running  bool // when it was found
}

var _ servers.Resident = (*attached)(nil)

// Addr implements servers.Resident.
func (a *attached) Addr() string { return a.addr }

// Runs implements servers.Resident.
func (a *attached) Runs() bool { return a.running }

// Dir implements servers.Place.
func (a *attached) Dir() string { return "" }

// ConfigDir implements servers.Place.
func (a *attached) ConfigDir() string { return "" }

// Start implements servers.Place: as the service was started, whatever the recipe
// says. A server that runs is ended first, so that it begins anew.
func (a *attached) Start(ctx context.Context, _ servers.Recipe) (servers.Process, error) {
	if err := a.startAnew(ctx); err != nil {
		return nil, fmt.Errorf("%s cannot be started anew: %w", a.name, err)
	}
	return a.compose.engine.watch(ctx, a.name, a.id)
}

func (a *attached) startAnew(ctx context.Context) error {
	c, noPatience := a.compose.engine.client, 0
	// A container that is paused has to go on in order to end.
	_, _ = c.ContainerUnpause(ctx, a.id, client.ContainerUnpauseOptions{}) // it may not be
	_, err := c.ContainerRestart(ctx, a.id, client.ContainerRestartOptions{Timeout: &noPatience})
	return err
}

// Log implements servers.Place.
func (a *attached) Log() []byte { return []byte("see docker logs " + a.id[:12]) }

// Remove implements servers.Place: it leaves the server as the service was started.
func (a *attached) Remove() error {
	ctx, cancel := context.WithTimeout(a.compose.engine.ctx, answerTime)
	defer cancel()
	return a.startAnew(ctx)
}
