// Package queue hands out the shards of a work over NATS JetStream and gathers their results, each
// at least once. A coordinator stores a Work and hands out its ranges, which are shards; workers
// store the lines of a file of results; the coordinator merges them. See DESIGN.md.
package queue

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/campaign"
)

// The subjects start with these. The hash of the work and the range follow.
const (
	rangeSubject  = "lockstep.range"            // handed out, until their results are stored
	workSubject   = "lockstep.work"             // the work itself, under its hash
	resultSubject = "lockstep.result"           // a line of results, under its range and its own hash
	failedSubject = "lockstep.failed"           // why a range was set aside
	crashSubject  = "lockstep.crash"            // one for each crash of a player, the child process that plays a range
	workerHere    = "lockstep.here.worker"      // workers announce themselves
	coordHere     = "lockstep.here.coordinator" // and so do coordinators
)

// Limits on what is read from a queue, which anyone with access can write to.
const (
	mostResult = 64 << 20 // bytes of a result, unpacked
	mostWork   = 4 << 20  // bytes of a work, unpacked: a scenario has 1 MiB at most
	mostReason = 2 << 10  // bytes of a sentence
	mostHello  = 1 << 10
	mostKnown  = 16 // works or versions that a worker remembers

	mostWorkers = 1 << 16 // that a coordinator counts, and that can wait for a range
)

const (
	mostCrashes    = 3  // of the player of a range, which is set aside then
	mostDeliveries = 20 // of a range that has not ended, and whose workers report nothing
)

// The ack wait is three times the slowest range, within these limits; a worker extends it.
const (
	leastWait = 3 * time.Second
	mostWait  = time.Minute
)

// hereEvery is how often workers and coordinators announce themselves.
const hereEvery = time.Second

// task is one range of a work, as in its subject.
type task struct {
	work  string // the hash
	shard campaign.Shard
}

func (t task) span() string { return fmt.Sprintf("%d-%d", t.shard.Number, t.shard.Of) }

// key is the key under which everything about the range is stored.
func (t task) key() string { return t.work + "." + t.span() }

// versionToken is a version as a word of a subject.
func versionToken(version string) string { return digest([]byte(version))[:16] }

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

var (
	hashForm  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	rangeForm = regexp.MustCompile(`^([1-9][0-9]{0,6})-([1-9][0-9]{0,6})$`)
)

// parseTask reads the two words of a key.
func parseTask(work, rng string) (task, error) {
	m := rangeForm.FindStringSubmatch(rng)
	if m == nil || !hashForm.MatchString(work) {
		return task{}, errors.New("it names no range of a work")
	}
	number, err := strconv.Atoi(m[1])
	of, err2 := strconv.Atoi(m[2])
	if err = errors.Join(err, err2); err != nil || number > of || of > campaign.Most {
		return task{}, fmt.Errorf("there is no range %s", rng)
	}
	return task{work: work, shard: campaign.Shard{Number: number, Of: of}}, nil
}

// parseSubject reads a subject whose key follows a number of words.
func parseSubject(subject string, before int) (t task, after []string, err error) {
	words := strings.Split(subject, ".")
	if len(words) < before+2 {
		return t, nil, errors.New("it names no range of a work")
	}
	t, err = parseTask(words[before], words[before+1])
	return t, words[before+2:], err
}

// pack compresses data. Keys are hashes of the data itself, as compression may differ.
func pack(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // memory does not fail
	_ = w.Close()
	return b.Bytes()
}

// unpack undoes pack, up to a number of bytes.
func unpack(packed []byte, most int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("it is not packed: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it is not packed: %w", err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("it is more than %d MiB", most>>20)
	}
	return data, nil
}

// shorten keeps the end of a text that is too long, which has the reason of a crash.
func shorten(text string) string {
	if len(text) > mostReason {
		return "... " + strings.ToValidUTF8(text[len(text)-mostReason:], "")
	}
	return text
}
