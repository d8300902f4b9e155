package redis

import (
	"strconv"

	"lockstep/internal/history"
)

// This file holds the commands that work on keys of every type, and those that
// work on none.

// del is DEL.
func (s *Store) del(_ *command, args []Arg) Reply {
	var n int64
	for i := range args {
		if e := s.lookup(args[i].String()); e != nil {
			s.delete(e)
			n++
		}
	}
	return Int(n)
}

// exists is EXISTS; a key that is named twice counts twice.
func (s *Store) exists(_ *command, args []Arg) Reply {
	var n int64
	for i := range args {
		if s.lookup(args[i].String()) != nil {
			n++
		}
	}
	return Int(n)
}

// typeCommand is TYPE.
func (s *Store) typeCommand(_ *command, args []Arg) Reply {
	name := "none"
	if e := s.lookup(args[0].String()); e != nil {
		name = e.typeName()
	}
	return Reply{Kind: ReplyStatus, Str: name}
}

// ping is PING [text].
func (s *Store) ping(c *command, args []Arg) Reply {
	switch len(args) {
	case 0:
		return Reply{Kind: ReplyStatus, Str: "PONG"}
	case 1:
		return Bulk(args[0].String())
	}
	return wrongNumber(c)
}

// publish is PUBLISH: it goes to the world, which knows the subscribers.
func (s *Store) publish(_ *command, args []Arg) Reply {
	if s.OnPublish == nil {
		return Int(0)
	}
	return Int(s.OnPublish(args[0].String(), args[1].String()))
}

// time is TIME: seconds and microseconds of the server's wall clock, of which
// the model knows the milliseconds.
func (s *Store) time(*command, []Arg) Reply {
	seconds, ms := s.nowMS/1000, s.nowMS%1000
	return List([]Reply{
		Bulk(strconv.FormatInt(seconds, 10)),
		Bulk(strconv.FormatInt(ms*1000, 10)),
	})
}

// flushAll is FLUSHALL [ASYNC|SYNC].
func (s *Store) flushAll(_ *command, args []Arg) Reply {
	if len(args) > 1 || (len(args) == 1 && !isOption(args[0], "ASYNC") && !isOption(args[0], "SYNC")) {
		return Failed(errSyntax)
	}
	s.forgetAll(history.Removed)
	s.effects = append(s.effects, Effect{Kind: EffectFlush, AtMS: noExpiry, By: s.by})
	return OK()
}
