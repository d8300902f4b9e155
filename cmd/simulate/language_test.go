package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// chineseStory breaks a property, keeps one, misses an expectation and has a fault that never
// fires.
const chineseStory = `scenario: 停顿
locks: [set-nx-lua, watchdog-lua, set-nx-incr-fence]
clients: [A, B, C]
lease: 10s
workload:
  repeat: 1 times
  work: 1s
faults:
- at: 1s
  pause: A
  for: 15s
- when: A has the reply of ZADD
  pause: A
  for: 1s
expect:
  set-nx-lua: {mutual-exclusion: kept, progress: broken}
`

// spoken returns the output of a command in Chinese, whatever its exit code.
func spoken(t *testing.T, args ...string) string {
	t.Helper()
	out, err := inProcess(append(args, "--lang", string(say.Chinese))...)
	if _, ok := ended(err); !ok {
		t.Fatalf("%q: %v", args, err)
	}
	return out
}

// quotedLine is a quoted line of a log, with its number.
var quotedLine = regexp.MustCompile(`^ {4}\d+: `)

// In Chinese a terminal shows no English but names, commands and paths.
func TestNoEnglishOnAChineseTerminal(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	story := filepath.Join(t.TempDir(), "story.yaml")
	quiet := filepath.Join(t.TempDir(), "quiet.yaml")
	writeIn(t, story, chineseStory)
	writeIn(t, quiet, "scenario: 安静\nlocks: [set-nx-lua]\nclients: [A, B]\n")
	latest := filepath.Join(store, "latest")
	look := func(args ...string) {
		text := spoken(t, args...)
		if !strings.ContainsAny(text, "守破未锁障符") {
			t.Errorf("%q says nothing in Chinese: %s", args, text)
		}
		for _, line := range strings.Split(text, "\n") {
			if words := foreign(line); len(words) > 0 && !quotedLine.MatchString(line) {
				t.Errorf("%s: %q in %s", args[0], words, line)
			}
		}
	}
	for _, args := range [][]string{
		{"run", story, "--out", store},
		{"run", story, "--out", store, "--times", "3"},
		{"run", story, quiet, "--out", store, "--quiet"},
		{"explain", latest},
		{"check", filepath.Join(latest, "history.jsonl")},
		{"report", "--replay", latest},
		{"report", latest, "--out", store},
		{"report", latest, "--out", store, "--quiet"},
	} {
		look(args...)
	}
	log := filepath.Join(t.TempDir(), "log.csv")
	writeIn(t, log, chineseLog)
	look("check", log, "--clock-error", "50ms", "--skip-invalid", "--out", store)
	look("matrix", "--lock", "set-nx-lua,watchdog-lua", "--fault", "N0,GP", "--seeds", "2", "--out", store)
	runs, err := filepath.Glob(filepath.Join(store, "story", "2*"))
	if err != nil || len(runs) < 2 {
		t.Fatalf("no runs of the story: %v", err)
	}
	look("report", runs[0], runs[1], "--out", store)
	look("search", "mixed", "--lock", "set-nx-lua", "--out", store)
	look("search", quiet, "--seeds", "2", "--out", store)
}

// Outputs with many names contain no English sentence.
func TestNoEnglishSentencesOnAChineseTerminal(t *testing.T) {
	out := t.TempDir()
	for _, args := range [][]string{
		{"list", "locks"}, {"list", "bugs"}, {"list", "faults"}, {"list", "properties"}, {"list", "scenarios"},
		{"dev", "claims", "--claim", "1,31,36,51"},
		{"advise", "--have", "redis", "--if-two", "damage", "--tokens", "no"}, {"advise", "--have", "object-store", "--if-two", "nothing"},
		{"advise", "--out", out}, {"advise", "--expect", "pause,fail-over", "--out", out},
		{"explore", "set-nx-lua", "--only", "pause", "--out", out},
		{"sweep", "pause-against-lease", "--seeds", "1", "--out", out},
		{"matrix", "--lock", "redlock", "--scripts", "--out", out},
		{"run", "pause-past-lease", "--quiet", "--lock", "set-nx-lua", "--out", out}, {"run", "pause-past-lease", "--quiet", "--lock", "set-nx-lua", "--out", out},
		{"list", "runs", "--prune-to", "1GiB", "--out", out}, {"list", "runs", "--prune-to", "0", "--out", out}, {"list", "runs", "--prune-to", "0", "--yes", "--out", out},
	} {
		text := spoken(t, args...)
		if !strings.ContainsFunc(text, isHan) {
			t.Errorf("%q says nothing in Chinese: %s", args, text)
		}
		for line := range strings.Lines(text) {
			if left := reporttest.EnglishRuns(line); len(left) > 0 && !strings.Contains(line, "simulate ") {
				t.Errorf("%q: %q in %s", args, left, line)
			}
		}
	}
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// chineseLog has a violation of each sort, an invalid line, one out of order, and a cut end.
const chineseLog = `time,client,lock,event,token
2026-03-01T10:00:00Z,A,任务,acquired,1
2026-03-01T10:00:02Z,B,任务,acquired,2
2026-03-01T10:00:01Z,B,任务,waiting,
2026-03-01T10:00:03Z,A,任务,write,1
?
2026-03-01T10:00:04Z,A,任务,released,
2026-03-01T10:00:05Z,B,任务,released,
2026-03-01T10:00:05Z,B,任务,released,
2026-03-01T10:00:05.02Z,C,任务,acquired,3
2026-03-01T10:00:20Z,A,任务,acquired,4
2026-03-01T10:00:21Z,A,任务,re`

// latinNames are signs, worlds, properties (the second halves of those that a table breaks),
// stores, scripts of locks, and the stories of the test.
var latinNames = strings.Fields("x v sim seed lag progress exclusion release write update unlock story quiet Redis")

var latinWord = regexp.MustCompile(`[-\w./]*[A-Za-z][-\w./]*`)

// foreign are the English words of a line.
func foreign(line string) []string {
	if strings.Contains(line, " simulate ") { // a command to copy
		return nil
	}
	return slices.DeleteFunc(latinWord.FindAllString(line, -1), func(word string) bool {
		return strings.ContainsAny(word, "-./0123456789") || word == strings.ToUpper(word) ||
			slices.Contains(latinNames, word)
	})
}
