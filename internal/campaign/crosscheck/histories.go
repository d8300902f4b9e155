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

// Limits on kept histories, beyond what anyone reads.
const (
	maxHistories = 100
	maxHistory   = 16 << 20 // bytes of one
)

// histories is the folder beside a file of kept runs with the histories of those that differed from
// the simulator, as runs of real servers cannot be repeated.
func (k *Kept) histories() string { return k.name + ".histories" }

// keepHistory writes the history of a real run to a new file, for `simulate check`, and returns its
// name; "" when the history is too long, there are too many, or nothing is kept.
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

// writeNew writes a file that must not exist, and leaves none after an error.
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
