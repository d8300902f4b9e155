package servers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/images"
)

func TestClipKeepsBothEnds(t *testing.T) {
	for _, chunk := range []int{1, 7, 4096, 1 << 20} {
		c := &Clip{half: 10}
		text := "0123456789" + strings.Repeat("x", 90) + "abcdefghij"
		for len(text) > 0 {
			n := min(chunk, len(text))
			if wrote, err := c.Write([]byte(text[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			text = text[n:]
		}
		if got, want := string(c.Bytes()), "0123456789\n[... 90 bytes of this log are left out here ...]\nabcdefghij"; got != want {
			t.Errorf("in pieces of %d: %q, want %q", chunk, got, want)
		}
	}
	whole := &Clip{half: 10}
	fmt.Fprint(whole, "as much as there is "[:20])
	must.Equalf(t, string(whole.Bytes()), "as much as there is ", "a log that fits became")
}

// After the error of a place no directory is left.
func TestAPlaceThatFailsLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := (children{}).Place(t.Context(), images.Redis, "a/b"); err == nil {
		t.Fatal("a directory with a slash in its name")
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
