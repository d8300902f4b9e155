package redis

// Evict drops a key as the server itself or its operator does, and reports
// whether it was there: an eviction under memory pressure, a DEL typed by hand.
// The entry counts as removed by the server (By is 0). A key whose time is up has
// expired instead, and a replica drops nothing by itself.
func (s *Store) Evict(nowMS int64, key string) bool {
	s.begin(nowMS, 0)
	if s.replica {
		return false
	}
	e := s.lookup(key)
	if e == nil {
		return false
	}
	s.delete(e)
	return true
}
