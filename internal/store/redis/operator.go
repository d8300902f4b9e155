package redis

// Evict drops a key without a client, as an eviction under memory pressure or an
// operator's DEL does, and reports whether it was there. The entry counts as removed
// by the server (By is 0). A key past its time expires instead, and a replica drops
// nothing by itself.
func (s *Store) Evict(nowMS int64, key string) bool {
	s.begin(nowMS, 0)
	if s.replica {
		return false
	}
	e := s.lookup(key)
	if e != nil {
		s.delete(e)
	}
	return e != nil
}
