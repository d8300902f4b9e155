package shard

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// work is one that tests divide; change, if not nil, makes another one of it.
func work(t *testing.T, change func(*Work)) *Work {
	t.Helper()
	w, err := NewWork("v1", "search", &Scenario{File: "storm.yaml", Text: "scenario: <&\u2028 Storm\n"}, map[string]int{"seeds": 100})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(w)
	}
	return w
}

// part is one that was written and read back.
func part(t *testing.T, file string, w *Work, s Shard, result any) *Part {
	t.Helper()
	p, err := NewPart(w, s, result)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(file, p.Store())
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// However parts are grouped and in whatever order they come, all of them are the same part.
func TestMergingIsCommutativeAndAssociative(t *testing.T) {
	const n = 9
	luck := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for range 50 {
		var parts []*Part
		for k := 1; k <= n; k++ {
			parts = append(parts, part(t, fmt.Sprint(luck.Uint64()), work(t, nil), Shard{k, n}, []int{k, k * k}))
		}
		for len(parts) > 1 {
			luck.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			some := 2 + luck.IntN(len(parts)-1)
			merged, err := Merge(parts[:some])
			if err != nil {
				t.Fatal(err)
			}
			again, err := Read(fmt.Sprint(luck.Uint64()), merged.Store())
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts[some:], again)
		}
		if err := parts[0].Missing(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = parts[0].Store()
		}
		if !bytes.Equal(parts[0].Store(), want) {
			t.Fatalf("merged in another order:\n%s\n%s", parts[0].Store(), want)
		}
	}
	whole, err := Read("all", want)
	if err != nil {
		t.Fatal(err)
	}
	results, err := Results[[]int](whole)
	if err != nil || len(results) != n {
		t.Fatal(results, err)
	}
	for i, r := range results {
		if k := i + 1; r[0] != k || r[1] != k*k {
			t.Errorf("shard %d has the result %v", k, r)
		}
	}
}

func TestPartsThatCannotBeMerged(t *testing.T) {
	one := part(t, "a.json", work(t, nil), Shard{1, 3}, 7)
	tests := []struct {
		other *Part
		want  string
	}{
		{part(t, "b.json", work(t, nil), Shard{1, 3}, 7), "a.json and b.json both hold shard 1/3: leave one of them out"},
		{part(t, "b.json", work(t, nil), Shard{1, 3}, 8), "shard 1/3 is one thing in a.json and another in b.json"},
		{part(t, "b.json", work(t, nil), Shard{2, 4}, 7), "a.json divides the work into 3 shards and b.json into 4"},
		{part(t, "b.json", work(t, func(w *Work) { w.Version = "v2" }), Shard{2, 3}, 7), "different work: version v1 of the program made one and version v2 the other"},
		{part(t, "b.json", work(t, func(w *Work) { w.Command = "sweep" }), Shard{2, 3}, 7), "one is of search and the other of sweep"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.Text = "scenario: Calm\n" }), Shard{2, 3}, 7), "storm.yaml was changed in between"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.File = "calm.yaml" }), Shard{2, 3}, 7), "one is of storm.yaml and the other of calm.yaml"},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario.Set = []string{"lease=3s"} }), Shard{2, 3}, 7), `["lease=3s"]`},
		{part(t, "b.json", work(t, func(w *Work) { w.Options = []byte(`{"seeds":9}`) }), Shard{2, 3}, 7), `the options differ: {"seeds":100} and {"seeds":9}`},
		{part(t, "b.json", work(t, func(w *Work) { w.Scenario = nil }), Shard{2, 3}, 7), "different work"},
	}
	for _, tt := range tests {
		for _, parts := range [][]*Part{{one, tt.other}, {tt.other, one}} {
			_, err := Merge(parts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if errors.Is(err, ErrDiverged) != strings.Contains(tt.want, "one thing") {
				t.Errorf("%v is a bug of the program or is none: the other way round", err)
			}
		}
	}
}

func TestMissingNamesTheShards(t *testing.T) {
	var parts []*Part
	for _, k := range []int{2, 3, 7, 8} {
		parts = append(parts, part(t, fmt.Sprint(k), work(t, nil), Shard{k, 9}, k))
	}
	all, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Missing(); err == nil || !strings.HasPrefix(err.Error(), "of 9 shards these are missing: 1, 4 to 6, 9.") {
		t.Error(err)
	}
}

// Whatever is done to the file of a part, it is read as it was written or not at all.
func TestAFileThatWasTamperedWithIsNoPart(t *testing.T) {
	stored := part(t, "a.json", work(t, nil), Shard{1, 3}, map[string]int{"seeds": 64}).Store()
	for i := range stored {
		for _, b := range []byte{stored[i] ^ 1, '9', ' '} {
			bad := bytes.Clone(stored)
			if bad[i] = b; bytes.Equal(bad, stored) || i == len(stored)-1 {
				continue
			}
			if p, err := Read("a.json", bad); err == nil {
				t.Fatalf("read with another byte %d: %+v", i, p)
			}
		}
		if p, err := Read("a.json", stored[:i]); err == nil && i < len(stored)-1 {
			t.Fatalf("half of it is read: %+v", p)
		}
	}
	if _, err := Read("a.json", append(bytes.Clone(stored), stored...)); err == nil {
		t.Error("two parts in one file are read as one")
	}
}

func TestIs(t *testing.T) {
	p := part(t, "a.json", work(t, nil), Shard{1, 3}, 7)
	if !p.Is(work(t, nil), Shard{1, 3}) || p.Is(work(t, nil), Shard{2, 3}) || p.Is(work(t, nil), Shard{1, 4}) ||
		p.Is(work(t, func(w *Work) { w.Version = "v2" }), Shard{1, 3}) {
		t.Error("a part is taken for another, or not for itself")
	}
}

func FuzzRead(f *testing.F) {
	w, err := NewWork("v1", "claims", nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	p, err := NewPart(w, Shard{}, []int{1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Store())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read("x", data)
		if err == nil && !bytes.Equal(bytes.TrimSpace(p.Store()), bytes.TrimSpace(data)) {
			t.Errorf("%q was read as %q", data, p.Store())
		}
	})
}
