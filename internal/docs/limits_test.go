package docs

import (
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/must"
)

const limitsPage = "../../docs/limits.md"

// limitDirs are the folders of the packages that docs/limits.md names.
var limitDirs = map[string]string{
	"scenario": "internal/scenario", "plan": "internal/plan", "chaos": "internal/chaos", "sim": "internal/sim", "real": "internal/real",
	"checker": "internal/checker", "simulate": "cmd/simulate", "search": "internal/campaign/search", "explore": "internal/campaign/explore",
	"runstore": "internal/runstore", "history": "internal/history", "logcheck": "internal/logcheck", "logline": "internal/logcheck/logline", "talk": "internal/real/talk",
	"worker": "internal/real/worker",
}

var (
	limitRow = regexp.MustCompile("(?m)^\\| .* \\| ([\\d,]+)( MiB| KiB| GiB| h)? \\| `([a-z]+)\\.(\\w+)` \\|$")
	units    = map[string]int64{"": 1, " KiB": 1 << 10, " MiB": 1 << 20, " GiB": 1 << 30, " h": 3600e9}
)

// Each figure of the page is that of the code, and no limit of a scenario or a run is left out.
func TestTheLimitsAreThoseOfTheCode(t *testing.T) {
	page := must.Get(os.ReadFile(limitsPage))(t)
	playExamples(t, string(page), 1)
	rows := limitRow.FindAllStringSubmatch(string(page), -1)
	if all := strings.Count(string(page), "` |\n"); len(rows) != all || all < 40 {
		t.Fatalf("%d of %d rows can be read", len(rows), all)
	}
	named := map[string]bool{}
	known := map[string]map[string]int64{}
	for _, row := range rows {
		in, name := row[3], row[4]
		if known[in] == nil {
			known[in] = constantsOf(t, filepath.Join("../..", limitDirs[in]))
		}
		n := must.Get(strconv.ParseInt(strings.ReplaceAll(row[1], ",", ""), 10, 64))(t)
		if want, ok := known[in][name]; !ok || want != n*units[row[2]] {
			t.Errorf("%s.%s is %d in the code, and the page says %s%s", in, name, want, row[1], row[2])
		}
		named[in+"."+name] = true
	}
	// Limits of messages and of searches for names, not of a user's input.
	other := []string{
		"scenario.maxSlug", "scenario.maxShown", "scenario.maxExcerpt", "scenario.maxListed", "history.maxNanos", "chaos.mostLooks", "chaos.MostDrift",
	}
	for _, in := range []string{"scenario", "plan", "chaos", "history"} {
		for name := range known[in] {
			if !named[in+"."+name] && !slices.Contains(other, in+"."+name) {
				t.Errorf("%s.%s is on no row of docs/limits.md", in, name)
			}
		}
	}
}

// constantsOf are the limits among the constants of a package, by their names.
func constantsOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	bound := regexp.MustCompile(`(?m)^(?:const|\t) *((?:[mM]ax|[mM]ost)[A-Z]\w*)(?: +[\w.]+)? *=\s*(.+?)(?:\s+//.*)?$`)
	nanos := strings.NewReplacer("time.Hour", "3600000000000", "time.Minute", "60000000000", "time.Second", "1000000000", "time.Millisecond", "1000000")
	out := map[string]int64{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range bound.FindAllStringSubmatch(string(must.Get(os.ReadFile(file))(t)), -1) {
			value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, nanos.Replace(m[2]))
			if err != nil || value.Value == nil {
				continue // made of other constants
			}
			if n, exact := constant.Int64Val(value.Value); exact {
				out[m[1]] = n
			}
		}
	}
	return out
}
