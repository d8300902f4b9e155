package tidy

import (
	"go/ast"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says what each package may import of this module: itself, packages
// below it, and these. ARCHITECTURE.md says why (The rooms).
var layers = map[string][]string{
	"internal/history":    {},
	"internal/world":      {},
	"internal/timerwheel": {},
	"internal/say":        {},
	"internal/spread":     {},
	"internal/faults":     {"internal/say", "internal/spread"},
	"internal/locks":      {"internal/say", "internal/timerwheel", "internal/world"},
	// The code of locks that are libraries belongs to the live world and is near the
	// other locks only because their texts are read there.
	"internal/locks/libraries": {"internal/locks", "internal/world"},
	"internal/checker":         {"internal/history", "internal/say"},
	"internal/logcheck":        {"internal/history/jsonline", "internal/say"},
	"internal/plan":            {"internal/faults", "internal/history", "internal/locks", "internal/say", "internal/spread"},
	"internal/workload":        {"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/world"},
	"internal/resp":            {"internal/world"},
	// A test of somebody's own lock: goroutines, in the time of a bubble, on the simulated world.
	"internal/bubble": {
		"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/resp", "internal/sim", "internal/world",
	},
	"internal/bubble/libraries":  {}, // nothing but tests
	"internal/bubble/sqldriver":  {"internal/bubble", "internal/sim/sql", "internal/world"},
	"internal/bubble/etcdserver": {"internal/bubble", "internal/sim/etcd", "internal/world"},
	"internal/sim": {
		"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/workload", "internal/world",
	},
	"internal/real": {
		"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/resp", "internal/spread", "internal/workload", "internal/world",
	},
	"internal/chaos":           {"internal/faults", "internal/plan", "internal/sim/kernel", "internal/spread"},
	"internal/scenario":        {"internal/chaos", "internal/checker", "internal/faults", "internal/locks", "internal/plan", "internal/say", "internal/spread"},
	"internal/run":             {"internal/chaos", "internal/checker", "internal/history", "internal/locks", "internal/plan", "internal/say"},
	"internal/rate":            {},
	"internal/shard":           {},
	"internal/queue":           {"internal/shard"},
	"internal/queue/queuetest": {"internal/real/osproc"}, // servers for tests
	"internal/measured":        {},
	"internal/sweep":           {"internal/checker", "internal/plan", "internal/rate", "internal/run", "internal/shard"},
	"internal/search": {
		"internal/chaos", "internal/checker", "internal/explain", "internal/faults", "internal/history", "internal/plan",
		"internal/rate", "internal/run", "internal/say", "internal/scenario", "internal/shard", "internal/world",
	},
	"internal/matrix": {
		"internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/measured", "internal/plan", "internal/rate", "internal/run", "internal/say",
		"internal/scenario", "internal/shard", "internal/world",
	},
	"internal/explore": {
		"internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/measured", "internal/plan", "internal/run", "internal/say", "internal/scenario",
		"internal/shard",
	},
	"internal/worlds": {
		"internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/matrix", "internal/measured", "internal/plan", "internal/run", "internal/say", "internal/scenario",
	},
	"internal/claims": {
		"internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/run",
		"internal/say", "internal/scenario", "internal/shard", "internal/sim", "internal/timerwheel", "internal/world",
	},
	"scenarios":         {},
	"examples":          {},
	"docs":              {},
	"internal/glossary": {"internal/say"},
	"internal/tour": {
		"internal/checker", "internal/explain", "internal/faults", "internal/glossary", "internal/history", "internal/plan",
		"internal/report/bundle", "internal/run", "internal/say", "internal/scenario", "internal/shell", "internal/sim", "scenarios",
	},
	"internal/explain": {"internal/checker", "internal/history", "internal/plan", "internal/say", "internal/world"},
	"internal/shell":   {},
	// Reports are facts (bundle, compare), drawings of them, pages, and other forms of the facts.
	"internal/report/clean": {},
	"internal/report/bundle": {
		"internal/checker", "internal/explain", "internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/rate", "internal/report/clean",
		"internal/run", "internal/say", "internal/shell", "internal/sweep",
	},
	"internal/report/compare": {"internal/explain", "internal/history", "internal/report/bundle", "internal/report/clean", "internal/say"},
	"internal/report/axis":    {},
	"internal/report/figure":  {"internal/report/axis", "internal/checker", "internal/history", "internal/report/bundle", "internal/report/clean", "internal/say", "internal/sweep"},
	"internal/report/diagram": {
		"internal/checker", "internal/explain", "internal/history", "internal/report/axis", "internal/report/bundle", "internal/report/clean",
		"internal/plan", "internal/say", "internal/world",
	},
	"internal/report/page": {"internal/checker", "internal/report/bundle", "internal/report/figure", "internal/say"},
	"internal/report/runpage": {
		"internal/checker", "internal/explain", "internal/faults", "internal/glossary", "internal/history", "internal/locks", "internal/plan",
		"internal/report/bundle", "internal/report/clean", "internal/report/diagram", "internal/report/figure", "internal/report/page", "internal/say", "internal/shell",
	},
	"internal/report/comparepage": {
		"internal/history", "internal/report/bundle", "internal/report/clean", "internal/report/compare", "internal/report/diagram",
		"internal/report/figure", "internal/report/page", "internal/say",
	},
	"internal/report/matrixpage":  {"internal/checker", "internal/explain", "internal/history", "internal/report/clean", "internal/report/diagram", "internal/report/page", "internal/say"},
	"internal/report/sweeppage":   {"internal/report/bundle", "internal/report/clean", "internal/report/figure", "internal/report/page", "internal/say", "internal/sweep"},
	"internal/report/worldspage":  {"internal/checker", "internal/report/bundle", "internal/report/clean", "internal/report/figure", "internal/report/page", "internal/say", "internal/worlds"},
	"internal/report/explorepage": {"internal/locks", "internal/measured", "internal/report/clean", "internal/report/page", "internal/say", "internal/shell"},
	"internal/report/logpage":     {"internal/logcheck", "internal/report/axis", "internal/report/clean", "internal/report/figure", "internal/report/page", "internal/say"},
	"internal/report/indexpage":   {"internal/checker", "internal/history", "internal/report/clean", "internal/report/page", "internal/say"},
	"internal/report/export": {
		"internal/checker", "internal/explain", "internal/history", "internal/plan", "internal/rate", "internal/report/bundle", "internal/report/clean",
		"internal/report/compare", "internal/report/trace", "internal/run", "internal/say", "internal/search", "internal/sweep",
	},
	"internal/report/trace":       {"internal/checker", "internal/explain", "internal/history", "internal/report/bundle", "internal/report/clean", "internal/say", "internal/world"},
	"internal/report/terminal":    {"internal/checker", "internal/explain", "internal/history", "internal/plan", "internal/report/bundle", "internal/report/clean", "internal/report/compare", "internal/run", "internal/say", "internal/sweep"},
	"internal/report/reporttest":  {"internal/checker", "internal/history", "internal/locks"}, // helpers of tests, as are the next two
	"internal/report/bundletest":  {"internal/checker", "internal/explain", "internal/faults", "internal/history", "internal/plan", "internal/report/bundle", "internal/report/reporttest", "internal/say", "internal/sweep"},
	"internal/report/comparetest": {"internal/report/bundletest", "internal/report/compare"},
	"internal/report/forms": {
		"internal/report/bundle", "internal/report/clean", "internal/report/export", "internal/report/figure", "internal/report/runpage",
		"internal/report/trace", "internal/runstore", "internal/say",
	},
	"internal/runstore":  {},
	"internal/interrupt": {},
	"internal/rundir": {
		"internal/history", "internal/interrupt", "internal/locks", "internal/plan", "internal/report/clean", "internal/run", "internal/runstore", "internal/say", "internal/scenario",
	},
	"internal/serve": {},
	// The simulator behind a page, and the site around it.
	"internal/playground": {
		"internal/checker", "internal/explain", "internal/faults", "internal/history", "internal/plan", "internal/report/axis", "internal/report/bundle",
		"internal/report/clean", "internal/report/diagram", "internal/run", "internal/say", "internal/scenario", "internal/sim", "internal/world", "scenarios",
	},
	"internal/report/playpage": {
		"internal/locks", "internal/plan", "internal/playground", "internal/report/clean", "internal/report/diagram", "internal/report/page",
		"internal/say", "internal/scenario", "internal/tour", "scenarios",
	},
	"internal/site": {
		"internal/checker", "internal/explain", "internal/playground", "internal/report/bundle", "internal/report/clean", "internal/report/diagram",
		"internal/report/page", "internal/report/playpage", "internal/say", "internal/serve", "internal/tour",
	},
	"cmd/playground":       {"internal/playground"},
	"cmd/site":             {"internal/report/playpage", "internal/say", "internal/scenario", "internal/site", "internal/tour"},
	"internal/browser":     {}, // a helper of tests
	"internal/conformance": {}, // nothing but tests, of both worlds
	"internal/schema":      {"internal/checker", "internal/faults", "internal/locks", "internal/plan", "internal/report/export", "internal/say"},
	"internal/docs":        {"internal/measured", "internal/schema", "internal/shell", "internal/checker", "internal/explain", "internal/faults", "internal/locks", "internal/plan", "internal/say"},
	"internal/dist":        {},
	"internal/mutants":     {"internal/real"}, // to leave real servers out of the tests that it runs
	"internal/tidy":        {"internal/checker", "internal/faults", "internal/locks", "internal/plan", "internal/scenario"},
	"internal/seeded":      {},
	"cmd/simulate":         {"docs", "examples", "internal", "scenarios"},
	"locktest": {
		"internal/bubble", "internal/checker", "internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/report/bundle",
		"internal/report/export", "internal/report/runpage", "internal/report/terminal", "internal/run", "internal/rundir", "internal/runstore", "internal/say",
		"internal/scenario", "internal/shell", "internal/sim", "internal/world", "scenarios",
	},
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

// layerOf returns the innermost layer of a file.
func layerOf(s *source) (string, []string) {
	found := ""
	for layer := range layers {
		if s.under(layer) && len(layer) > len(found) {
			found = layer
		}
	}
	return found, layers[found]
}

func within(target string, layers []string) bool {
	for _, l := range layers {
		if target == l || strings.HasPrefix(target, l+"/") {
			return true
		}
	}
	return false
}

// The command line has flags, help, exit codes and calls. What a history tells is worked out in the
// packages below it, where every form of output finds it.
func TestTheCommandLineWorksOutNoFacts(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.dir != "cmd/simulate" {
			continue
		}
		if slices.Contains(s.imports(), "lockstep/internal/explain") {
			t.Errorf("%s tells a history itself: what it tells belongs to internal/report", s.path)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.IndexExpr); ok && selects(x.X, "Events") {
				t.Errorf("%s reads events: what it finds in them belongs to internal/report", s.path)
			}
			if x, ok := n.(*ast.RangeStmt); ok && selects(x.X, "Events") {
				t.Errorf("%s reads events: what it finds in them belongs to internal/report", s.path)
			}
			return true
		})
	}
}

// selects reports whether an expression is the field of that name of something.
func selects(e ast.Expr, field string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == field
}

// Client libraries and proxies belong to the live world: the simulator, the
// locks and the reports must build and run without them.
func TestLiveLibrariesStayInTheLiveWorld(t *testing.T) {
	live := []string{
		"github.com/redis/go-redis", "github.com/Shopify/toxiproxy", "github.com/testcontainers",
		"go.etcd.io/etcd", "github.com/go-zookeeper", "github.com/go-sql-driver", "net",
		"github.com/go-redsync", "github.com/bsm/redislock", "github.com/redis/rueidis",
		"lockstep/internal/locks/libraries", "github.com/nats-io",
	}
	for _, s := range sources(t) {
		// To show stored reports to a browser takes a server, too, and so does a queue.
		if s.test || s.under("internal/real", "internal/queue", "internal/serve", "internal/locks/libraries", "internal/bubble", "locktest") || s.path == "cmd/simulate/serve.go" {
			continue
		}
		for _, imported := range s.imports() {
			if imported == "net/url" {
				continue // texts only: it reaches nothing
			}
			for _, l := range live {
				if imported == l || strings.HasPrefix(imported, l+"/") {
					t.Errorf("%s imports %s, which belongs to internal/real", s.path, imported)
				}
			}
		}
	}
}

// What only -tags live and -tags queue need stays out of the plain program, whose first build a newcomer waits for.
func TestThePlainProgramHasNoQueueAndNoLiveWorld(t *testing.T) {
	deps := func(tags string) string {
		cmd := exec.Command("go", "list", "-deps", "-tags", tags, "./cmd/simulate")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, x := range []struct{ tag, needs string }{{"queue", "github.com/nats-io/"}, {"queue", "lockstep/internal/queue"}, {"live", "github.com/redis/go-redis/"}} {
		if strings.Contains(deps(""), x.needs) {
			t.Errorf("the plain program contains %s", x.needs)
		}
		if !strings.Contains(deps(x.tag), x.needs) {
			t.Errorf("with -tags %s the program does not contain %s: ask for what it needs today", x.tag, x.needs)
		}
	}
}
