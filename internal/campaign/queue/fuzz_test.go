package queue

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"lockstep/internal/campaign"
	"lockstep/internal/must"
)

// A worker reads valid items of a queue or rejects them: a range under its own name, a work that is
// stored again as it was read, a greeting that costs no more than its line.
func FuzzWhatAWorkerReads(f *testing.F) {
	w := must.Get(campaign.NewWork("v1", "search", &campaign.Scenario{File: "storm.yaml", Text: "scenario: <&\u2028 Storm\n", Set: []string{"lease=3s"}}, map[string]int{"seeds": 9}))(f)
	data := must.Get(json.Marshal(w))(f)
	hash := w.Hash()
	f.Add(rangeSubject+"."+versionToken("v1")+"."+hash+".3-16", data, []byte(`{"id": "x", "version": "v2"}`))
	f.Add(rangeSubject+".*."+hash+".03-16", []byte(`{"version": "v1", "command": "x", "options": {"a" : 1}}`), []byte("null"))
	f.Add(rangeSubject+"."+versionToken("v1")+"."+strings.ToUpper(hash)+".17-16.x", []byte("{}"), []byte(""))
	f.Fuzz(func(t *testing.T, subject string, text, greeting []byte) {
		if got, after, err := parseSubject(subject, 3); err == nil {
			words := strings.Split(subject, ".")
			if got.key() != strings.Join(words[3:5], ".") || len(after) != len(words)-5 || got.shard.Number < 1 || got.shard.Number > got.shard.Of || got.shard.Of > campaign.Most {
				t.Errorf("%q is read as %+v", subject, got)
			}
		}
		for _, packed := range [][]byte{text, pack(text)} {
			work, err := readWork(packed)
			if err != nil {
				continue
			}
			again, err := json.Marshal(work)
			if err != nil {
				t.Fatalf("%q is a work that cannot be stored: %v", text, err)
			}
			other, err := readWork(pack(again))
			if err != nil || other.Hash() != work.Hash() {
				t.Errorf("%q is another work when it is read again: %v", text, err)
			}
		}
		if data, err := unpack(text, 1<<10); err == nil && len(data) > 1<<10 {
			t.Errorf("%d bytes are unpacked", len(data))
		}
		told := 0
		reader := NewWorker(&Queue{tell: func(string) { told++ }}, "v1", 1, nil)
		c := &coordinator{job: Job{Work: w}, workers: map[string]worker{}}
		for range 3 {
			reader.meet(&nats.Msg{Data: greeting})
			c.meet(&nats.Msg{Data: greeting})
		}
		if _, slots, _ := c.count(); told > 1 || len(c.workers) > 1 || slots < 0 || slots > campaign.Most {
			t.Errorf("%q is told %d times, and counts for %d slots", greeting, told, slots)
		}
	})
}
