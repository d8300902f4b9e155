package crosscheck

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lockstep/internal/history"
)

// How much is kept of real runs that differ. Who has so many looks at the first ones.
const (
	maxHistories = 100
	maxHistory   = 16 << 20 // bytes of one
)

// histories is the folder beside a file of kept runs with the histories of those that
// differed from the simulator: no run of real servers can be repeated to see why.
func (k *Kept) histories() string { return k.name + ".histories" }

// keepHistory writes the history of a real run, for `simulate check`, and returns the
// name of its file, which did not exist before; "" when it is too long or there are enough
// of them, or when nothing is kept.
func (k *Kept) keepHistory(fault string, r *keptRun, h *history.History) (string, error) {
	if k == nil || h == nil {
		return "", nil
	}
	var data bytes.Buffer
	if err := history.WriteJSONL(&data, h); err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := os.MkdirAll(k.histories(), 0o755); err != nil {
		return "", err
	}
	there, err := os.ReadDir(k.histories())
	if err != nil || len(there) >= maxHistories || data.Len() > maxHistory {
		return "", err
	}
	for try := 1; try <= maxHistories; try++ {
		name := filepath.Join(k.histories(), fmt.Sprintf("%s-%s-%s-seed-%d.%d.jsonl", r.Lock, fault, r.Plan, r.Seed, try))
		err := writeNew(name, data.Bytes())
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", nil
}

// writeNew writes a file that must not exist; after an error there is none.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
