package servers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// Launcher gives servers places to run in: directories of this machine, with a
// child process each, or containers. All that comes after (who is asked whether
// the server is ready, what a fault does to it) is the same for both.
//
// Whatever the place, the server listens on the loopback interface of this
// machine, and reaches what listens there.
type Launcher interface {
	// Place makes an empty place for a server. The name is for people.
	Place(ctx context.Context, product images.Product, name string) (Place, error)
}

// Place is where one server runs: one process at a time, whose files outlive it.
type Place interface {
	// Dir is the directory of the server's files, and ConfigDir where it looks for
	// its configuration, both as the server sees them.
	Dir() string
	ConfigDir() string
	// Shared is a directory that this process and the server both look into, at any
	// time: what each of them calls it.
	Shared() (here, there string, err error)
	// Start starts the process. The one before has to be dead.
	Start(ctx context.Context, r Recipe) (Process, error)
	// Log returns what the last process has said; of a long log its beginning and end.
	Log() []byte
	// Remove removes the place. The process has to be dead.
	Remove() error
}

// Resident is the place of a server that runs already and that this harness has not
// started: it has its own address and settings. It is restarted as it was started before,
// whatever the recipe says. Removing the place leaves it as it is.
type Resident interface {
	Place
	Addr() string
	Runs() bool // when the place was made
}

// Recipe says how the process of a server is started.
type Recipe struct {
	Args  []string          // what the server is told wherever it runs
	Files map[string]string // what it finds at its start: texts by path, in Dir or ConfigDir
	Env   map[string]string // what its environment says besides
	// Faketime puts libfaketime between the server and the clock; Env tells it what to
	// make of the time. The library is that of this machine wherever the server runs.
	Faketime bool
	// Family: a child has children of its own, which faults have to hit, too. All that
	// runs in a container is hit anyway.
	Family bool
	// Child makes what is started as a child process, to which Args are added. It is
	// the one to look for programs, and to make what the image of a container holds.
	Child func(ctx context.Context) (*exec.Cmd, error)
}

// Process is a running server process.
type Process interface {
	Pid() int              // as this machine numbers it
	Done() <-chan struct{} // closed when it has ended
	Ended() string         // how it ended: "exit status 1", "signal: killed"
	Freeze() error         // returns when it stands still; its connections stay open
	Thaw() error
	Signal(syscall.Signal) error
	Kill() error // with SIGKILL, frozen or not; returns when it is gone
}

// Children is the launcher of child processes: their files are in a scratch
// directory, one of their own for each server when it is nil.
func Children(scratch *osproc.Scratch) Launcher { return children{scratch: scratch} }

// WatchedChildren is Children; watch gets the number of each process that has been started.
func WatchedChildren(scratch *osproc.Scratch, watch func(pid int)) Launcher {
	return children{scratch: scratch, watch: watch}
}

// launcherOr is what the options of a server say about its launcher.
func launcherOr(l Launcher, scratch *osproc.Scratch) Launcher {
	if l != nil {
		return l
	}
	return Children(scratch)
}

type children struct {
	scratch  *osproc.Scratch
	inMemory bool          // directories of their own are where no disk makes them slow
	watch    func(pid int) // nil: not watched
}

// Place implements Launcher.
func (c children) Place(_ context.Context, _ images.Product, name string) (Place, error) {
	scratch, own := c.scratch, (*osproc.Scratch)(nil)
	if scratch == nil {
		var err error
		fresh := osproc.NewScratch
		if c.inMemory {
			fresh = osproc.NewScratchInMemory
		}
		if own, err = fresh(); err != nil {
			return nil, err
		}
		scratch = own
	}
	dir, err := scratch.Fresh(name)
	if err != nil {
		return nil, err
	}
	return &directory{name: name, dir: dir, own: own, watch: c.watch}, nil
}

// directory is the place of a child process.
type directory struct {
	name, dir string
	own       *osproc.Scratch // non-nil when it was made for this place alone
	watch     func(pid int)   // nil: not watched
}

// Dir implements Place.
func (d *directory) Dir() string { return d.dir }

// ConfigDir implements Place.
func (d *directory) ConfigDir() string { return d.dir }

// Shared implements Place: a child sees what this process sees.
func (d *directory) Shared() (here, there string, err error) { return d.dir, d.dir, nil }

// Start implements Place.
func (d *directory) Start(ctx context.Context, r Recipe) (Process, error) {
	for path, text := range r.Files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("no configuration for %s: %w: free some space, or set TMPDIR to a directory that can be written", d.name, err)
		}
	}
	cmd, err := r.Child(ctx)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(d.log())
	if err != nil {
		return nil, fmt.Errorf("no log for %s: %w: free some space, or set TMPDIR to a directory that can be written", d.name, err)
	}
	defer log.Close() // the child has its own
	cmd.Args = append(cmd.Args, r.Args...)
	if err := giveEnv(cmd, &r); err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.dir, log, log
	process, err := osproc.Start(cmd)
	if err != nil {
		return nil, err // not the nil of another type
	}
	if d.watch != nil {
		d.watch(process.Pid())
	}
	if r.Family {
		return family{process}, nil
	}
	return process, nil
}

// giveEnv gives a child the environment of its recipe.
func giveEnv(cmd *exec.Cmd, r *Recipe) error {
	if cmd.Env == nil && (len(r.Env) > 0 || r.Faketime) {
		cmd.Env = os.Environ()
	}
	for name, value := range r.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if !r.Faketime {
		return nil
	}
	return underFaketime(cmd, false)
}

func (d *directory) log() string { return filepath.Join(d.dir, "log") }

// Log implements Place.
func (d *directory) Log() []byte {
	f, err := os.Open(d.log())
	if err != nil {
		return []byte("no log")
	}
	defer f.Close()
	log := NewClip()
	if _, err = io.Copy(log, f); err != nil {
		return []byte("no log: " + err.Error())
	}
	return log.Bytes()
}

// Remove implements Place.
func (d *directory) Remove() error {
	err := osproc.Discard(d.dir)
	if d.own != nil {
		err = errors.Join(err, d.own.Remove())
		d.own = nil
	}
	return err
}

// family is a child process with children of its own.
type family struct{ *osproc.Process }

// Freeze implements Process.
func (f family) Freeze() error { return osproc.FreezeFamily(f.Pid()) }

// Thaw implements Process.
func (f family) Thaw() error { return osproc.ThawFamily(f.Pid()) }

// Kill implements Process. Those that serve a connection would end by themselves,
// but a moment later, and may do something until then.
func (f family) Kill() error {
	select {
	case <-f.Done():
		return nil
	default:
		return errors.Join(osproc.KillFamily(f.Pid()), f.Process.Kill())
	}
}

// newMark returns a name that no other server has, by which one is recognised: a
// foreign server may have got the port meanwhile, and would answer as well.
func newMark(name string) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	return strings.ToLower(name) + "-" + hex.EncodeToString(random[:])
}
