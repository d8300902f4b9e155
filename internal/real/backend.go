package real

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/containers"
	"lockstep/internal/real/images"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/servers"
	stores "lockstep/internal/store"
)

// The backends of this world differ only in where the servers run.
const (
	ProcessBackend = history.Process // child processes
	DockerBackend  = history.Docker  // containers of this machine's engine
	ComposeBackend = history.Compose // containers that the user has brought up with docker-compose.yml
)

// checkBackend returns an error if the backend cannot play the plan.
func checkBackend(o *Options, p *plan.Plan, v *locks.Variant) error {
	switch o.Backend {
	case DockerBackend:
		return checkDocker(p, v)
	case ComposeBackend:
		return checkCompose(p, v)
	}
	return nil
}

// checkDocker returns an error if containers started for a run cannot play the plan.
func checkDocker(p *plan.Plan, v *locks.Variant) error {
	instead := "use --backend " + ProcessBackend
	title := stores.Of(v.Store).Title
	k, _ := kindOf(v.Store)
	switch {
	case builtProgram(v.Store) != "":
		return fmt.Errorf("%s is built for this machine (%s), and there is no image of what was built: %s", title, programs.Lookup(builtProgram(v.Store)).Install, instead)
	case images.For(v.Store) == "":
		return fmt.Errorf("there is no image of %s: %s", title, instead)
	}
	if k.contained != nil {
		if err := k.contained(p, p.Servers(plan.StoreOf(v))); err != nil {
			return fmt.Errorf("%w: %s", err, instead)
		}
	}
	return nil
}

// The Redis servers of docker-compose.yml.
const (
	composeReplicas = 2
	composeNodes    = 5
)

// checkCompose returns an error if the servers of docker-compose.yml cannot play the plan.
func checkCompose(p *plan.Plan, v *locks.Variant) error {
	instead := "use --backend " + DockerBackend
	count := len(p.Servers(plan.StoreOf(v)))
	switch {
	case v.Store != locks.StoreRedis && v.Store != locks.StoreRedisNodes:
		return fmt.Errorf("the compose backend plays on Redis; the other servers of docker-compose.yml are for exploring by hand (%s): %s", v.Store, instead)
	case len(p.SentinelNames(plan.StoreOf(v))) > 0:
		return fmt.Errorf("the sentinels of docker-compose.yml know nothing of the proxies of a run: %s", instead)
	case p.InShards(plan.StoreOf(v)):
		return fmt.Errorf("docker-compose.yml has no Redis Cluster: %s", instead)
	case v.Store == locks.StoreRedis && count > 1+composeReplicas, count > composeNodes:
		return fmt.Errorf("docker-compose.yml has %d replicas and %d nodes, this asks for %d servers: %s", composeReplicas, composeNodes, count, instead)
	case fsync(p, v) != "":
		return fmt.Errorf("the Redis servers of docker-compose.yml keep nothing over a restart, this asks for a file: %s", instead)
	}
	for _, name := range p.Servers(plan.StoreOf(v)) {
		if touchesClock(p, name) {
			return fmt.Errorf("the clock of a server of docker-compose.yml is that of the machine and cannot be set (%s): %s", name, instead)
		}
	}
	return nil
}

// serviceOf is the service of docker-compose.yml that plays a server of a run.
func serviceOf(store locks.Store) func(server string) string {
	return func(server string) string {
		if store == locks.StoreRedisNodes {
			return strings.Replace(server, "redis-", "redlock-", 1)
		}
		return server
	}
}

// openLauncher makes the launcher for the servers of the run.
func (h *harness) openLauncher(ctx context.Context) error {
	switch h.o.Backend {
	case ProcessBackend:
		h.launcher = servers.WatchedChildren(h.scratch, h.setupPriority.enter)
		return nil
	case DockerBackend:
		engine, err := containers.Open(ctx, h.scratch, h.o.Images)
		if err != nil {
			return err
		}
		h.launcher, h.closeLauncher = engine, engine.Close
		return engine.Fetch(ctx, images.For(h.variant.Store))
	case ComposeBackend:
		compose, err := containers.Attach(ctx, serviceOf(h.variant.Store))
		if err != nil {
			return err
		}
		h.launcher, h.closeLauncher = compose, compose.Close
		return nil
	}
	return errors.New("no backend of real servers is called " + h.o.Backend)
}
