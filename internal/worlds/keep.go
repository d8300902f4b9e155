package worlds

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"lockstep/internal/checker"
	"lockstep/internal/matrix"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Kept is a file of real runs. Twenty runs of every cell take hours; what was played
// before an interruption need not be played again. The first line says of which world
// the runs are, every further line is one run.
type Kept struct {
	file *os.File

	mu   sync.Mutex
	runs map[keptKey][]keptRun // in the order of their seeds
}

// keptKey names what was played. The plan is in it because a script that has changed
// is another test: its old runs prove nothing of it.
type keptKey struct{ Lock, Plan string }

// keptHeader is the first line of the file.
type keptHeader struct {
	Kept     int    `json:"kept"` // the version of the form
	Backend  string `json:"backend"`
	ScalePPM int64  `json:"scale_ppm"`
}

// keptRun is a line of the file.
type keptRun struct {
	Lock   string         `json:"lock"`
	Plan   string         `json:"plan"` // its fingerprint
	Seed   uint64         `json:"seed"`
	Letter checker.Letter `json:"letter"`
	Breaks string         `json:"breaks,omitempty"` // of a story, see Pair
	Unsure bool           `json:"unsure,omitempty"` // see Pair
	// Why nothing was put to the test, and the same in Chinese.
	Why        string `json:"why,omitempty"`
	WhyChinese string `json:"why_zh,omitempty"`
	// The file with its history, when it differed from the simulator; a change of the
	// simulator since then may have brought the two together.
	History string `json:"history,omitempty"`
	Times
}

// say says why nothing was put to the test.
func (r *keptRun) say(why say.Phrase) { r.Why, r.WhyChinese = why.English(), why.In(say.Chinese) }

func (r *keptRun) why() say.Phrase {
	return say.Both{English: r.Why, Chinese: r.WhyChinese}.Phrase()
}

const (
	keptVersion = 1
	// maxKeptLine bounds what is read of a file that may hold anything: a run of a
	// cell has some dozens of durations.
	maxKeptLine = 1 << 20
)

// OpenKept opens a file of kept runs, and makes it when there is none. A last line that
// was cut short by a crash is taken off; any other line that is not understood is an
// error, which names it. The file must be of the same world with the same scale.
func OpenKept(name, backend string, scalePPM int64) (*Kept, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	k := &Kept{file: f, runs: map[keptKey][]keptRun{}}
	if err := k.load(keptHeader{keptVersion, backend, scalePPM}); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return k, nil
}

// Close closes the file.
func (k *Kept) Close() error { return k.file.Close() }

// load reads the file, and leaves it ready for more runs.
func (k *Kept) load(want keptHeader) error {
	r := bufio.NewReaderSize(k.file, maxKeptLine)
	whole := int64(0) // bytes of whole lines
	for number := 1; ; number++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return k.mend(whole, len(line) > 0, want)
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d has more than %d bytes, so it is no kept run", number, maxKeptLine)
		case err != nil:
			return err
		case number == 1:
			err = checkHeader(line, want)
		default:
			err = k.loadRun(line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		whole += int64(len(line))
	}
}

// mend takes off what comes after the whole lines, and heads a file without any.
func (k *Kept) mend(whole int64, more bool, header keptHeader) error {
	if more {
		if err := k.file.Truncate(whole); err != nil {
			return err
		}
	}
	if whole > 0 {
		return nil
	}
	return k.write(header)
}

func checkHeader(line []byte, want keptHeader) error {
	var got keptHeader
	if err := strictly(line, &got); err != nil || got.Kept == 0 {
		return errors.New("this is no file of kept runs: name another one, or a new one")
	}
	if got.Kept != want.Kept {
		return fmt.Errorf("the file has version %d, and this program reads %d: name a new one", got.Kept, want.Kept)
	}
	if got != want {
		return fmt.Errorf("its runs were played with --backend %s at a scale of %d millionths, not with --backend %s at %d: name another file",
			got.Backend, got.ScalePPM, want.Backend, want.ScalePPM)
	}
	return nil
}

func (k *Kept) loadRun(line []byte) error {
	var one keptRun
	if err := strictly(line, &one); err != nil {
		return fmt.Errorf("this is no kept run (%w): remove the line, and it is played again", err)
	}
	if one.Letter != checker.LetterUnknown && matrix.Badness(one.Letter) == 0 {
		return fmt.Errorf("there is no letter %q: remove the line, and its run is played again", one.Letter)
	}
	if one.Breaks != "" && !knownBreaks(one.Breaks) {
		return fmt.Errorf("no lock breaks by %q: remove the line, and its run is played again", one.Breaks)
	}
	k.insert(one)
	return nil
}

// insert adds a run, in the order of seeds; of two with the same seed the first counts.
func (k *Kept) insert(one keptRun) {
	key := keptKey{one.Lock, one.Plan}
	at, found := slices.BinarySearchFunc(k.runs[key], one.Seed, bySeed)
	if !found {
		k.runs[key] = slices.Insert(k.runs[key], at, one)
	}
}

func bySeed(r keptRun, seed uint64) int { return cmp.Compare(r.Seed, seed) }

// of returns the kept runs of a plan with a lock, in the order of seeds. A nil Kept has
// none, and keeps none.
func (k *Kept) of(lock, fingerprint string) []keptRun {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.runs[keptKey{lock, fingerprint}])
}

// add keeps a run.
func (k *Kept) add(one *keptRun) error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.insert(*one)
	return k.write(one)
}

// write appends a line in one piece, so that two processes may share a file, each with
// cells of its own.
func (k *Kept) write(line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = k.file.Write(append(data, '\n'))
	return err
}

// strictly decodes one JSON value with no fields but those of v, and nothing after it.
func strictly(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows it")
	}
	return nil
}

// fingerprint tells plans apart that are not the same test.
func fingerprint(p *plan.Plan) string {
	sum := sha256.Sum256([]byte(scenario.Resolved(p)))
	return hex.EncodeToString(sum[:8])
}
