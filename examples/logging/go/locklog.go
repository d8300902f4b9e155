// Package locklog writes a log of locks that `simulate check` reads as it is.
//
//	logger := locklog.New(file)         // one for the process
//	client := locklog.Client(logger)    // one for each goroutine that takes locks
//	err := locklog.Do(client, "jobs", acquire, release, func(h *locklog.Hold) error {
//		h.Write() // then write, with the token
//		return work()
//	})
package locklog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// NoToken is what acquire returns of a lock without fencing tokens.
const NoToken = -1

var (
	started = time.Now().UnixMilli()
	clients atomic.Int64
)

// New writes each event on a line of its own, at once, as a JSON object whose time is in UTC.
func New(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey:
			a.Value = slog.TimeValue(a.Value.Time().UTC())
		case slog.MessageKey:
			a.Key = "event"
		}
		return a
	}}))
}

// Client gives a goroutine a name that no other one has, on any host and after any restart.
func Client(l *slog.Logger) *slog.Logger {
	host, _ := os.Hostname()
	return l.With("client", fmt.Sprintf("%s/%d/%d/%d", host, os.Getpid(), started, clients.Add(1)))
}

// Hold is a lock that is held.
type Hold struct {
	log  *slog.Logger
	mu   sync.Mutex
	over bool
}

// Do calls work with the lock. What acquire returns is the fencing token, or NoToken.
func Do(client *slog.Logger, lock string, acquire func() (int64, error), release func() error, work func(*Hold) error) (err error) {
	h := &Hold{log: client.With("lock", lock)}
	h.log.Info("waiting")
	token, err := acquire()
	if err != nil {
		return err
	}
	if token != NoToken {
		h.log = h.log.With("token", token)
	}
	h.say("acquired", false)
	defer func() {
		h.say("released", true)
		err = errors.Join(err, release())
	}()
	return work(h)
}

// Write is called before each write to what the lock guards.
func (h *Hold) Write() { h.log.Info("write") }

// Extended is called after the reply to each renewal, by any goroutine.
func (h *Hold) Extended() { h.say("extended", false) }

// Lost is called when the lock says that it is lost, by any goroutine.
func (h *Hold) Lost() { h.say("lost", true) }

// say writes what happens to a hold, until it is over: a renewal may be late.
func (h *Hold) say(event string, last bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.log.Info(event)
	}
	h.over = h.over || last
}
