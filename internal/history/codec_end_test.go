package history

import (
	"bytes"
	"strings"
	"testing"

	"lockstep/internal/must"
)

func storedText(t *testing.T, all ...*History) string {
	t.Helper()
	var buf bytes.Buffer
	must.Do(t, WriteJSONL(&buf, all...))
	return buf.String()
}

func wholeHistory() *History {
	h := testHistory()
	h.Whole = true
	return h
}

func TestTheEndIsALineOfItsOwn(t *testing.T) {
	const first, second = `{"events":4,"history":1,"of":2}` + "\n", `{"events":4,"history":2,"of":2}` + "\n"
	must.Equal(t, storedText(t, wholeHistory(), wholeHistory()), testJSONL+first+testJSONL+second)
	must.Equalf(t, storedText(t, wholeHistory(), testHistory()), testJSONL+first+testJSONL,
		"a history without an end got one")
}

// A file that was truncated anywhere is refused, or its last history is not whole.
func TestNoPrefixIsWhole(t *testing.T) {
	stored := storedText(t, wholeHistory(), wholeHistory())
	if all, err := ReadAllJSONL(strings.NewReader(stored)); err != nil || len(all) != 2 || !all[0].Whole || !all[1].Whole {
		t.Fatalf("the file itself: %d histories, %v", len(all), err)
	}
	judged := 0
	for n := range len(strings.TrimRight(stored, "\n")) {
		all, err := ReadAllJSONL(strings.NewReader(stored[:n]))
		if err != nil {
			continue
		}
		judged++
		if all[len(all)-1].Whole {
			t.Errorf("the first %d bytes seem whole", n)
		}
	}
	if judged == 0 {
		t.Error("not one prefix could be read")
	}
}

func TestEndsThatDoNotFit(t *testing.T) {
	const header = `{"schema":2,"nodes":[{"name":"A","role":"client"}]}` + "\n"
	const event = `{"true_us":5,"kind":"waits","node":"A"}` + "\n"
	const end = `{"events":1,"history":1,"of":1}` + "\n"
	tests := []struct{ give, want string }{
		{header + event + event + end, "line 4: 1 events should stand before this line, and there are 2"},
		{header + end, "line 2: 1 events should stand before this line, and there are 0"},
		{header + event + end + end, "line 4: the history has ended already"},
		{header + event + end + event, "line 4: an event after the end"},
		{header + event + `{"events":1,"history":2,"of":2}`, "line 3: this should be the end of history 2 of 2, and it is that of history 1"},
		{header + event + `{"events":1,"history":1,"of":2}`, "line 3: the file ends after 1 of 2 histories"},
		{header + event + end + header + event + `{"events":1,"history":2,"of":2}`, "line 6: this should be the end of history 2 of 2"},
		{header + event + `{"events":1.5}`, "line 3: events: column 12: not a whole number"},
		{header + event + `{"events":1} x`, "line 3: column 14: something follows"},
	}
	for _, tt := range tests {
		if _, err := ReadAllJSONL(strings.NewReader(tt.give)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\ngot error  %v\nwant in it %q", tt.give, err, tt.want)
		}
	}
}
