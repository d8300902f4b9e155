package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// work is a work to divide; change, if not nil, changes it.
func work(t *testing.T, change func(*Work)) *Work {
	t.Helper()
	w := must.Get(NewWork("v1", "search", &Scenario{File: "storm.yaml", Text: "scenario: <&\u2028 Storm\n"}, map[string]int{"seeds": 100}))(t)
	if change != nil {
		change(w)
	}
	return w
}

// part is the file of one shard, written and read back.
func part(t *testing.T, file string, w *Work, s Shard, result any) *Results {
	t.Helper()
	l := must.Get(NewLine(w, s.String(), result))(t)
	r := NewResults(w, s.Of)
	must.Do(t, r.Put(l))
	return again(t, file, r.Store())
}

func again(t *testing.T, file string, data []byte) *Results {
	t.Helper()
	return must.Get(Read(file, data))(t)
}

// Parts merge to the same results in any order and grouping, even with repetitions.
func TestMergingIsCommutativeAssociativeAndIdempotent(t *testing.T) {
	const n = 9
	random := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for range 50 {
		var parts []*Results
		for k := 1; k <= n; k++ {
			parts = append(parts, part(t, fmt.Sprint(random.Uint64()), work(t, nil), Shard{k, n}, []int{k, k * k}))
		}
		for len(parts) > 1 {
			random.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			some := 2 + random.IntN(len(parts)-1)
			merged := must.Get(Merge(parts[:some]))(t)
			some -= random.IntN(2) // one of them comes again
			parts = append(parts[some:], again(t, fmt.Sprint(random.Uint64()), merged.Store()))
		}
		must.Do(t, parts[0].Missing())
		if want == nil {
			want = parts[0].Store()
		}
		if !bytes.Equal(parts[0].Store(), want) {
			t.Fatalf("merged in another order:\n%s\n%s", parts[0].Store(), want)
		}
	}
	results, err := All[[]int](again(t, "all", want))
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
		other *Results
		want  string
	}{
		{part(t, "b.json", work(t, nil), Shard{1, 3}, 8), "1/3 is one thing in a.json and another in b.json"},
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
		for _, parts := range [][]*Results{{one, tt.other}, {tt.other, one}} {
			_, err := Merge(parts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if errors.Is(err, ErrDiverged) != strings.Contains(tt.want, "one thing") {
				t.Errorf("%v: ErrDiverged is wrong", err)
			}
		}
	}
}

func TestMissingNamesTheShards(t *testing.T) {
	var parts []*Results
	for _, k := range []int{2, 3, 7, 8} {
		parts = append(parts, part(t, fmt.Sprint(k), work(t, nil), Shard{k, 9}, k))
	}
	all := must.Get(Merge(parts))(t)
	if err := all.Missing(); err == nil || !strings.HasPrefix(err.Error(), "of 9 shards these are missing: 1, 4 to 6, 9.") {
		t.Error(err)
	}
}

// A changed file is read up to the change, or not at all.
func TestAFileThatWasTamperedWithIsNoResult(t *testing.T) {
	both := must.Get(Merge([]*Results{part(t, "a", work(t, nil), Shard{1, 3}, 7), part(t, "b", work(t, nil), Shard{2, 3}, []int{64})}))(t)
	stored := both.Store()
	check := func(bad []byte) {
		t.Helper()
		if r, err := Read("a.json", bad); err == nil && !bytes.HasPrefix(stored, r.Store()) {
			t.Fatalf("%q is read as %q", bad, r.Store())
		} else if err == nil && r.Len() != bytes.Count(bad, []byte("\n"))-1 {
			t.Fatalf("%q is read with %d lines", bad, r.Len())
		}
	}
	for i := range stored {
		for _, b := range []byte{stored[i] ^ 1, '9', ' ', '\n'} {
			bad := bytes.Clone(stored)
			bad[i] = b
			check(bad)
		}
		check(stored[:i])
		check(append(stored[:i:i], stored[i+1:]...))
	}
	for text, want := range map[string]string{
		string(stored) + "{}\n":                          "a.json is not as it was written, in line 4 (",
		string(stored) + string(stored):                  "a.json is not as it was written, in line 4 (",
		"scenario: Calm\n":                               "a.json is no file of results, or half of one (line 1: ",
		`{"results":1}` + "\n":                           "a.json is no file of results, or half of one (line 1: it says nothing of a work",
		`{"results":2}` + "\n":                           "a.json has form 2 of results, and this program reads form 1",
		strings.Replace(string(stored), "100", "999", 1): "a.json is not as it was written, in line 1: make it again",
	} {
		if _, err := Read("a.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, not %q", text, err, want)
		}
	}
}
