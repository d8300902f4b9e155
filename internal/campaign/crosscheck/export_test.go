package crosscheck

// SetVersion pretends that the code of a lock is another one.
func (k *Kept) SetVersion(lock, version string) { k.locks[lock] = version }
