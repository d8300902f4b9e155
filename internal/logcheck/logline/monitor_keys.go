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

var readers = strings.Fields("get mget getrange exists ttl pttl expiretime pexpiretime type hget hmget hgetall hexists hkeys hlen hvals strlen object dump watch touch memory publish")

// play replays a command, of a connection or of a script.
func (d *monitorDecoder) play(args []string) (err error) {
	switch args[0] {
	case "flushall", "flushdb", "swapdb":
		return d.forget()
	case "del", "unlink":
		for _, key := range args[1:] {
			err = graver(err, d.remove(d.now.name(key)))
		}
		return err
	case "rename", "renamenx", "copy", "mset", "msetnx", "msetex", "migrate", "bitop", "sort", "lmove", "rpoplpush":
		for i, key := range args[1:] {
			switch e := d.keys[d.now.name(key)]; {
			case e == nil:
			case args[0] == "rename" && i == 0, args[0] == "migrate":
				err = d.loseTrack(e, holder{})
			default:
				err = d.loseTrack(e, stranger)
			}
		}
		return err
	}
	if len(args) < 2 {
		return nil
	}
	name := d.now.name(args[1])
	e := d.keys[name]
	if e != nil && e.until != never && d.now.at >= e.until+tick {
		d.clearOwner(e)
	}
	if slices.Contains(readers, args[0]) {
		return d.reads(name, e, args)
	}
	if e != nil && e.foreign {
		return ErrUnread
	}
	switch {
	case args[0] == "set" && len(args) > 2:
		return d.set(name, e, args)
	case args[0] == "setnx" && len(args) == 3:
		return d.acquire(name, holder{brief(args[2]), d.now.from}, 0)
	case (args[0] == "hincrby" || args[0] == "hset") && len(args) == 4 && d.asked(name):
		return d.reenter(name, e, holder{brief(args[2]), d.now.from}, args[3])
	case e == nil:
		return nil
	case (args[0] == "expire" || args[0] == "pexpire") && len(args) == 3:
		return d.extend(name, e, lease(args[2], units[args[0]]))
	}
	if args[0] == "getdel" {
		return d.loseTrack(e, holder{})
	}
	return d.loseTrack(e, stranger)
}

// reads replays a command that changes nothing. In a script, it determines the meaning of the next
// ones.
func (d *monitorDecoder) reads(name string, e *entry, args []string) error {
	s := d.script
	if s == nil {
		return nil
	}
	switch args[0] {
	case "get", "exists", "hget", "hexists":
		if args[0] == "hget" && len(args) == 3 && args[2] == "mode" { // a readers-writer lock
			e, err := d.lock(name)
			e.foreign = true
			return err
		}
		err := d.ask(name, args)
		if e != nil && s.key == name && s.read && e.misjudged(s) {
			err = graver(err, ErrUnread)
		}
		return err
	case "pttl", "ttl":
		if e == nil || !d.asked(name) || s.acted || !s.read || s.field == e.owner.value {
			return nil
		}
		if s.field == "" { // the script has found its value
			s.acted = true
			if i, sure := e.believerNamedBy(s); sure && e.believers[i] == e.owner {
				e.unprovenSet, e.freeIsCertain = 0, true
			}
			return nil
		}
		err := d.finishScript() // the script has not found its field
		return graver(err, d.queue(name, holder{s.field, s.from}))
	}
	return nil
}

// queue replays the end of a script that has found the key taken.
func (d *monitorDecoder) queue(name string, by holder) error {
	e, err := d.lock(name)
	if e.owner == (holder{}) {
		err = graver(err, d.loseTrack(e, stranger))
	}
	return graver(err, d.tell(name, by, "waiting", 0))
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

func (d *monitorDecoder) set(name string, e *entry, args []string) error {
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
			if e == nil {
				return nil
			}
			return d.loseTrack(e, stranger) // whether it changes the key depends on its value
		}
	}
	switch {
	case past && e != nil && !nx: // it removes the key
		return d.loseTrack(e, holder{})
	case span < 0:
		return nil
	case nx:
		return d.acquire(name, by, span)
	case span > 0 && d.asked(name) && (e == nil || e.owner.client() != by.client()) && slices.Contains(d.script.args, args[2]):
		if len(d.takers) < maxKeys {
			d.takers[d.script.name] = slices.Index(d.script.args, args[2])
		}
		return d.found(name, by, span)
	case e == nil || xx && e.owner == (holder{}) && e.freeIsCertain:
		return nil
	case e.owner.client() == by.client():
		if keeps {
			return nil
		}
		e.expire(d.now.at, span)
		return d.tell(name, e.owner, "extended", span)
	}
	d.clearOwner(e)
	e.owner, e.freeIsCertain = stranger, true
	if !keeps {
		e.expire(d.now.at, span)
	}
	return ErrUnread
}

func (d *monitorDecoder) acquire(name string, by holder, span time.Duration) error {
	e, full := d.lock(name)
	d.act(name)
	again := e.owner.client() == by.client()
	switch {
	case e.owner == (holder{}):
		return graver(full, d.grant(name, e, by, span))
	case d.now.at >= e.until-tick: // it is expiring, or has just expired
		d.clearOwner(e)
		d.unproven.add(d.now.line)
		e.owner, e.freeIsCertain = stranger, false
		e.expire(d.now.at, span)
	case again && e.unprovenSet > 0: // so the earlier SET failed
		if i := e.believer(by); i >= 0 {
			full = graver(full, d.tell(name, d.drop(e, i), "lost", 0))
		}
		d.clearOwner(e)
		e.owner = stranger
		e.expire(d.now.at, span)
	case again: // another client with the same name, or the same client
		full = ErrUnread
	case e.owner.host() == by.host():
		e.crowded = true
	}
	return graver(full, d.tell(name, by, "waiting", 0))
}

func (d *monitorDecoder) grant(name string, e *entry, by holder, span time.Duration) error {
	e.owner = by
	if !e.freeIsCertain {
		e.unprovenSet = d.now.line
	}
	i := e.believer(by)
	if i >= 0 {
		d.drop(e, i)
	} else if len(e.believers) == maxBelievers {
		d.drop(e, 0)
		e.dropped = true
	}
	e.believers = append(e.believers, by)
	d.believed++
	e.expire(d.now.at, span)
	err := d.tell(name, by, "acquired", span)
	if i >= 0 { // the client has not released it, or there are two with that name
		err = graver(err, ErrUnread)
	}
	return err
}

// reenter replays an HINCRBY or HSET in a script that has checked that the key is free, or its
// client's.
func (d *monitorDecoder) reenter(name string, e *entry, by holder, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	if e == nil && n < 0 { // acquired before the log
		return nil
	}
	if e != nil && (n < 0 || e.owner.value == by.value) {
		d.act(name)
		e.freeIsCertain = true
		if e.owner.value == by.value {
			e.unprovenSet = 0
		}
		return nil
	}
	return d.found(name, by, 0)
}

// found replays a script that has found the key free, and takes it.
func (d *monitorDecoder) found(name string, by holder, span time.Duration) error {
	e, full := d.lock(name)
	d.act(name)
	before := e.owner
	e.freeIsCertain = true
	expired := d.now.at >= e.until-tick
	d.clearOwner(e)
	if before != (holder{}) && !expired { // the server has lost the entry
		full = ErrUnread
	}
	return graver(full, d.grant(name, e, by, span))
}

func (d *monitorDecoder) extend(name string, e *entry, span time.Duration) error {
	if span < 0 {
		return d.remove(name)
	}
	checked := d.asked(name) && d.script.read
	d.act(name)
	if !checked {
		if e.owner == (holder{}) {
			return nil
		}
		e.expire(d.now.at, span)
		if e.crowded || e.owner.host() != (holder{from: d.now.from}).host() {
			return ErrUnread
		}
		return d.tell(name, e.owner, "extended", span)
	}
	i, sure := e.believerNamedBy(d.script)
	if i < 0 || !sure && e.believers[i] != e.owner {
		return d.loseTrack(e, stranger)
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
	err := d.tell(name, h, "extended", span)
	if !sure || h != before && before != (holder{}) {
		err = graver(err, ErrUnread)
	}
	return err
}

// remove replays the DEL of one key. A script that has read the value identifies the client. Any
// other DEL is attributed to the only believer of its host.
func (d *monitorDecoder) remove(name string) error {
	e := d.keys[name]
	if e == nil {
		return nil
	}
	if e.until != never && d.now.at >= e.until+tick {
		d.clearOwner(e)
	}
	var i int
	var sure bool
	checked := d.asked(name) && d.script.read
	if checked {
		i, sure = e.believerNamedBy(d.script)
	} else {
		i, sure = e.soleBelieverOn(d.now.from)
	}
	d.act(name)
	owner := e.owner
	if checked && sure && e.believers[i] == owner {
		e.unprovenSet = 0
	}
	d.clearOwner(e)
	e.freeIsCertain = true
	if i < 0 || !sure && e.believers[i] != owner {
		return ErrUnread
	}
	event := "released"
	if owner == (holder{}) && !checked {
		event = "lost"
	}
	h := d.drop(e, i)
	if !checked {
		e.guessed = append(e.guessed[max(0, len(e.guessed)+1-maxGuessed):], h.value)
	}
	err := d.tell(name, h, event, 0)
	if !sure {
		err = graver(err, ErrUnread)
	}
	return err
}
