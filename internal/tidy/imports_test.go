package tidy

import (
	"go/ast"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// rule says what some packages, with all below them, may import of this module. A package that no
// rule names may import what it likes: Go itself refuses cycles.
type rule struct {
	packages []string
	alone    []string // packages without those below them
	only     []string // besides themselves; with all below them
	never    []string // where there is no only
	why      string
}

var measuring = []string{"internal/campaign/search", "internal/campaign/sweep", "internal/campaign/matrix", "internal/campaign/explore", "internal/campaign/crosscheck", "internal/campaign/claims", "internal/tour"}

// ARCHITECTURE.md lists the packages in layers.
var rules = []rule{
	{
		packages: []string{
			"internal/each", "internal/history", "internal/locks/timerwheel", "internal/say", "internal/rng/spread", "internal/rng", "internal/rate",
			"internal/shell", "internal/interrupt", "internal/serve", "internal/bubble/seeded", "internal/report/sanitize", "internal/report/axis",
		},
		alone: []string{"internal/campaign"},
		why:   "it is the ground floor, on which everything else stands",
	},
	{packages: []string{"internal/ports"}, only: []string{"internal/history"}, why: "a request says what it is, and nothing more of what plays it"},
	{packages: []string{"internal/faults"}, only: []string{"internal/history", "internal/say", "internal/rng/spread"}, why: "a fault acts on a world by its interface"},
	{packages: []string{"internal/locks"}, only: []string{"internal/say", "internal/store", "internal/locks/timerwheel", "internal/ports"}, why: "a lock knows its ports, and not which world plays it"},
	{packages: []string{"internal/plan"}, only: []string{"internal/faults", "internal/history", "internal/locks", "internal/say", "internal/rng/spread", "internal/store"}, why: "a plan says what is played, and not how"},
	{packages: []string{"internal/checker"}, only: []string{"internal/faults", "internal/history", "internal/say"}, why: "a verdict rests on the history alone, not on its source"},
	{packages: []string{"internal/logcheck"}, only: []string{"internal/history/jsonline", "internal/say"}, why: "it judges logs that this program did not write"},
	{
		packages: []string{"internal/workload", "internal/sim", "internal/real"},
		only: []string{
			"internal/faults", "internal/history", "internal/locks", "internal/plan", "internal/store/redis/resp", "internal/rng", "internal/rng/spread", "internal/store", "internal/workload", "internal/ports",
		},
		why: "a world plays, and knows nothing of verdicts and reports",
	},
	{packages: []string{"internal/store"}, only: []string{"internal/history", "internal/say", "internal/ports"}, why: "a store knows its requests and its model, and no world that plays them"},
	{packages: []string{"internal/sim"}, never: []string{"internal/real", "internal/locks/libraries"}, why: "the simulator needs nothing installed"},
	{packages: []string{"internal/explain"}, only: []string{"internal/checker", "internal/faults", "internal/history", "internal/plan", "internal/say", "internal/timeline"}, why: "it tells what is in a history"},
	{packages: []string{"internal/timeline"}, only: []string{"internal/history"}, why: "it is an account of the history alone"},
	{packages: measuring, never: []string{"internal/report/runpage", "internal/report/page", "internal/report/terminal", "internal/report/export", "internal/real"}, why: "it measures, and others show"},
	{packages: []string{"internal/report"}, never: []string{"internal/real", "internal/runstore", "internal/campaign/matrix", "internal/campaign/explore", "internal/campaign/claims"}, why: "a report is made of facts that others have worked out"},
	{packages: []string{"internal/campaign/advice"}, only: []string{"internal/each", "internal/locks", "internal/campaign/faultkind", "internal/campaign/results", "internal/checker", "internal/say", "internal/store"}, why: "terminal and page show the same answer, and neither works it out"},
	{packages: []string{"internal", "locktest", "scenarios", "measurements", "examples"}, never: []string{"cmd"}, why: "the command line is on top"},
}

func TestImportsKeepTheRules(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		for dir := s.dir; dir != "."; dir = path.Dir(dir) {
			seen[dir] = true
		}
		if s.test {
			continue // a test may use whatever it needs to look at its subject from outside
		}
		for _, imported := range s.imports() {
			target, ours := strings.CutPrefix(imported, "lockstep/")
			for i := range rules {
				if ours && rules[i].refuses(&s, target) {
					t.Errorf("%s imports %s: %s", s.path, target, rules[i].why)
				}
			}
		}
	}
	for i := range rules {
		for _, p := range slices.Concat(rules[i].packages, rules[i].alone, rules[i].only, rules[i].never) {
			if !seen[p] {
				t.Errorf("a rule names %s, and there is no such package", p)
			}
		}
	}
}

func (r *rule) refuses(s *source, target string) bool {
	switch {
	case !s.under(r.packages...) && !slices.Contains(r.alone, s.dir) || s.under("internal/locks/libraries") || s.live():
		return false
	case r.never != nil:
		return within(target, r.never)
	}
	return !within(target, r.only) && !within(target, r.packages)
}

// Rules refuse what they name and nothing else.
func TestARuleRefuses(t *testing.T) {
	r := &rule{packages: []string{"internal/checker"}, only: []string{"internal/history"}}
	n := &rule{packages: []string{"internal"}, never: []string{"cmd"}}
	a := &rule{alone: []string{"internal/campaign"}}
	for _, tt := range []struct {
		rule        *rule
		dir, target string
		want        bool
	}{
		{r, "internal/checker", "internal/sim", true},
		{r, "internal/checker/deep", "internal/historyofall", true},
		{r, "internal/checker", "internal/history/jsonline", false},
		{r, "internal/checker", "internal/checker/deep", false},
		{r, "internal/sim", "internal/real", false},
		{n, "internal/sim", "cmd/simulate", true},
		{n, "internal/sim", "internal/real", false},
		{a, "internal/campaign", "internal/campaign/search", true},
		{a, "internal/campaign/search", "internal/campaign", false},
	} {
		must.Equalf(t, tt.rule.refuses(&source{dir: tt.dir}, tt.target), tt.want,
			"%s imports %s: refused", tt.dir, tt.target)
	}
}

// The command line has flags, help, exit codes and calls. Facts about a history are worked out in
// the packages below it, where every form of output finds them.
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
		if s.test || s.under("internal/real", "internal/campaign/queue", "internal/serve", "internal/locks/libraries", "internal/bubble", "locktest") || s.live() || s.path == "cmd/simulate/serve.go" {
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

// The plain program, whose first build a newcomer waits for, has nothing that only -tags live and
// -tags queue need.
func TestThePlainProgramHasNoQueueAndNoLiveWorld(t *testing.T) {
	deps := func(tags string) string {
		cmd := exec.Command("go", "list", "-deps", "-tags", tags, "./cmd/simulate")
		cmd.Dir = root
		return string(must.Get(cmd.Output())(t))
	}
	for _, x := range []struct{ tag, needs string }{{"queue", "github.com/nats-io/"}, {"queue", "lockstep/internal/campaign/queue"}, {"live", "github.com/redis/go-redis/"}} {
		if strings.Contains(deps(""), x.needs) {
			t.Errorf("the plain program contains %s", x.needs)
		}
		if !strings.Contains(deps(x.tag), x.needs) {
			t.Errorf("with -tags %s the program does not contain %s: ask for what it needs today", x.tag, x.needs)
		}
	}
}
