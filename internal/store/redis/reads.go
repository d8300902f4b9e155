package redis

// Read is one key that a command has read, in the sense of CLIENT TRACKING (trackingRememberKeys in
// tracking.c): every key of a read-only command, existing or not; in a script, every key in KEYS,
// whichever it reads, each time that it reads.
type Read struct {
	Key   string
	After int // how many of the call's Effects came before
}

// Reads returns the keys that the last call of Exec has read, if KeepReads is set. The buffer is
// reused by the next call.
func (s *Store) Reads() []Read { return s.reads }

// reading notes the keys that a command has read.
func (s *Store) reading(c *command, args []Arg) {
	if !s.KeepReads || c.write {
		return
	}
	switch c.name {
	case "ping", "time", "publish": // without keys
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
