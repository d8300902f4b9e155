package logline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The effects of commands on the keys that are locks. A key is a lock from its first SET with NX
// on, or from the script of a re-entrant lock. MONITOR shows commands and no replies, so whether a
// SET with NX succeeded is inferred: its earlier value is unknown until a script has read the value
// of a holder, or the key was deleted. A key has an owner, whose value it has, and believers, which
// have acquired it and not released it. ErrUnread says that the effect of a line is uncertain.

// tick is the largest difference between a time of the log and the clock by which keys expire.
const tick = 2 * time.Millisecond

// atOnce is sooner than a client tries again on another connection.
const atOnce = 10 * time.Millisecond

var readers = strings.Fields("get mget getrange exists ttl pttl expiretime pexpiretime type hget hmget hgetall hexists hkeys hlen hvals strlen object dump watch touch memory publish")

// play replays a command, of a connection or of a script.
func (d *monitorDecoder) play(args []string) {
	switch args[0] {
	case "flushall", "flushdb", "swapdb":
		d.forget()
		return
	case "del", "unlink":
		for _, key := range args[1:] {
			d.remove(d.now.name(key))
		}
		return
	case "rename", "renamenx", "copy", "mset", "msetnx", "msetex", "migrate", "bitop", "sort", "lmove", "rpoplpush":
		for i, key := range args[1:] {
			switch e := d.keys[d.now.name(key)]; {
			case e == nil:
			case args[0] == "rename" && i == 0, args[0] == "migrate":
				d.loseTrack(e, holder{})
			default:
				d.loseTrack(e, stranger)
			}
		}
		return
	}
	if len(args) < 2 {
		return
	}
	name := d.now.name(args[1])
	e := d.keys[name]
	if e != nil && e.until != never && d.now.at >= e.until+tick {
		d.clearOwner(e)
	}
	switch {
	case slices.Contains(readers, args[0]):
		d.reads(name, e, args)
	case e != nil && e.foreign:
		d.doubt()
	case args[0] == "set" && len(args) > 2:
		d.set(name, e, args)
	case args[0] == "setnx" && len(args) == 3:
		d.acquire(name, holder{brief(args[2]), d.now.from}, 0)
	case (args[0] == "hincrby" || args[0] == "hset") && len(args) == 4 && d.asked(name):
		d.reenter(name, e, holder{brief(args[2]), d.now.from}, args[3])
	case e == nil && args[0] == "hsetnx" && len(args) == 4:
		d.suspect(field(name, args[2]))
	case e == nil && args[0] == "hdel":
		for _, f := range args[2:] {
			if d.suspects[field(name, f)] {
				d.doubt()
			}
		}
	case e == nil:
	case (args[0] == "expire" || args[0] == "pexpire") && len(args) == 3:
		d.extend(name, e, lease(args[2], units[args[0]]))
	case args[0] == "getdel":
		d.loseTrack(e, holder{})
	default:
		d.loseTrack(e, stranger)
	}
}

func field(name, f string) string { return name + " " + brief(f) }

func (d *monitorDecoder) suspect(name string) {
	if len(d.suspects) < maxKeys {
		d.suspects[name] = true
	}
}

// reads replays a command that changes nothing. In a script, it determines the meaning of the next
// ones.
func (d *monitorDecoder) reads(name string, e *entry, args []string) {
	s := d.script
	if s == nil {
		return
	}
	switch args[0] {
	case "get", "exists", "hget", "hexists":
		if args[0] == "hget" && len(args) == 3 && args[2] == "mode" { // a readers-writer lock
			d.lock(name).foreign = true
			return
		}
		d.ask(name, args)
		if e != nil && s.key == name && s.read && e.misjudged(s) {
			d.doubt()
		}
	case "pttl", "ttl":
		switch {
		case e == nil || !d.asked(name) || s.acted || !s.read || s.field == e.owner.value:
		case s.field == "": // the script has found its value
			s.acted = true
			if i, sure := e.believerNamedBy(s); sure && e.believers[i] == e.owner {
				e.unprovenSet, e.freeIsCertain = 0, true
			}
		default: // the script has not found its field
			d.finishScript()
			d.queue(name, holder{s.field, s.from})
		}
	}
}

// queue replays the end of a script that has found the key taken.
func (d *monitorDecoder) queue(name string, by holder) {
	if e := d.lock(name); e.owner == (holder{}) {
		d.loseTrack(e, stranger)
	}
	d.report(name, by, "waiting", 0)
}

// units are the units of a time to live, by option or command.
var units = map[string]time.Duration{"ex": time.Second, "px": time.Millisecond, "expire": time.Second, "pexpire": time.Millisecond}

// lease parses a time to live; 0 for one that is as good as none, -1 for one that the server
// refuses.
func lease(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n <= 0:
		return -1
	case n > int64(never/unit):
		return 0
	}
	return time.Duration(n) * unit
}

func (d *monitorDecoder) set(name string, e *entry, args []string) {
	by, span := holder{brief(args[2]), d.now.from}, time.Duration(0)
	var nx, xx, keeps, past bool
	for i := 3; i < len(args); i++ {
		option, next := strings.ToLower(args[i]), args[min(i+1, len(args)-1)]
		switch option {
		case "nx":
			nx = true
		case "xx":
			xx = true
		case "ex", "px":
			span = lease(next, units[option])
		case "exat", "pxat":
			if span = lease(next, units[option[:2]]); span > 0 {
				span = cmp.Or(max(span-d.now.at, -1), -1)
				past = span < 0
			}
		case "keepttl":
			keeps = true
		case "ifeq", "ifne", "ifdeq", "ifdne":
			if e != nil {
				d.loseTrack(e, stranger) // whether it changes the key depends on its value
			}
			return
		}
	}
	switch own := e != nil && e.owner.client() == by.client(); {
	case past && e != nil && !nx: // it removes the key
		d.loseTrack(e, holder{})
	case span < 0:
	case nx:
		d.acquire(name, by, span)
	case span > 0 && !own && d.takes(name, args[1], args[2]):
		if e == nil {
			d.lock(name).scripted = true
		}
		d.found(name, by, span)
	case e == nil && span == 0 && d.setsArgument(name, args[2]):
		d.suspect(name)
	case e == nil || own && keeps || xx && e.owner == (holder{}) && e.freeIsCertain:
	case own:
		e.expire(d.now.at, span)
		d.report(name, e.owner, "extended", span)
	default:
		d.clearOwner(e)
		e.owner, e.freeIsCertain = stranger, true
		if !keeps {
			e.expire(d.now.at, span)
		}
		d.doubt()
	}
}

// takes reports whether a SET is that of a script that takes a lock: of a key that it has read, the
// first of its keys or, if it has set that, a further one, to one of its arguments.
func (d *monitorDecoder) takes(name, key, value string) bool {
	if !d.setsArgument(name, value) {
		return false
	}
	s := d.script
	_, known := d.takers[s.name]
	if !known && s.args[0] == key && len(d.takers) < maxKeys {
		d.takers[s.name] = len(s.args) - slices.Index(s.args, value)
	}
	return known || s.args[0] == key
}

// setsArgument reports whether a value is an argument of a script that has read the key.
func (d *monitorDecoder) setsArgument(name, value string) bool {
	s := d.script
	return s != nil && slices.Contains(s.saw, name) && slices.Contains(s.args, value)
}

func (d *monitorDecoder) acquire(name string, by holder, span time.Duration) {
	e := d.lock(name)
	e.scripted = false
	d.act(name)
	again := e.owner.client() == by.client()
	e.merged = e.merged || again && e.owner.from != by.from && d.now.at < e.granted+atOnce
	switch {
	case e.owner == (holder{}):
		d.grant(name, e, by, span)
		return
	case d.now.at >= e.until-tick: // it is expiring, or has just expired
		d.clearOwner(e)
		d.unproven.add(d.now.line)
		e.owner, e.freeIsCertain = stranger, false
		e.expire(d.now.at, span)
	case again && e.unprovenSet > 0: // so the earlier SET failed
		if i := e.believer(by); i >= 0 {
			d.report(name, d.drop(e, i), "lost", 0)
		}
		d.clearOwner(e)
		e.owner = stranger
		e.expire(d.now.at, span)
	case again: // another client with the same name, or the same client
		d.doubt()
	case e.owner.host() == by.host():
		e.crowded = true
	}
	d.report(name, by, "waiting", 0)
}

func (d *monitorDecoder) grant(name string, e *entry, by holder, span time.Duration) {
	e.owner, e.granted = by, d.now.at
	if !e.freeIsCertain {
		e.unprovenSet = d.now.line
	}
	if i := e.believer(by); i >= 0 { // the client has not released it, or there are two with that name
		d.drop(e, i)
		d.doubt()
	} else if len(e.believers) == maxBelievers {
		d.drop(e, 0)
		e.dropped = true
	}
	e.believers = append(e.believers, by)
	d.believed++
	e.expire(d.now.at, span)
	d.report(name, by, "acquired", span)
}

// reenter replays an HINCRBY or HSET in a script that has checked that the key is free, or its
// client's.
func (d *monitorDecoder) reenter(name string, e *entry, by holder, number string) {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || e == nil && n < 0: // the latter was acquired before the log
	case e != nil && (n < 0 || e.owner.value == by.value):
		d.act(name)
		e.freeIsCertain = true
		if e.owner.value == by.value {
			e.unprovenSet = 0
		}
	default:
		d.found(name, by, 0)
	}
}

// found replays a script that has found the key free, and takes it.
func (d *monitorDecoder) found(name string, by holder, span time.Duration) {
	e := d.lock(name)
	d.act(name)
	if e.owner != (holder{}) && d.now.at < e.until-tick { // the server has lost the entry
		d.doubt()
	}
	d.clearOwner(e)
	e.freeIsCertain = true
	d.grant(name, e, by, span)
}

func (d *monitorDecoder) extend(name string, e *entry, span time.Duration) {
	if span < 0 {
		d.remove(name)
		return
	}
	checked := d.asked(name) && d.script.read
	d.act(name)
	if !checked {
		if e.owner == (holder{}) {
			return
		}
		e.expire(d.now.at, span)
		if e.crowded || e.owner.host() != (holder{from: d.now.from}).host() {
			d.doubt()
			return
		}
		d.report(name, e.owner, "extended", span)
		return
	}
	i, sure := e.believerNamedBy(d.script)
	if i < 0 || !sure && e.believers[i] != e.owner {
		d.loseTrack(e, stranger)
		return
	}
	h, before := e.believers[i], e.owner
	switch {
	case h != before:
		d.clearOwner(e)
	case sure:
		e.unprovenSet = 0
	}
	e.owner, e.freeIsCertain = h, e.freeIsCertain || sure
	e.expire(d.now.at, span)
	d.report(name, h, "extended", span)
	if !sure || h != before && before != (holder{}) {
		d.doubt()
	}
}

// remove replays the DEL of one key. A script that has read the value identifies the client. Any
// other DEL is attributed to the only believer of its host.
func (d *monitorDecoder) remove(name string) {
	e := d.keys[name]
	if e == nil {
		if d.suspects[name] && d.asked(name) && d.script.read {
			d.doubt()
		}
		return
	}
	if e.until != never && d.now.at >= e.until+tick {
		d.clearOwner(e)
	}
	checked := d.asked(name) && d.script.read
	i, sure := e.soleBelieverOn(d.now.from)
	if checked {
		i, sure = e.believerNamedBy(d.script)
	}
	d.act(name)
	owner := e.owner
	if checked && sure && e.believers[i] == owner {
		e.unprovenSet = 0
	}
	d.clearOwner(e)
	e.freeIsCertain = true
	if i < 0 || !sure {
		d.doubt()
	}
	if i < 0 || !sure && e.believers[i] != owner {
		return
	}
	event := "released"
	if owner == (holder{}) && !checked {
		event = "lost"
	}
	h := d.drop(e, i)
	if !checked {
		e.guessed = append(e.guessed[max(0, len(e.guessed)+1-maxGuessed):], h.value)
	}
	d.report(name, h, event, 0)
}
