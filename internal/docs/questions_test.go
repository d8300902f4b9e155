package docs

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

const (
	questionsPage  = "../../docs/questions.md"
	questionsFile  = "../../measurements/questions.json"
	questionsSeeds = 200
)

// questions has the figures of each row of docs/questions.md, in their order: a lock and a
// property.
var questions = map[string][]string{
	"gc-pauses-against-a-lease":       {"set-nx-lua mutual-exclusion", "watchdog-lua mutual-exclusion", "redisson mutual-exclusion"},
	"sentinel-with-a-lag":             {"set-nx-lua mutual-exclusion", "redisson mutual-exclusion", "set-wait mutual-exclusion"},
	"sentinel-with-one-replica":       {"set-nx-lua mutual-exclusion", "set-wait mutual-exclusion", "set-wait progress"},
	"redlock-with-one-stepping-clock": {"redlock mutual-exclusion", "redlock-extend mutual-exclusion"},
	"cron-on-200-machines":            {"setnx-expire progress", "set-nx-lua progress"},
	"payments-behind-a-mysql-fence":   {"mysql-unique-ttl mutual-exclusion", "mysql-unique-ttl no-lost-update"},
	"etcd-client-paused-for-12s":      {"etcd-mutex mutual-exclusion", "etcd-mutex no-lost-update", "redisson mutual-exclusion", "redisson no-lost-update"},
	"short-and-long-jobs":             {"set-nx-lua mutual-exclusion", "watchdog-lua mutual-exclusion"},
	"deploy-restarts-everybody":       {"setnx mutual-exclusion", "watchdog-lua mutual-exclusion", "setnx progress"},
	"orders-and-stock-share-a-redis":  {"set-nx-lua@orders mutual-exclusion", "set-nx-lua@stock mutual-exclusion"},
}

// broke has the seeds that broke a property, by story, and by lock and property.
type broke map[string]map[string][]uint64

func questionOf(t *testing.T, name string) *plan.Plan {
	t.Helper()
	return scenariotest.Load(t, "../../scenarios/questions/"+name+".yaml")
}

// breaks plays a seed of a story with one lock.
func breaks(t *testing.T, name, figure string, seed uint64) bool {
	t.Helper()
	lock, property, _ := strings.Cut(figure, " ")
	p := questionOf(t, name)
	p.PlayOnly([]string{lock})
	j := &reporttest.Play(t, p, seed).Outcomes[0].Judgement
	f := j.Finding(property)
	if f.Verdict == checker.Unknown && j.CutShort {
		t.Errorf("%s, %s, seed %d: %s", name, figure, seed, f.Reason.English())
	}
	return f.Verdict == checker.Broken
}

func playQuestions(t *testing.T) {
	all := broke{}
	for name, figures := range questions {
		all[name] = map[string][]uint64{}
		for _, figure := range figures {
			seeds := []uint64{}
			for seed := uint64(1); seed <= questionsSeeds; seed++ {
				if breaks(t, name, figure, seed) {
					seeds = append(seeds, seed)
				}
			}
			all[name][figure] = seeds
		}
	}
	data := must.Get(json.MarshalIndent(all, "", " "))(t)
	data = regexp.MustCompile(`\n {3,}|\n +(\])`).ReplaceAll(data, []byte("$1")) // a line for each figure
	must.Do(t, os.WriteFile(questionsFile, append(data, '\n'), 0o644))
}

// The figures of docs/questions.md are those of the stored seeds, and a sample of
// them, with and without a violation, has the same result when played again.
func TestTheFiguresOfTheQuestions(t *testing.T) {
	if *reporttest.Update { // play all seeds
		playQuestions(t)
	}
	data := must.Get(os.ReadFile(questionsFile))(t)
	var all broke
	must.Do(t, json.Unmarshal(data, &all))
	page := must.Get(os.ReadFile(questionsPage))(t)
	stories, err := os.ReadDir("../../scenarios/questions")
	if err != nil || len(stories) != len(questions) || len(all) != len(questions) {
		t.Fatalf("%d stories, %d rows, %d stored: %v", len(stories), len(questions), len(all), err)
	}
	figure := regexp.MustCompile(`\d[\d.]* % \([^()]* to [^()]*\)|0 of 200`)
	for name, figures := range questions {
		row := regexp.MustCompile(`(?m)^\| \[[^\]]*\]\(../scenarios/questions/` + name + `.yaml\) \|(.*)$`).FindSubmatch(page)
		if row == nil {
			t.Errorf("%s has no row", name)
			continue
		}
		var want []string
		for _, f := range figures {
			seeds, ok := all[name][f]
			if !ok {
				t.Fatalf("%s: %s is not stored: go test ./internal/docs -run Questions -update", name, f)
			}
			want = append(want, rateText(len(seeds)))
			for _, seed := range some(seeds) {
				if got := breaks(t, name, f, seed); got != slices.Contains(seeds, seed) {
					t.Errorf("%s: %s with seed %d: broken is %v", name, f, seed, got)
				}
			}
		}
		// What two locks have in common is said once.
		if got := figure.FindAllString(string(row[1]), -1); !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s says %q, and it is %q", name, got, slices.Compact(want))
		}
	}
}

func rateText(broken int) string {
	if broken == 0 {
		return "0 of 200"
	}
	low, high := rate.Wilson(broken, questionsSeeds)
	return rate.Percent(rate.Of(broken, questionsSeeds)) + " (" + rate.Percent(low) + " to " + rate.Percent(high) + ")"
}

// some are the first two seeds that broke it and the first two that did not.
func some(broken []uint64) (seeds []uint64) {
	seeds = slices.Clone(broken[:min(2, len(broken))])
	for seed, kept := uint64(1), 0; seed <= questionsSeeds && kept < 2; seed++ {
		if !slices.Contains(broken, seed) {
			seeds, kept = append(seeds, seed), kept+1
		}
	}
	return seeds
}

// A title names as many replicas as its file has.
func TestTheTitlesOfTheQuestionsCountTheirReplicas(t *testing.T) {
	page := must.Get(os.ReadFile(questionsPage))(t)
	counts, found := map[string]int{"a": 1, "one": 1, "two": 2, "three": 3}, 0
	for name := range questions {
		p := questionOf(t, name)
		row := regexp.MustCompile(`(?m)^\| \[([^\]]*)\]\(../scenarios/questions/` + name + `.yaml\)`).FindSubmatch(page)
		if row == nil {
			t.Fatalf("%s has no row", name)
		}
		for _, title := range []string{p.Name, string(row[1])} {
			said := regexp.MustCompile(`\b(\w+) replicas?\b`).FindStringSubmatch(title)
			if said == nil {
				continue
			}
			if found++; counts[said[1]] != p.Redis.Replicas {
				t.Errorf("%q, and %s has %d", title, name, p.Redis.Replicas)
			}
		}
	}
	if found < 4 {
		t.Errorf("%d titles speak of replicas", found)
	}
}
