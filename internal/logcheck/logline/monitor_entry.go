package logline

import (
	"maps"
	"slices"
	"strings"
	"time"
)

type entry struct {
	owner         holder        // zero without a value
	until         time.Duration // when it expires
	granted       time.Duration // when its owner acquired it
	merged        bool          // its commands may be those of several servers, such as the masters of a Redlock
	unprovenSet   int64         // the line of the owner's SET, if that may have failed
	freeIsCertain bool          // a key without an owner is free
	crowded       bool          // several clients of the owner's host have tried
	foreign       bool          // it is another kind of lock
	scripted      bool          // only scripts have set it, as they set a cache, too
	dropped       bool          // some believers are forgotten
	believers     []holder      // clients that acquired it and have not released it
	guessed       []string      // values of clients to which a DEL without a value was attributed
}

var stranger = holder{from: "?"}

// Limits of the decoder's memory.
const (
	maxKeys      = 1 << 16
	maxBelieved  = 1 << 17 // believers of all keys
	maxBelievers = 32      // of one key
	maxGuessed   = 4       // of one key
)

// lock returns the entry of a key, which it makes if there is none.
func (d *monitorDecoder) lock(name string) *entry {
	if e := d.keys[name]; e != nil {
		return e
	}
	if len(d.keys) >= maxKeys || d.believed >= maxBelieved {
		maps.DeleteFunc(d.keys, func(_ string, e *entry) bool { return e.owner == (holder{}) && len(e.believers) == 0 && !e.foreign })
		if len(d.keys) > maxKeys/2 || d.believed > maxBelieved/2 {
			d.forget()
		}
	}
	e := &entry{until: never}
	d.keys[name] = e
	return e
}

// forget forgets all keys: after that, every SET may have failed.
func (d *monitorDecoder) forget() {
	if len(d.keys) > 0 {
		d.doubt()
	}
	for _, e := range d.keys { // order: the least is chosen
		d.unproven.add(e.unprovenSet)
	}
	clear(d.keys)
	d.believed = 0
}

func (d *monitorDecoder) clearOwner(e *entry) {
	d.unproven.add(e.unprovenSet)
	e.unprovenSet, e.owner, e.until = 0, holder{}, never
}

// loseTrack notes that a key has changed in a way that is not replayed: its owner is a stranger, or
// it was removed.
func (d *monitorDecoder) loseTrack(e *entry, owner holder) {
	d.clearOwner(e)
	e.owner, e.freeIsCertain = owner, owner == holder{}
	d.doubt()
}

func (e *entry) expire(now, span time.Duration) {
	e.until = never
	if span > 0 && span < never-now {
		e.until = now + span
	}
}

// believerNamedBy finds a believer that a script names; sure if it has the same host.
func (e *entry) believerNamedBy(s *script) (i int, sure bool) {
	named := func(h holder) bool { return s.names(h.value) }
	from := holder{from: s.from}.host()
	if i = slices.IndexFunc(e.believers, func(h holder) bool { return h.host() == from && named(h) }); i >= 0 {
		return i, true
	}
	return slices.IndexFunc(e.believers, named), false
}

// misjudged reports whether a script names a client to which a DEL was wrongly attributed.
func (e *entry) misjudged(s *script) bool {
	if i, _ := e.believerNamedBy(s); i >= 0 {
		return false
	}
	return slices.ContainsFunc(e.guessed, s.names)
}

// soleBelieverOn finds the only believer of a host; sure if it has the same connection.
func (e *entry) soleBelieverOn(from string) (i int, sure bool) {
	host := holder{from: from}.host()
	of := func(h holder) bool { return h.host() == host }
	if i = slices.IndexFunc(e.believers, of); i < 0 || e.crowded || slices.ContainsFunc(e.believers[i+1:], of) {
		return -1, false
	}
	return i, e.believers[i].from == from && !strings.HasPrefix(from, "unix:")
}

func (e *entry) believer(by holder) int {
	return slices.IndexFunc(e.believers, func(h holder) bool { return h.client() == by.client() })
}

func (d *monitorDecoder) drop(e *entry, i int) holder {
	h := e.believers[i]
	e.believers = slices.Delete(e.believers, i, i+1)
	d.believed--
	return h
}
