package redis

import (
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/world"
)

// This file holds the commands that work on keys of every type, and those that
// work on none.

// del is DEL.
func (s *Store) del(_ *command, args []world.Arg) world.Reply {
	var n int64
	for i := range args {
		if e := s.lookup(args[i].String()); e != nil {
			s.delete(e)
			n++
		}
	}
	return world.Int(n)
}

// exists is EXISTS; a key that is named twice counts twice.
func (s *Store) exists(_ *command, args []world.Arg) world.Reply {
	var n int64
	for i := range args {
		if s.lookup(args[i].String()) != nil {
			n++
		}
	}
	return world.Int(n)
}

// typeCommand is TYPE.
func (s *Store) typeCommand(_ *command, args []world.Arg) world.Reply {
	name := "none"
	if e := s.lookup(args[0].String()); e != nil {
		name = e.typeName()
	}
	return world.Reply{Kind: world.ReplyStatus, Str: name}
}

// ping is PING [text].
func (s *Store) ping(c *command, args []world.Arg) world.Reply {
	switch len(args) {
	case 0:
		return world.Reply{Kind: world.ReplyStatus, Str: "PONG"}
	case 1:
		return world.Bulk(args[0].String())
	}
	return wrongNumber(c)
}

// publish is PUBLISH: it goes to the world, which knows the subscribers.
func (s *Store) publish(_ *command, args []world.Arg) world.Reply {
	if s.OnPublish == nil {
		return world.Int(0)
	}
	return world.Int(s.OnPublish(args[0].String(), args[1].String()))
}

// time is TIME: seconds and microseconds of the server's wall clock, of which
// the model knows the milliseconds.
func (s *Store) time(*command, []world.Arg) world.Reply {
	seconds, ms := s.nowMS/1000, s.nowMS%1000
	return world.List([]world.Reply{
		world.Bulk(strconv.FormatInt(seconds, 10)),
		world.Bulk(strconv.FormatInt(ms*1000, 10)),
	})
}

// flushAll is FLUSHALL [ASYNC|SYNC].
func (s *Store) flushAll(_ *command, args []world.Arg) world.Reply {
	if len(args) > 1 || (len(args) == 1 && !isOption(args[0], "ASYNC") && !isOption(args[0], "SYNC")) {
		return world.Failed(errSyntax)
	}
	s.forgetAll(history.Removed)
	s.effects = append(s.effects, Effect{Kind: EffectFlush, AtMS: noExpiry, By: s.by})
	return world.OK()
}
