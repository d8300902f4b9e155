package redis

import (
	"strconv"

	"lockstep/internal/history"
)

// The commands that work on keys of every type, and those that work on none.

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
func (s *Store) typeCommand(e *entry, _ []Arg) Reply { return Status(typeNames[e.kind]) }

// ping is PING [text].
func (s *Store) ping(c *command, args []Arg) Reply {
	switch len(args) {
	case 0:
		return Status("PONG")
	case 1:
		return Bulk(args[0].String())
	}
	return wrongNumber(c)
}

// publish is PUBLISH: the world knows the subscribers.
func (s *Store) publish(_ *command, args []Arg) Reply {
	if s.OnPublish == nil {
		return Int(0)
	}
	return Int(s.OnPublish(args[0].String(), args[1].String()))
}

// time is TIME: seconds and microseconds of the server's wall clock, to the
// millisecond.
func (s *Store) time(*command, []Arg) Reply {
	seconds, ms := s.nowMS/1000, s.nowMS%1000
	return List([]Reply{
		Bulk(strconv.FormatInt(seconds, 10)),
		Bulk(strconv.FormatInt(ms*1000, 10)),
	})
}

// flushAll is FLUSHALL [ASYNC|SYNC].
func (s *Store) flushAll(_ *command, args []Arg) Reply {
	if len(args) > 0 {
		word := optionWord(&args[0])
		if len(args) > 1 || word != "ASYNC" && word != "SYNC" {
			return Failed(errSyntax)
		}
	}
	s.forgetAll(history.Removed)
	s.effects = append(s.effects, Effect{Kind: EffectFlush, AtMS: noExpiry, By: s.by})
	return OK()
}
