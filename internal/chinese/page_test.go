package chinese_test

import (
	"context"
	"io/fs"
	"sort"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lockstep/internal/chinese"
	"lockstep/internal/plan"
	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/scenarios"
)

// pageOf plays a story and draws its report.
func pageOf(t *testing.T, w *sim.World, p *plan.Plan) []byte {
	t.Helper()
	b := &report.Bundle{Plan: p, Backend: "sim", Seed: 1, Hash: "5f0c", Replay: "simulate run x --seed 1"}
	for _, lock := range p.Locks {
		out := run.One(context.Background(), w, p, lock, 1)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		b.Runs = append(b.Runs, report.Run{Lock: lock, Judgement: out.Judgement, Untested: out.Untested()})
	}
	page, err := report.HTML(b)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// Everything on the report of any story has a translation.
func TestEveryTextOfEveryReport(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "lessons/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]string{}
	w := sim.New()
	defer w.Close()
	for _, file := range files {
		data, err := scenarios.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := scenario.Parse(file, data)
		if err != nil {
			t.Fatal(err)
		}
		_, left, err := chinese.Page(pageOf(t, w, p))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range left {
			missing[text] = file
		}
	}
	var texts []string
	for text := range missing {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	for _, text := range texts {
		t.Errorf("%s: no Chinese for %q", missing[text], text)
	}
}

// What the translation does to the structure of a page: nothing but texts, the
// language and the marks of what stayed English.
func TestPageKeepsItsStructure(t *testing.T) {
	tests := []struct{ name, give, want string }{
		{"a text", `<p>Nothing relevant happened.</p>`, `<p>没有发生值得一提的事。</p>`},
		{"the language", `<html lang="en">`, `<html lang="zh">`},
		{"blanks stay", "<p>\n Right. <b>Wrong.</b></p>", "<p>\n 对。 <b>错。</b></p>"},
		{"a linked word", `<p>The <a class="term" href="#word-lease">lease</a> ends. Nobody tells A.</p>`,
			`<p><a class="term" href="#word-lease">租约</a>结束。没有人告诉 A。</p>`},
		{"names for screen readers", `<a aria-label="set-nx-lua, step 4 at 1.000 s, a property breaks">4</a>`,
			`<a aria-label="set-nx-lua，第 4 步，1.000 秒，性质被破坏">4</a>`},
		{"what nobody has translated", `<p>The <a class="term" href="#word-moon">moon</a> rises.</p>`,
			`<p><span lang="en">The <a class="term" href="#word-moon">moon</a> rises.</span></p>`},
		{"entities", `<p translate="no">A&#39;s &lt;b&gt; own <b>x</b></p><p>The moon&#39;s own light &amp; more</p>`,
			`<p translate="no">A&#39;s &lt;b&gt; own <b>x</b></p><p><span lang="en">The moon&#39;s own light &amp; more</span></p>`},
		{"a quotation", `<td translate="no">Right. <td>Wrong.</td> Right.</td><td>Right.</td>`,
			`<td translate="no">Right. <td>Wrong.</td> Right.</td><td>对。</td>`},
		{"commands and styles", `<code>Right.</code><style>a{content:"Right."}</style>`, `<code>Right.</code><style>a{content:"Right."}</style>`},
		{"the words of the script", `<script type="application/json">{"a":["Right.","</x>"],"n":12345678901234567890}</script><script>"Right."</script>`,
			`<script type="application/json">{"a":["对。","\u003c/x\u003e"],"n":12345678901234567890}</script><script>"Right."</script>`},
		{"hostile names", `<p>&lt;script&gt;alert(1)&lt;/script&gt; writes. The resource takes it.</p>`,
			`<p>&lt;script&gt;alert(1)&lt;/script&gt; 写入。资源接受了。</p>`},
		{"messages", `<svg><g><title>SET lock A</title><text>SET, late</text></g><text>frozen</text></svg>`,
			`<svg><g><title>SET lock A</title><text>SET，迟到</text></g><text>冻结</text></svg>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := chinese.Page([]byte(tt.give))
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
		})
	}
}

// The tags of a page are the same in both languages, but for the marks of what stayed
// English and the links of words.
func TestTagsStay(t *testing.T) {
	data, err := scenarios.Files.ReadFile("lessons/pause-past-lease.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := scenario.Parse("pause-past-lease.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	page := pageOf(t, w, p)
	translated, left, err := chinese.Page(page)
	if err != nil || len(left) != 0 {
		t.Fatalf("%q stay English, %v", left, err)
	}
	if again, _, _ := chinese.Page(page); string(again) != string(translated) {
		t.Error("the same page twice gives two translations")
	}
	english, here := tagsOf(page), tagsOf(translated)
	if len(english) == 0 || strings.Join(english, " ") != strings.Join(here, " ") {
		t.Errorf("%d tags have become %d", len(english), len(here))
	}
}

func tagsOf(page []byte) []string {
	var tags []string
	z := html.NewTokenizer(strings.NewReader(string(page)))
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Type == html.StartTagToken && token.Data != "a" && token.Data != "span" {
			tags = append(tags, token.Data)
		}
	}
	return tags
}
