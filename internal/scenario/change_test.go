package scenario

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/plan"
)

const toChange = `scenario: x
locks: [set-nx-lua, redisson-3.12.3]
workload: {work: 1s}
faults:
  - {when: A enters, pause: A, for: 15s}
  - {at: 3s, crash: B}
expect:
  redisson-3.12.3: {progress: kept}
`

func parseChanged(t *testing.T, changes ...string) (*plan.Plan, error) {
	t.Helper()
	var all []Change
	for _, text := range changes {
		c, err := ParseChange(text)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return Parse("x.yaml", []byte(toChange), all...)
}

func TestAChangeStandsInPlaceOfWhatTheFileSays(t *testing.T) {
	for change, is := range map[string]func(*plan.Plan) bool{
		"lease=30s":                                func(p *plan.Plan) bool { return p.Lease == 30*time.Second },
		"workload.work=5s..20s":                    func(p *plan.Plan) bool { return p.Workload.Work.Max == 20*time.Second },
		"workload.repeat=3 times":                  func(p *plan.Plan) bool { return p.Workload.Repeat == 3 && p.Workload.Work.Max == time.Second },
		"servers.redis.replicas=2":                 func(p *plan.Plan) bool { return p.Redis.Replicas == 2 },
		"network={latency: 5ms}":                   func(p *plan.Plan) bool { return p.Network.Latency.Max == 5*time.Millisecond },
		"faults.1.for=3s":                          func(p *plan.Plan) bool { return p.Faults[0].End.For == 3*time.Second },
		"faults.2={at: 3s, pause: B, for: 1s}":     func(p *plan.Plan) bool { return p.Faults[1].Verb.Name() == "pause" },
		"faults=[]":                                func(p *plan.Plan) bool { return len(p.Faults) == 0 },
		"expect=anything":                          func(p *plan.Plan) bool { return p.Expect[0].Verdict == plan.Anything },
		"expect.redisson-3.12.3.progress=broken":   func(p *plan.Plan) bool { return p.Expect[0].Verdict == "broken" },
		"expect.set-nx-lua={progress: kept}":       func(p *plan.Plan) bool { return len(p.Expect) == 2 },
		"chaos={pick from: [pause], every: 500ms}": nil, // both lists and chaos
	} {
		p, err := parseChanged(t, change)
		switch {
		case is == nil && err == nil:
			t.Errorf("%s is taken", change)
		case is == nil:
		case err != nil:
			t.Errorf("%s: %v", change, err)
		case !is(p):
			t.Errorf("%s changes something else", change)
		case p.Changes[0] != change:
			t.Errorf("the plan says that %s was changed", p.Changes[0])
		}
	}
}

func TestAWrongChangeIsNamed(t *testing.T) {
	for change, want := range map[string]string{
		"leas=3s":            `--set leas=3s  unknown key "leas" in a scenario: did you mean "lease"?`,
		"lease=3":            `--set lease=3  "3" has no unit: write 3s or 3ms`,
		"lease=[":            `--set lease=[  not valid YAML: the list is never closed; add ]`,
		"faults.3.for=3s":    `--set faults.3.for=3s  there is no number "3" in this list of 2: count from 1`,
		"workload.slack=1s":  `--set workload.slack=1s  unknown key "slack" in workload`,
		"servers.redis=fast": `--set servers.redis=fast  redis must be keys with values`,
		"lease":              `--set "lease" does not say what to set to what`,
		"=3s":                `--set "=3s" does not say what to set to what`,
	} {
		_, err := parseChanged(t, change)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", change, err, want)
		}
	}
}
