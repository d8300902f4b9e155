package redis

// Read is one key that a command has read, in the sense of CLIENT TRACKING (trackingRememberKeys in tracking.c):
// all keys of a command that only reads, whether or not they are there; of a script, all that it was given,
// whatever it reads, each time that it reads.
type Read struct {
	Key   string
	After int // how many of the call's Effects were there before
}

// Reads returns what the last call of Exec has read, if the store keeps that (KeepReads). The buffer is
// reused by the next call.
func (s *Store) Reads() []Read { return s.reads }

// reading notes that a command has run.
func (s *Store) reading(c *command, args []Arg) {
	if !s.KeepReads || c.write {
		return
	}
	switch c.name {
	case "ping", "time", "publish": // they read no key
		return
	case "exists", "mget":
	default:
		args = args[:1]
	}
	if s.inScript {
		args = s.declared
	}
	for i := range args {
		s.reads = append(s.reads, Read{args[i].String(), len(s.effects)})
	}
}
