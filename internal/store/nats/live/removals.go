package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/history"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// A server of NATS keeps the last write to each key, and numbers the writes to a bucket. The reply
// to a write has its number. A number that no reply has is that of a write without a reply.

// write is a request that may write a key.
type write struct {
	*livestore.Request
	bucket, key string
	removes     bool
	creates     bool   // it is refused if the key is there
	answered    bool   // or refused
	number      uint64 // 0 if it was refused, or without a reply
}

// removals implements livestore.Driver. The keys of all buckets count.
func removals(members []*servers.Server, _ string, sent []livestore.Request) (out []livestore.Removal, ok bool) {
	buckets := map[string][]*write{}
	for i := range sent {
		w := &write{Request: &sent[i]}
		if w.read() != nil {
			return nil, false
		}
		buckets[w.bucket] = append(buckets[w.bucket], w)
	}
	for _, name := range slices.Sorted(maps.Keys(buckets)) {
		last, age, known := stateOf(members, name)
		more, all := foreign(buckets[name], last, age)
		if !known || !all {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// stateOf returns the number of the last write to a bucket, and for how long it keeps one, 0 for
// ever.
func stateOf(members []*servers.Server, bucket string) (last uint64, age time.Duration, known bool) {
	for _, s := range members {
		known = known || at(context.Background(), s, func(ctx context.Context, js jetstream.JetStream) error {
			stream, err := js.Stream(ctx, "KV_"+bucket)
			if err == nil {
				last, age = stream.CachedInfo().State.LastSeq, stream.CachedInfo().Config.MaxAge
			}
			return err
		}) == nil
	}
	return last, age, known
}

// item is what may be a client's entry.
type item struct {
	owner       history.NodeID // 0: unknown
	made, until time.Time      // it was made later, and is gone then; until is zero if that is unknown
}

// slack is how much later than its age a server may drop a write.
const slack = time.Second

// foreign returns the removals of entries that other clients have made; false if the writes are not
// those that the bucket has counted.
func foreign(all []*write, last uint64, age time.Duration) (out []livestore.Removal, ok bool) {
	numbered, keys := map[uint64][]*write{}, map[string]item{}
	for _, w := range all {
		if w.number > last || w.number > 0 && numbered[w.number] != nil { // a server has forgotten writes
			return nil, false
		}
		numbered[w.number] = append(numbered[w.number], w)
	}
	for n := uint64(1); n <= last; n++ {
		by := numbered[n]
		if by == nil {
			by = slices.DeleteFunc(slices.Clone(numbered[0]), func(w *write) bool { return w.answered || w.after(all, n) })
		}
		switch len(by) {
		case 0:
			return nil, false
		case 1:
			numbered[0] = slices.DeleteFunc(numbered[0], func(w *write) bool { return w == by[0] })
		}
		for _, w := range by {
			if r, ok := w.foreignRemoval(keys, age); ok {
				if len(by) > 1 {
					r.Owner, r.At = 0, r.From
				}
				out = append(out, r)
			}
		}
		for _, w := range by {
			w.apply(keys, age, len(by) == 1)
		}
	}
	return out, true
}

// after reports whether a write was sent when a reply had told this number or a later one.
func (w *write) after(all []*write, n uint64) bool {
	return slices.ContainsFunc(all, func(q *write) bool { return q.number >= n && q.Answered.Before(w.Sent) })
}

// foreignRemoval returns the removal of another client's entry. It is certain if the reply says so before the
// entry's time is up, and no entry took its place.
func (w *write) foreignRemoval(keys map[string]item, age time.Duration) (r livestore.Removal, ok bool) {
	was, there := keys[w.key]
	if !there || was.owner == w.By || w.creates || !was.until.IsZero() && w.Sent.After(was.until) {
		return r, false
	}
	r = livestore.Removal{By: w.By, From: w.Sent}
	if was.made.After(r.From) {
		r.From = was.made
	}
	r.At = r.From
	if w.answered && w.removes && (age == 0 || w.Answered.Before(was.made.Add(age))) {
		r.Owner, r.At = was.owner, w.Answered
	}
	return r, true
}

// apply notes what a write has made, or may have made if it is one of several.
func (w *write) apply(keys map[string]item, age time.Duration, alone bool) {
	made := item{made: w.Sent}
	switch {
	case alone && w.removes:
		delete(keys, w.key)
		return
	case alone:
		made.owner = w.By
	}
	if w.answered && age > 0 {
		made.until = w.Answered.Add(age + slack)
	}
	keys[w.key] = made
}

var errNotRead = errors.New("not a known request")

// read reads the request and its reply, if there is a whole one.
func (w *write) read() error {
	words, header, _, err := parse(w.Bytes[link.Up])
	if err != nil {
		return err
	}
	subject, isKV := strings.CutPrefix(words[1], "$KV.")
	if w.bucket, w.key, _ = strings.Cut(subject, "."); !isKV {
		return errNotRead
	}
	for name := range header {
		switch value := header.Get(name); {
		case name == operation:
			w.removes = value == "DEL" || value == "PURGE"
		case name == jetstream.ExpectedLastSubjSeqHeader:
			w.creates = value == "0"
		case name == jetstream.MsgRollup && value == jetstream.MsgRollupSubject, name == jetstream.MsgIDHeader:
		case strings.HasPrefix(strings.ToLower(name), "nats-"): // such as a time to live
			return errNotRead
		}
	}
	var said struct {
		Seq       uint64
		Stream    string
		Duplicate bool
		Error     any
	}
	_, header, body, err := parse(w.Bytes[link.Down])
	refused := header.Get("Status") != "" // no responders
	if err != nil || !refused && json.Unmarshal(body, &said) != nil {
		return nil
	}
	if w.answered = true; !refused && said.Error == nil && !said.Duplicate {
		if w.number = said.Seq; said.Stream != "KV_"+w.bucket || said.Seq == 0 {
			return errNotRead
		}
	}
	return nil
}

// parse returns the words of a message's line, its headers and its payload.
func parse(message []byte) (words []string, header client.Header, body []byte, err error) {
	line, body, _ := bytes.Cut(message, []byte(lineEnd))
	words = strings.Fields(string(line))
	if len(words) < 3 {
		return nil, nil, nil, errNotRead
	}
	if strings.HasPrefix(words[0], "H") {
		size, err := strconv.Atoi(words[len(words)-2])
		if err != nil || size < 0 || size > len(body) {
			return nil, nil, nil, errNotRead
		}
		header, err = client.DecodeHeadersMsg(body[:size])
		return words, header, body[size:], err
	}
	return words, header, body, nil
}
