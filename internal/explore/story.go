package explore

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/say"
)

// story is a schedule as a scenario file.
type story struct {
	title  say.Phrase
	locks  []string
	world  string   // text of the base world
	faults []string // each an item of the list
	expect string   // lines below expect:
}

// yaml is the file.
func (s *story) yaml() string {
	var b strings.Builder
	if s.title.Empty() {
		b.WriteString("scenario: walked\n")
	} else {
		fmt.Fprintf(&b, "scenario: %q\nseed: 1\n", s.title.English())
	}
	fmt.Fprintf(&b, "locks: [%s]\n%s", strings.Join(s.locks, ", "), s.world)
	if len(s.faults) > 0 {
		b.WriteString("faults:\n" + strings.Join(s.faults, ""))
	}
	if s.expect != "" {
		b.WriteString("expect:\n" + s.expect)
	}
	if !s.title.Empty() {
		fmt.Fprintf(&b, "zh:\n  scenario: %q\n", s.title.In(say.Chinese))
	}
	return b.String()
}

// faultText is one item of the list of faults.
func faultText(text, phrase string, after time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - when: %s\n", phrase)
	if after > 0 {
		fmt.Fprintf(&b, "    after: %s\n", faults.Duration(after))
	}
	for _, key := range strings.Split(text, "; ") {
		fmt.Fprintf(&b, "    %s\n", key)
	}
	return b.String()
}

// properties are what each way of breaking means in a scenario's expect.
var properties = [ways][]string{
	Believe: {checker.MutualExclusionID},
	Damage:  {checker.NoLostUpdateID, checker.NoStaleWriteID},
	Robbed:  {checker.OwnerOnlyReleaseID},
	Stuck:   {checker.ProgressID},
}
