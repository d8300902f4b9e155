package tidy

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/store"
)

// The price of a store, measured with an existing one: everything of NATS JetStream, its lock and
// its live half included, and the mentions elsewhere. What a store can do without is not counted:
// the door for its client library, locktest/natstest, and the reading of programs' requests.
func TestThePriceOfAStoreThatIsThere(t *testing.T) {
	const most, mostLines = 8, 691 // its page in Chinese is a document besides
	parts := []string{
		"internal/store/nats/*.go", "internal/store/nats/live/*.go", "internal/locks/nats_kv.go", "internal/locks/testdata/wire/nats-kv.txt",
		"scenarios/*/nats-*.yaml",
	}
	var files []string
	lines := 0
	for _, part := range parts {
		found, err := filepath.Glob(filepath.Join(root, part))
		if err != nil || len(found) == 0 {
			t.Fatalf("nothing is at %s (%v)", part, err)
		}
		for _, path := range found {
			if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "removals.go" {
				continue
			}
			text := must.Get(os.ReadFile(path))(t)
			files = append(files, path)
			if strings.HasSuffix(path, ".go") {
				lines += strings.Count(string(text), "\n")
			}
		}
	}
	t.Logf("%d files with %d lines of Go", len(files), lines)
	if len(files) > most || lines > mostLines {
		t.Errorf("a store is %d files with %d lines, at most %d and %d: %s", len(files), lines, most, mostLines, strings.Join(files, " "))
	}
}

// mayNameStores are the files outside of a store's folder and its locks that name one, each with
// its reason. Redis is left out: its servers are the simulator's own, with sentinels and shards
// that a scenario sets up.
var mayNameStores = []struct{ under, why string }{
	{"internal/store", "their folders, and the registration of their live halves"},
	{"internal/locks", "a lock names its store"},
	{"internal/real/programs", "how programs are installed"},
	{"locktest", "one package for each client library"},
	{"internal/say", "words about scopes, and of the pages about documents"},
	{"internal/campaign/claims", "what documents claim of one store"},
	{"internal/campaign/queue", "the queue of work, on NATS"},
	{"cmd/simulate/queue.go", "the queue of work"}, {"cmd/simulate/shards.go", "the queue of work"}, {"cmd/simulate/merge.go", "the queue of work"},
	{"cmd/simulate/advise.go", "examples in its help"}, {"cmd/simulate/newadapter.go", "adapters that people begin with"},
	{"internal/campaign/explore/result.go", "the scope of stored results, which is compared word by word"},
	{"internal/campaign/explore/profiles.go", "the same"},
	{"internal/report/playpage", "locks that the page suggests"},
	{"internal/campaign/advice/rules.go", "what comes nearest to a store that is not there"},
}

// namesOfStores are the words by which any store but Redis can be known.
var namesOfStores = func() *regexp.Regexp {
	words := []string{"mariadb"}
	for _, s := range store.All() {
		if s.New != nil {
			words = append(words, string(s.ID), s.Title, `\b`+s.Node+`\b`)
		}
	}
	return regexp.MustCompile("(?i)" + strings.Join(words, "|"))
}()

// What is asked of a store elsewhere is for its description to say (store.Store, livestore.Driver).
func TestAStoreIsNamedInItsFolder(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		allowed := ""
		for _, may := range mayNameStores {
			if s.path == may.under || s.under(may.under) {
				allowed = may.under
			}
		}
		named := func(n ast.Node, text string) {
			switch {
			case !namesOfStores.MatchString(text):
			case allowed != "":
				used[allowed] = true
			default:
				t.Errorf("%s names a store (%s): what is asked there is for its description to say", s.at(n), text)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				named(n, n.Name)
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					named(n, n.Value)
				}
			}
			return true
		})
	}
	for _, may := range mayNameStores {
		if !used[may.under] {
			t.Errorf("%s names no store any more: take it off the list", may.under)
		}
	}
}
