package crosscheck

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lockstep/internal/campaign"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Kept is a file of real runs, so that a comparison, which takes hours, can be resumed.
type Kept struct {
	*campaign.Results
	name string

	locks map[string]string // the code of each lock, see locks.Versions

	runs []keptRun  // those that were there
	mu   sync.Mutex // of the folder of histories
}

// keptOptions are those of the work. Its version is "", as results of real servers stay valid.
type keptOptions struct {
	Backend  string `json:"backend"`
	ScalePPM int64  `json:"scale_ppm"`
}

// keptRun is the result of a unit. Its key includes the plan and the code of the lock, as old runs
// prove nothing about a changed script or lock.
type keptRun struct {
	Lock   string         `json:"lock"`
	Plan   string         `json:"plan"` // see Kept.fingerprint
	Seed   uint64         `json:"seed"`
	Letter checker.Letter `json:"letter"`
	Breaks string         `json:"breaks,omitempty"` // of a story, see breaks
	Unsure bool           `json:"unsure,omitempty"` // the V may be a VF
	Why    string         `json:"why,omitempty"`    // nothing was tested
	why    say.Phrase     // is Why, of a run that this process has played
	// The file with its history, when it differed from the simulator; a changed simulator may agree
	// now.
	History string `json:"history,omitempty"`
	Times
}

func (r *keptRun) key() string { return fmt.Sprintf("%s %s %d", r.Lock, r.Plan, r.Seed) }

// say sets why nothing was tested.
func (r *keptRun) say(why say.Phrase) { r.Why, r.why = why.English(), why }

func (r *keptRun) said() say.Phrase {
	if r.why.Empty() {
		return say.Verbatim(r.Why).Phrase()
	}
	return r.why
}

// OpenKept opens or creates a file of kept runs. It must be of the same world and scale.
func OpenKept(name, backend string, scalePPM int64) (*Kept, error) {
	w, err := campaign.NewWork("", "compare-worlds", nil, keptOptions{backend, scalePPM})
	if err != nil {
		return nil, err
	}
	r, err := campaign.Open(name, w, 0)
	if err != nil {
		return nil, err
	}
	k := &Kept{Results: r, name: name, locks: locks.Versions()}
	k.runs, err = campaign.All[keptRun](r)
	for i := range k.runs {
		err = errors.Join(err, k.runs[i].check())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), k.Close())
	}
	return k, nil
}

// check returns an error for a run that this program does not know.
func (r *keptRun) check() error {
	_, known := checker.ParseWays(r.Breaks)
	switch {
	case r.Letter != checker.LetterUnknown && r.Letter.Badness() == 0:
		return fmt.Errorf("there is no letter %q: remove the line of %q, and its run is played again", r.Letter, r.key())
	case r.Breaks != "" && !known && r.Breaks != string(checker.LetterUnknown):
		return fmt.Errorf("no lock breaks by %q: remove the line of %q, and its run is played again", r.Breaks, r.key())
	}
	return nil
}

// of returns the kept runs of a plan with a lock; none for a nil Kept.
func (k *Kept) of(lock, fingerprint string) []keptRun {
	if k == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(k.runs), func(r keptRun) bool { return r.Lock != lock || r.Plan != fingerprint })
}

// add keeps a run; a nil Kept ignores it.
func (k *Kept) add(one *keptRun) error {
	if k == nil {
		return nil
	}
	return k.Keep(one.key(), one)
}

// fingerprint identifies a plan with the code of its lock as a test; "" for a nil Kept.
func (k *Kept) fingerprint(p *plan.Plan, lock string) string {
	if k == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(k.locks[lock] + "\n" + scenario.Resolved(p)))
	return hex.EncodeToString(sum[:8])
}

// Limits on kept histories, beyond what anyone reads.
const (
	maxHistories = 100
	maxHistory   = 16 << 20 // bytes of one
)

// histories is the folder of the histories of real runs that differed from the simulator.
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
