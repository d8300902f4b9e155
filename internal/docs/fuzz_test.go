package docs

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
)

// Any content of measurements/matrix.json and measurements/worlds.json is refused with a reason, or
// gives pages without unsafe characters.
func FuzzMeasured(f *testing.F) {
	f.Add([]byte(`{"schema":1,"backend":"sim","seeds":20,"cells":[{"lock":"redlock","fault":"GP","letter":"V","runs":20,"rate":0.5,"rate_low":0.1,"rate_high":0.9,"note":"x"}]}`),
		[]byte(`{"schema":1,"backend":"process","scale_ppm":100000,"times":20,"cells":[{"lock":"redlock","fault":"GP","agreement":"agrees","script":"x","agreeing":1,"runs":[{"seed":1,"simulated":"V","real":"V","agreement":"agrees"}],"why":""}]}`))
	f.Add([]byte(`{"schema":1,"cells":[{"rate":1e308,"rate_low":-1e308}]}`), []byte(`{"schema":1,"scale_ppm":-1,"cells":[{"agreement":"differs"}]}`))
	f.Add([]byte(`{"schema":1,"cells":[{"lock":"redlock","fault":"GP","note":"\u202ex\u001b"}]}`),
		[]byte(`{"schema":1,"backend":"\u001b[31m","scale_ppm":1,"cells":[{"lock":"redlock","fault":"GP","why":"\u2066"}]}`))
	f.Add([]byte(`{`), []byte(`null`))
	f.Fuzz(func(t *testing.T, matrix, worlds []byte) {
		in := input()
		m, err := results.ReadMatrix(matrix)
		if err != nil && !strings.HasPrefix(err.Error(), "is no matrix: ") {
			t.Errorf("%q: %v", matrix, err)
		}
		in.Matrix = m
		c, err := results.ReadWorlds(worlds)
		if err != nil && !strings.HasPrefix(err.Error(), "is no comparison of worlds: ") {
			t.Errorf("%q: %v", worlds, err)
		}
		in.Worlds = c
		for _, p := range must.Get(Pages(in))(t) {
			if !utf8.Valid(p.Data) || bytes.ContainsAny(p.Data, "\x1b\x00\u202e\u2066\u200b") {
				t.Errorf("%s has unsafe characters: %q", p.Path, p.Data)
			}
		}
	})
}
