package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

func open(t *testing.T, name string) *Results {
	t.Helper()
	b := must.Get(Open(name, work(t, nil), 0))(t)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func line(t *testing.T, key string, result any) *Line {
	t.Helper()
	return must.Get(NewLine(work(t, nil), key, result))(t)
}

func stands(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(name))(t)
}

// A device would forget the results, and one that has no end fill the memory.
func TestADeviceKeepsNoResults(t *testing.T) {
	if _, err := Open(os.DevNull, work(t, nil), 0); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("%v", err)
	}
}

// A writer may be killed after any byte: complete lines remain, and playing the rest again restores
// the same file.
func TestAWriterThatIsKilledIsFollowedByAnother(t *testing.T) {
	name := filepath.Join(t.TempDir(), "folder", "results.jsonl")
	b := open(t, name)
	for k := range 3 {
		must.Do(t, b.Put(line(t, fmt.Sprint(k), k)))
	}
	must.Do(t, b.Close())
	whole := stands(t, name)
	for cut := range whole {
		must.Do(t, os.WriteFile(name, whole[:cut], 0o600))
		known, err := Look(name, work(t, nil), 0)
		if want := max(bytes.Count(whole[:cut], []byte("\n"))-1, 0); err != nil || known.Len() != want {
			t.Fatalf("%d units of %d after %d bytes: %v", known.Len(), want, cut, err)
		}
		b := open(t, name)
		for k := range 3 {
			must.Do(t, b.Put(line(t, fmt.Sprint(k), k)))
		}
		if err := b.Close(); err != nil || !bytes.Equal(stands(t, name), whole) {
			t.Fatalf("cut after %d bytes, it is\n%s%v", cut, stands(t, name), err)
		}
	}
	b = open(t, name)
	if err := b.Put(line(t, "1", "another")); !errors.Is(err, ErrDiverged) || !bytes.Equal(stands(t, name), whole) {
		t.Errorf("%v\n%s", err, stands(t, name))
	}
}

// A file that is not a beginning of these results is never overwritten.
func TestOtherFilesStayAsTheyAre(t *testing.T) {
	other := NewResults(work(t, func(w *Work) { w.Version = "v2" }), 0)
	for text, want := range map[string]string{
		"half a line":         "is no file of results",
		"a line\n":            "is no file of results",
		string(other.Store()): "version v2 of the program made one and version v1 the other",
		string(part(t, "", work(t, nil), Shard{1, 3}, 1).Store()): "3 shards, not 0",
		string(NewResults(work(t, nil), 0).Store()) + "x\n":       "in line 2",
	} {
		name := filepath.Join(t.TempDir(), "file")
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		if _, err := Open(name, work(t, nil), 0); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", text, err)
		}
		if string(stands(t, name)) != text {
			t.Errorf("%q became %q", text, stands(t, name))
		}
	}
}

// The second of two writers of a file is refused; where files have no locks, its writes are
// noticed.
func TestTwoWriters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.jsonl")
	b := open(t, name)
	if second, err := Open(name, work(t, nil), 0); lock(b.open) == nil && err == nil {
		_ = second.Close() // no locks here
	} else if err == nil || !strings.Contains(err.Error(), "another process writes into it") {
		t.Error(err)
	}
	must.Do(t, os.WriteFile(name, []byte("theirs"), 0o600))
	if err := b.Put(line(t, "1", 1)); err == nil || !strings.Contains(err.Error(), "another process has written into it") ||
		string(stands(t, name)) != "theirs" {
		t.Errorf("%v: %s", err, stands(t, name))
	}
}

// A full disk is a clear error, and earlier results stay.
func TestAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no device here is full")
	}
	b := NewResults(work(t, nil), 0)
	b.open = full
	defer b.Close()
	err = b.Put(line(t, "a unit", 1))
	if err == nil || !strings.Contains(err.Error(), "the result of a unit cannot be kept (earlier results are): write /dev/full: no space left") || b.Len() != 0 {
		t.Error(err)
	}
}

// Any file is either refused and left unchanged, or opened, and then its complete lines stay and
// can be read again.
func FuzzOpen(f *testing.F) {
	w := must.Get(NewWork("v1", "claims", nil, nil))(f)
	r := NewResults(w, 0)
	for _, key := range []string{"a unit", "another"} {
		l, err := NewLine(w, key, []int{1})
		must.Do(f, errors.Join(err, r.Put(l)))
		f.Add(r.Store())
		f.Add(r.Store()[:len(r.Store())-20])
	}
	f.Add([]byte("null\n"))
	name := filepath.Join(f.TempDir(), "results.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		must.Do(t, os.WriteFile(name, data, 0o600))
		b, err := Open(name, w, 0)
		after := stands(t, name)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name) || !bytes.Equal(after, data) {
				t.Fatalf("%q: %v, and the file is then %q", data, err, after)
			}
			return
		}
		defer b.Close()
		if whole := data[:bytes.LastIndexByte(data, '\n')+1]; !bytes.Equal(after, whole) {
			t.Fatalf("%q became %q", data, after)
		}
		again, err := Look(name, w, 0)
		if err != nil || !bytes.Equal(again.Store(), b.Store()) {
			t.Fatalf("%q is read as %q, then as %q: %v", data, b.Store(), again.Store(), err)
		}
	})
}
