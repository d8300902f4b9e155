package containers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"lockstep/internal/real/osproc"
)

// HarnessLabel is on all containers and volumes of a harness. Its value identifies the process of
// the harness, so that others can find out whether it lives.
const HarnessLabel = "lockstep.harness"

// identity identifies a process across reboots of this machine and across PID namespaces.
type identity struct {
	boot, namespace string
	pid             int
	started         string
}

func self() (identity, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return identity{}, err
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	pid := os.Getpid()
	return identity{strings.TrimSpace(string(boot)), namespace, pid, osproc.StartTime(pid)}, err
}

// ownLabel makes the label of one engine of this process.
func ownLabel() (string, error) {
	me, err := self()
	if err != nil {
		return "", fmt.Errorf("this process cannot be told from others: %w", err)
	}
	return strings.Join([]string{me.boot, me.namespace, strconv.Itoa(me.pid), me.started, random()}, " "), nil
}

// labelForm matches labels of ownLabel: boot ID, namespace, PID, start time and a random part.
var labelForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} pid:\[[0-9]+\] [1-9][0-9]* [0-9]+ [0-9a-z]+$`)

// abandoned reports whether the harness of a label is provably dead. A process of another
// namespace, which is not visible, may be alive, and a label of another form is another program's.
func abandoned(label string) bool {
	if !labelForm.MatchString(label) {
		return false
	}
	part := strings.Split(label, " ")
	me, err := self()
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(part[2])
	switch {
	case err != nil: // too large for a PID
		return false
	case part[0] != me.boot:
		return true
	case part[1] != me.namespace:
		return false
	}
	return osproc.StartTime(pid) != part[3]
}

// unique makes a name for a container or a volume of a server.
func unique(server string) string { return "lockstep-" + server + "-" + random() }

func random() string { return strings.ToLower(rand.Text()) }

// errBusy means that a reaper or another harness is still removing the container of a volume.
var errBusy = errors.New("volumes of a harness are in use by containers that are being removed: play it again")

// remove removes all containers and volumes with a chosen label, and returns their number. The
// error is errBusy if the only ones left are being removed.
func (e *Engine) remove(ctx context.Context, chosen func(label string) bool) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	filters := client.Filters{}.Add("label", HarnessLabel)
	containers, err := e.client.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return 0, fmt.Errorf("the engine does not tell which containers there are: %w", err)
	}
	var errs []error
	removed := 0
	for _, c := range containers.Items {
		if chosen(c.Labels[HarnessLabel]) {
			errs = append(errs, e.removeContainer(ctx, c.ID))
			removed++
		}
	}
	volumes, err := e.client.VolumeList(ctx, client.VolumeListOptions{Filters: filters})
	if err != nil {
		return removed, errors.Join(append(errs, fmt.Errorf("the engine does not tell which volumes there are: %w", err))...)
	}
	busy := false
	for _, v := range volumes.Items {
		if chosen(v.Labels[HarnessLabel]) {
			err := e.removeVolume(ctx, v.Name)
			if busy = busy || errdefs.IsConflict(err); !errdefs.IsConflict(err) {
				errs = append(errs, err)
			}
			removed++
		}
	}
	if err := errors.Join(errs...); err != nil || !busy {
		return removed, err
	}
	return removed, errBusy
}

// removeContainer removes a container, running or not, with its anonymous volumes, if it exists.
func (e *Engine) removeContainer(ctx context.Context, id string) error {
	_, err := e.client.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	// Conflict: a reaper or the next harness is removing it.
	if err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("a container cannot be removed: %w", err)
}

func (e *Engine) removeVolume(ctx context.Context, name string) error {
	_, err := e.client.VolumeRemove(ctx, name, client.VolumeRemoveOptions{Force: true})
	if err == nil || errdefs.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("the volume %s cannot be removed: %w", name, err)
}
