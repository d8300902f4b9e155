package matrix

import (
	"fmt"

	"lockstep/internal/say"
)

// both is the name of a script or a kind of fault, in both languages. The English one is what
// stored measurements know it by.
func both(english, chinese string) say.Both { return say.Both{English: english, Chinese: chinese} }

// of names one step among several.
func of(what say.Both, i, n int) say.Both {
	if n == 1 {
		return what
	}
	return what.And(both(fmt.Sprintf(", number %d of %d", i+1, n), fmt.Sprintf("，第 %d 条，共 %d 条", i+1, n)))
}

// lateDelName is what lateDel adds to the name of a script.
var lateDelName = both(", and the first DEL of the others is late", "，别人的第一条 DEL 迟到")
