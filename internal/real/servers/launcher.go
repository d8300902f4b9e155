package servers

import (
	"context"
	"crypto/rand"
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

// Launcher gives servers places to run in: directories with a child process each, or
// containers. What follows (whether the server is ready, what a fault does to it) is the same
// for both.
//
// In every place, the server listens on the loopback interface of this machine, and can
// connect to it.
type Launcher interface {
	// Place makes an empty place for a server. The name is for people.
	Place(ctx context.Context, product images.Product, name string) (Place, error)
}

// Place is where one server runs, one process at a time. Its files outlive the process.
type Place interface {
	// Dir is the directory of the server's files, and ConfigDir where it looks for
	// its configuration, both as the server sees them.
	Dir() string
	ConfigDir() string
	// Shared is a directory that both this process and the server can read: its path as each
	// of them sees it.
	Shared() (here, there string, err error)
	// Start starts the process. The one before has to be dead.
	Start(ctx context.Context, r Recipe) (Process, error)
	// Log returns the output of the last process; of a long one its beginning and end.
	Log() []byte
	// Remove removes the place. The process has to be dead.
	Remove() error
}

// Resident is the place of a server that this harness has not started, with an address and
// settings of its own. It is restarted as it was started before, whatever the recipe says.
// Removing the place leaves it running.
type Resident interface {
	Place
	Addr() string
	Runs() bool // when the place was made
}

// Recipe says how to start the process of a server.
type Recipe struct {
	Args  []string          // arguments of the server in every place
	Files map[string]string // texts by path, in Dir or ConfigDir
	Env   map[string]string // in addition to the environment of this process
	// Faketime preloads libfaketime, which Env configures. It is the library of this machine in
	// every place. Threads: many threads of the server read the clock.
	Faketime, Threads bool
	// Family: a child has children of its own, which faults have to hit, too. A fault of a
	// container hits all its processes anyway.
	Family bool
	// Child makes the command of a child process, to which Args are added. It looks for
	// programs, and creates files that the image of a container would have.
	Child func(ctx context.Context) (*exec.Cmd, error)
}

// Process is a server process.
type Process interface {
	Pid() int              // on this machine
	Done() <-chan struct{} // closed when it has ended
	Ended() string         // how it ended: "exit status 1", "signal: killed"
	Freeze() error         // returns when it has stopped; its connections stay open
	Thaw() error
	Signal(syscall.Signal) error
	Kill() error // ends it with SIGKILL, frozen or not; returns when it is gone
}

// WatchedChildren is a launcher of child processes with files in a scratch directory. watch is
// called with the PID of each process that it has started.
func WatchedChildren(scratch *osproc.Scratch, watch func(pid int)) Launcher {
	return children{scratch: scratch, watch: watch}
}

// children is a launcher of child processes.
type children struct {
	scratch  *osproc.Scratch // nil: each place has its own
	inMemory bool            // an own scratch directory is not on a disk
	watch    func(pid int)   // may be nil
}

func (c children) Place(_ context.Context, _ images.Product, name string) (Place, error) {
	d := &directory{name: name, watch: c.watch}
	var err error
	scratch := c.scratch
	if scratch == nil {
		fresh := osproc.NewScratch
		if c.inMemory {
			fresh = osproc.NewScratchInMemory
		}
		if d.own, err = fresh(); err != nil {
			return nil, err
		}
		scratch = d.own
	}
	if d.dir, err = scratch.Fresh(name); err == nil {
		return d, nil
	}
	if d.own != nil {
		err = errors.Join(err, d.own.Remove())
	}
	return nil, err
}

// directory is the place of a child process.
type directory struct {
	name, dir string
	own       *osproc.Scratch // non-nil when it was made for this place alone
	watch     func(pid int)   // may be nil
}

func (d *directory) Dir() string                             { return d.dir }
func (d *directory) ConfigDir() string                       { return d.dir }
func (d *directory) Shared() (here, there string, err error) { return d.dir, d.dir, nil }

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
	defer log.Close() // the child has its own descriptor
	cmd.Args = append(cmd.Args, r.Args...)
	if err := giveEnv(cmd, &r); err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.dir, log, log
	process, err := osproc.Start(cmd)
	if err != nil {
		return nil, err // not a nil *osproc.Process in the interface
	}
	if d.watch != nil {
		d.watch(process.Pid())
	}
	if r.Family {
		return osproc.Family{Process: process}, nil
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
	library, libc, err := Faketime(r.Threads)
	cmd.Env = append(cmd.Env, Preload(library, libc))
	return err
}

func (d *directory) log() string { return filepath.Join(d.dir, "log") }

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

func (d *directory) Remove() error {
	err := osproc.Discard(d.dir)
	if d.own != nil {
		err = errors.Join(err, d.own.Remove())
		d.own = nil
	}
	return err
}

// newMark returns a unique name by which to recognise a server: another one may have got its
// port, and would answer, too.
func newMark(name string) string { return strings.ToLower(name + "-" + rand.Text()) }
