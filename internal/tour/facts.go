package tour

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// never is the value of a duration until something that did not happen.
const never = "never"

// Facts are the measurements of a run that conditions of answers may use:
//
//	<property>         its verdict: kept, broken or unknown
//	at-once            the largest number of clients inside at the same time
//	foreign-releases   how often a release removed the entry of another client that still needed it
//	not-held           how many releases found no entry of their own
//	refused            how many writes the fence refused
//	next-holder-after  time from the first fault to the next acquisition by another client, or never
func (p *Played) Facts() map[string]string {
	t := p.Timeline()
	facts := map[string]string{
		"at-once":           strconv.Itoa(t.MostInside()),
		"foreign-releases":  strconv.Itoa(p.Judgement.Finding(checker.OwnerOnlyReleaseID).Count),
		"not-held":          strconv.Itoa(t.Count(history.NotHeld)),
		"refused":           strconv.Itoa(t.Count(history.WriteRefused)),
		"next-holder-after": nextHolder(t),
	}
	for _, f := range p.Judgement.Findings {
		facts[f.Property] = string(f.Verdict)
	}
	return facts
}

// nextHolder is the time from the first fault to the next acquisition by a client that the fault
// did not hit. The probe is not part of the story and does not count.
func nextHolder(t *timeline.Timeline) string {
	began, hit := history.Instant(-1), history.NodeID(0)
	for _, e := range t.Each(history.FaultBegan, history.Acquired) {
		if e.Kind == history.FaultBegan && began < 0 {
			began, hit = e.At, e.Node
		}
		if e.Kind == history.Acquired && began >= 0 && e.Node != hit && t.Role(e.Node) == history.RoleClient {
			return e.At.Sub(began).String()
		}
	}
	return never
}

// Right returns the answers whose conditions hold, as indexes.
func (q *Question) Right(p *Played) ([]int, error) {
	facts := p.Facts()
	var right []int
	for i, a := range q.Answers {
		holds := len(a.When) > 0
		for name, condition := range a.When {
			value, ok := facts[name]
			if !ok {
				return nil, fmt.Errorf("there is no fact %q", name)
			}
			met, err := meets(value, condition)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			holds = holds && met
		}
		if holds {
			right = append(right, i)
		}
	}
	return right, nil
}

// meets compares a fact with a condition: "broken", "0", "> 0", "< 1s", "never".
func meets(value, condition string) (bool, error) {
	operator, operand, compared := strings.Cut(condition, " ")
	if !compared {
		return value == condition, nil
	}
	if value == never {
		return false, nil
	}
	have, err := amount(value)
	if err != nil {
		return false, err
	}
	want, err := amount(operand)
	if err != nil {
		return false, err
	}
	switch operator {
	case "<":
		return have < want, nil
	case ">":
		return have > want, nil
	case ">=":
		return have >= want, nil
	}
	return false, fmt.Errorf("unknown comparison %q", condition)
}

// amount reads a count or a duration.
func amount(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	d, err := time.ParseDuration(text)
	return int64(d), err
}
