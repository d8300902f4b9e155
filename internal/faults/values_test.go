package faults_test

import (
	"encoding/json"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// A stored history may have any values: each verb can be told with missing and with wrong
// arguments.
func TestHostileValuesAreTold(t *testing.T) {
	for _, s := range faults.All() {
		for _, rest := range []string{
			``, `,"value":"\u202e\u0000{x}"`, `,"sides":[[],[]]`, `,"sides":[["A"]]`, `,"sides":[null,["{"]]`, `,"choices":{"half":"","x":"y"}`,
			`,"durations_ns":{"by":-9223372036854775808},"rates_ppm":{"by":-1}`, `,"when":{"moment":"enters","subject":"","nth":-1,"round":-3}`,
			`,"when":{"at_ns":-5,"every_ns":-1}`, `,"end":{"for_ns":-1}`, `,"end":{"until":{"at_ns":3}}`, `,"end":{"until":{"moment":"wakes"}}`, `,"end":{"until":null,"forever":true}`,
		} {
			values := history.Values(`{"verb":"` + s.Name + `"` + rest + `}`)
			if !json.Valid([]byte(values)) {
				t.Fatalf("no JSON: %s", values)
			}
			for _, l := range []say.Language{say.English, say.Chinese} {
				if told := faults.Told(values, "its text").In(l); strings.TrimSpace(told) == "" {
					t.Errorf("%s: nothing is told in %s", values, l)
				}
				if f, ok := faults.Of(values); ok {
					_ = f.Deed().In(l)
				}
			}
		}
	}
}
