package tour

import (
	"testing"

	"lockstep/internal/say"
)

// Paragraphs become single lines, which a page wraps; Chinese lines are joined without a blank.
func TestTextsFlow(t *testing.T) {
	english, chinese := "One line\nand its second.\n\nAnother\nparagraph.\n", "SETNX 建键，接着 EXPIRE 给它租约，死掉的持有者就挡不住\n别人。\n\n测试都\n通过了。\n"
	if got, want := flowing(english, say.English), "One line and its second.\n\nAnother paragraph."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := flowing(chinese, say.Chinese), "SETNX 建键，接着 EXPIRE 给它租约，死掉的持有者就挡不住别人。\n\n测试都通过了。"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
