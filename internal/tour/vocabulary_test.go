package tour

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/glossary"
	"lockstep/internal/say"
)

// shownTo returns what a learner reads, page by page, in a language.
func shownTo(t *testing.T, language say.Language) map[string]string {
	t.Helper()
	o := &Options{Language: language, Seed: 1, Width: 80}
	shown := map[string]string{}
	for _, l := range allLessons(t) {
		s := must.Get(perform(context.Background(), l, o.Seed))(t)
		text := ""
		for _, k := range pagesOf(o) {
			c := newCanvas(o)
			s.write(c, k, 1)
			text += c.text()
		}
		shown[l.Name] = text
	}
	c := newCanvas(o)
	(&session{o: o, lessons: allLessons(t)}).list(c)
	shown["list"] = c.text()
	return shown
}

// plainWords are the words that need no explanation for a reader who knows Redis.
func plainWords(t *testing.T) map[string]bool {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/plain_words.txt"))(t)
	known := map[string]bool{}
	for _, line := range strings.Split(string(data), "\n") {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				known[w] = true
			}
		}
	}
	return known
}

// Every word that a learner meets is in the glossary, or listed as one that
// needs no explanation. This holds for the lessons and for the sentences of the runs.
func TestEveryWordIsPlainOrExplained(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z]+(?:[-'][A-Za-z]+)*`)
	names := regexp.MustCompile(`\b(?:redis|etcd|zk|consul)-[0-9]\b|\b[a-z]+(?:-[a-z]+){1,}\b`) // servers, locks
	plain := plainWords(t)
	met := map[string]bool{}
	for lesson, text := range shownTo(t, say.English) {
		rest := names.ReplaceAllString(unknown(say.English, text), " ")
		for _, w := range word.FindAllString(rest, -1) {
			w = strings.ToLower(strings.TrimSuffix(w, "'s"))
			met[w] = true
			if !plain[w] {
				t.Errorf("lesson %s: is %q a word of the field? Then it belongs into the glossary, else into testdata/plain_words.txt", lesson, w)
			}
		}
	}
	var unused []string
	for w := range plain {
		if !met[w] {
			unused = append(unused, w)
		}
	}
	slices.Sort(unused)
	if len(unused) > 0 {
		t.Errorf("testdata/plain_words.txt has words that no lesson uses: %s", strings.Join(unused, " "))
	}
}

// The Chinese lessons have only names, commands and input in Latin letters.
func TestChineseIsChinese(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z]+(?:[-_][A-Za-z0-9]+)*`)
	known := map[string]bool{}
	for _, w := range strings.Fields("A B C v x seed SET GET DEL EXPIRE renew Redis Enter none writes reads and Go") {
		known[w] = true
	}
	for _, l := range allLessons(t) {
		for _, r := range []*Run{&l.Run, &l.Switch.Run} {
			known[r.Lock], known[r.Scenario] = true, true
		}
	}
	server := regexp.MustCompile(`^(redis|etcd|zk)-[0-9]$`)
	for lesson, text := range shownTo(t, say.Chinese) {
		for _, w := range word.FindAllString(unknown(say.Chinese, text), -1) {
			if !known[w] && !server.MatchString(w) {
				t.Errorf("lesson %s: %q stays English", lesson, w)
			}
		}
	}
}

// A lesson explains the same terms in both languages.
func TestBothLanguagesUseTheSameTerms(t *testing.T) {
	english, chinese := shownTo(t, say.English), shownTo(t, say.Chinese)
	for lesson := range english {
		if en, zh := idsOf(say.English, english[lesson]), idsOf(say.Chinese, chinese[lesson]); !slices.Equal(en, zh) {
			t.Errorf("lesson %s: in English\n%v, in Chinese\n%v", lesson, en, zh)
		}
	}
}

func idsOf(l say.Language, text string) (ids []string) {
	for _, term := range glossary.Find(l, text) {
		ids = append(ids, term.ID)
	}
	slices.Sort(ids)
	return ids
}

// unknown is a text without the terms of the glossary.
func unknown(l say.Language, text string) string {
	var b strings.Builder
	for _, p := range glossary.Split(l, text, false) {
		if p.Term != "" {
			p.Text = " "
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
