package tidy

import (
	"strings"
	"testing"
)

// layers says what each package may import of this module: itself, packages
// below it, and these. ARCHITECTURE.md argues for them.
var layers = map[string][]string{
	"internal/history":    {},
	"internal/world":      {},
	"internal/timerwheel": {},
	"internal/faults":     {},
	"internal/locks":      {"internal/world", "internal/history", "internal/timerwheel"},
	"internal/checker":    {"internal/history"},
	"internal/plan":       {"internal/faults", "internal/history"},
	"internal/workload":   {"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/world"},
	"internal/sim": {
		"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/workload", "internal/world",
	},
	"internal/real": {
		"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/workload", "internal/world",
	},
	"internal/scenario": {"internal/checker", "internal/faults", "internal/locks", "internal/plan"},
	"internal/run":      {"internal/checker", "internal/history", "internal/locks", "internal/plan"},
	"internal/matrix": {
		"internal/checker", "internal/history", "internal/locks", "internal/plan", "internal/run", "internal/scenario",
	},
	"internal/claims": {
		"internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/run",
		"internal/scenario", "internal/sim", "internal/timerwheel", "internal/world",
	},
	"scenarios":         {},
	"internal/glossary": {},
	"internal/tour": {
		"internal/checker", "internal/explain", "internal/faults", "internal/glossary", "internal/history", "internal/plan",
		"internal/run", "internal/scenario", "internal/sim", "scenarios",
	},
	"internal/explain":  {"internal/checker", "internal/history", "internal/plan"},
	"internal/report":   {"internal/checker", "internal/explain", "internal/history", "internal/plan", "internal/locks", "internal/faults", "internal/glossary"},
	"internal/runstore": {},
	"internal/browser":  {}, // a helper of tests
	"internal/schema":   {"internal/checker", "internal/faults", "internal/locks", "internal/plan"},
	"internal/docs":     {"internal/checker", "internal/faults", "internal/locks", "internal/plan"},
	"internal/tidy":     {"internal/checker", "internal/faults", "internal/locks", "internal/plan", "internal/scenario"},
	"cmd/simulate":      {"internal"},
}

func TestImportsPointDownwards(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue // a test may use whatever it needs to look at its subject from outside
		}
		layer, allowed := layerOf(&s)
		if layer == "" {
			t.Errorf("%s: package %s has no place in the layers: give it one in %s and say why in ARCHITECTURE.md", s.path, s.dir, "internal/tidy/imports_test.go")
			continue
		}
		for _, imported := range s.imports() {
			target, ours := strings.CutPrefix(imported, "lockstep/")
			if ours && !within(target, append(allowed, layer)) {
				t.Errorf("%s imports %s: %s may import %v only", s.path, target, layer, allowed)
			}
		}
	}
}

func layerOf(s *source) (string, []string) {
	for layer, allowed := range layers {
		if s.under(layer) {
			return layer, allowed
		}
	}
	return "", nil
}

func within(target string, layers []string) bool {
	for _, l := range layers {
		if target == l || strings.HasPrefix(target, l+"/") {
			return true
		}
	}
	return false
}

// Client libraries and proxies belong to the live world: the simulator, the
// locks and the reports must build and run without them.
func TestLiveLibrariesStayInTheLiveWorld(t *testing.T) {
	live := []string{
		"github.com/redis/go-redis", "github.com/Shopify/toxiproxy", "github.com/testcontainers",
		"go.etcd.io/etcd", "github.com/go-zookeeper", "github.com/go-sql-driver", "net",
	}
	for _, s := range sources(t) {
		if s.test || s.under("internal/real") {
			continue
		}
		for _, imported := range s.imports() {
			for _, l := range live {
				if imported == l || strings.HasPrefix(imported, l+"/") {
					t.Errorf("%s imports %s, which belongs to internal/real", s.path, imported)
				}
			}
		}
	}
}
