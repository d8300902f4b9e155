package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

// marker surrounds every hostile text, to find it in outputs.
const marker = "hostile"

// hostileTexts are what an attacker may put where a name or a sentence is expected.
var hostileTexts = map[string]string{
	"script":         `</script><script>alert(1)</script>`,
	"image":          `<img src=x onerror=alert(1)>`,
	"attribute":      `" onmouseover="alert(1)" x='y' style=x`,
	"single quote":   `' onfocus='alert(1)`,
	"svg":            `</text></svg><svg onload=alert(1)>`,
	"style":          `</style><style>*{display:none}`,
	"comment":        `--><b>x</b><!--`,
	"cdata":          `]]><x/><![CDATA[`,
	"entity":         `&lt;b&gt;&#x3c;i&#x3e;&nbsp;&unknown;`,
	"template":       `{{.}}{{template "x"}}${x}$(x)`,
	"link":           `javascript:alert(1) https://example.com www.example.com`,
	"markdown":       "`x` ``` | a | b |\n|---|---|\n# head\n* item\n![x](y) [x](y) ~~~\n    code",
	"mention":        `@everyone #1 GH-1 ::error::x`,
	"lines":          "one\ntwo\r\nthree\rfour\vfive\ffix\u2028six\u2029seven\u0085eight",
	"nul":            "a\x00b\x01c\x7fd\u0080e\u009be",
	"terminal":       "\x1b[31mred\x1b[0m\x1b]0;title\a\u009b31m\b\b\bx",
	"bidi":           "\u202egnp.exe\u202c \u2066x\u2069 \u200f\u200e\u061c",
	"invisible":      "a\u200bb\u200cc\u200dd\ufeffe\u00adf\u2060g\U000e0041\ue000",
	"invalid":        "a\xff\xfe\xc3\x28\xed\xa0\x80b",
	"long":           strings.Repeat("x", 10_000),
	"long words":     strings.Repeat("word ", 2_000),
	"long unicode":   strings.Repeat("\u4e16\u754c", 3_000),
	"path":           `../../../../etc/passwd`,
	"windows path":   `C:\CON\..\NUL:stream`,
	"device":         "CON",
	"blank":          " \t ",
	"workflow":       "::error file=a,line=1::x",
	"workflow lines": "a\n::error::b\n##[error]c ##vso[task.x]d ##teamcity[e]",
	"json":           `","x":"y\u0000\`,
	"yaml":           "x: [y\n- z: &a *b !!c",
	"shell":          "`x` $(x) ; rm -rf ~ | cat > x & \\",
}

// harmlessTexts have the same lengths and numbers of words, and no special characters.
var harmlessTexts = []string{"x", "plain words", strings.Repeat("x", 10_000), strings.Repeat("word ", 2_000)}

// spoil puts a text into every plain string of a value. Strings with a type of their own, such as
// verdicts, come from the program and not from a file.
func spoil(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*history.History]() {
			spoil(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i), text)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			spoil(v.Index(i), text)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.CanSet() && !strings.Contains(v.String(), marker) {
			v.SetString(v.String() + marker + text + marker)
		}
	}
}

// validText makes a text UTF-8, as scenarios and the headers of histories have to be. The texts of
// events may be any bytes.
func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// spoilt returns a history with the text in every name and every text of an event.
func spoilt(t *testing.T, h *history.History, text string) *history.History {
	t.Helper()
	header := h.Header
	header.Nodes = append([]history.Node(nil), h.Header.Nodes...)
	header.Faults = append([]history.Fault(nil), h.Header.Faults...)
	spoil(reflect.ValueOf(&header).Elem(), validText(text))
	header.Store, header.Topology = h.Header.Store, h.Header.Topology // readers refuse all others
	name := must.Get(json.Marshal("A" + marker + validText(text) + marker))(t)
	for i := range header.Faults {
		f := &header.Faults[i]
		f.Values = history.Values(strings.ReplaceAll(string(f.Values), `"A"`, string(name)))
	}
	out := history.New(header)
	for _, e := range h.Events {
		e.Text = out.Intern(h.Text(e.Text) + marker + text + marker)
		out.Add(e)
	}
	var stored bytes.Buffer
	must.Do(t, history.WriteJSONL(&stored, out))
	back, err := history.ReadAllJSONL(&stored)
	if err != nil || len(back) != 1 {
		t.Fatalf("a stored history cannot be read again: %d, %v", len(back), err)
	}
	return back[0]
}

// play plays a story with its first lock.
func play(t *testing.T, name string) *run.Result {
	t.Helper()
	p := scenariotest.Load(t, "../../scenarios/lessons/"+name+".yaml")
	p.Locks = p.Locks[:1]
	return reporttest.Play(t, p, 1)
}

// outputs are all outputs of a run, by the names of the files, with the text in every field.
func outputs(t *testing.T, name, text string) map[string][]byte {
	t.Helper()
	played := play(t, name)
	p := *played.Plan
	spoil(reflect.ValueOf(&p).Elem(), validText(text))
	r := &run.Result{Plan: &p, Backend: played.Backend, Seed: played.Seed}
	for i := range played.Outcomes {
		r.Outcomes = append(r.Outcomes, run.Stored(&p, spoilt(t, played.Outcomes[i].Judgement.History, text)))
	}
	b := bundle.Of(r, "simulate run "+shell.Word(p.File+marker+text), buildVersion())
	b.RunDir = "reports/" + marker + text // the names of files may be any bytes
	spoil(reflect.ValueOf(b).Elem(), validText(text))
	files := must.Get(artifacts.Render(artifacts.All, say.English, b))(t)
	chinese := must.Get(artifacts.Render(artifacts.All[:1], say.Chinese, b))(t)
	out := map[string][]byte{"chinese.html": chinese[0].Data}
	for i := range files {
		var content bytes.Buffer
		must.Do(t, files[i].CopyTo(&content))
		out[files[i].Name] = content.Bytes()
	}
	out["annotations"] = []byte(export.Annotations(b))
	for _, o := range []terminal.Options{{Width: 80}, {Width: 40}, {Width: 200, Brief: true}} {
		out[fmt.Sprintf("terminal-%d", o.Width)] = []byte(terminal.Report(b, o))
	}
	for i := range r.Outcomes {
		j := r.Outcomes[i].Judgement
		out[fmt.Sprintf("narrate-%d", i)] = []byte(terminal.Narrate(j, nil, terminal.Options{Width: 80}))
		var shown bytes.Buffer
		c := export.CheckedOf("history"+text+marker+".jsonl", 1, j.History)
		showChecked(&globals{stdout: &screen{w: &shown}}, &c)
		out[fmt.Sprintf("check-%d", i)] = bytes.Clone(shown.Bytes())
		shown.Reset()
		c.Judgement = checker.Judgement{}
		must.Do(t, (&globals{stdout: &screen{w: &shown}}).printJSON(c))
		out[fmt.Sprintf("check-%d.json", i)] = bytes.Clone(shown.Bytes())
	}
	return out
}

// With a hostile text in every field of a scenario, of a history and of the data made of them, each
// output has the structure that it has with a harmless text.
func TestHostileTextIsShownAndNotObeyed(t *testing.T) {
	t.Parallel()
	for _, story := range []string{"pause-past-lease", "split-brain"} {
		known := grammar{}
		for _, text := range harmlessTexts {
			for name, data := range outputs(t, story, text) {
				known.learn(t, name, data)
			}
		}
		for what, text := range hostileTexts {
			for name, data := range outputs(t, story, text) {
				known.check(t, fmt.Sprintf("%s, %s, %s", story, what, name), name, data)
			}
		}
	}
}

// The same for the page of the matrix.
func TestTheMatrixPageShowsHostileText(t *testing.T) {
	drawn := func(text string) []byte {
		played := play(t, "pause-past-lease")
		h := spoilt(t, played.Outcomes[0].Judgement.History, text)
		j := checker.Judge(h)
		one := matrixpage.Run{Letter: j.Letter, Tale: matrixpage.NewTale(&j, 0), Varied: true}
		m := &matrixpage.Matrix{
			Columns: []matrixpage.Column{{Kinds: []faultkind.Hit{{}}}}, Seeds: 1,
			Locks: []matrixpage.Lock{{Protocol: []string{""}, Cells: []matrixpage.Cell{{
				Cell:  results.Cell{Letter: j.Letter, Runs: 1, Also: []checker.Letter{""}, Walked: new(int64)},
				Tried: []string{""}, Worst: &one,
			}}}},
		}
		spoil(reflect.ValueOf(m).Elem(), text)
		return must.Get(matrixpage.HTML(m))(t)
	}
	known := grammar{}
	for _, text := range harmlessTexts {
		known.learn(t, "matrix.html", drawn(text))
	}
	for what, text := range hostileTexts {
		known.check(t, what+", matrix.html", "matrix.html", drawn(text))
	}
}

// A scenario in which one key or value is replaced by a hostile text is refused with an error that
// is safe to print, or it is played, stored and shown.
func TestHostileScenarios(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/split-brain.yaml")
	clean := must.Get(yaml.YAMLToJSON([]byte(scenario.Resolved(p))))(t)
	if _, err := scenario.Parse("x.yaml", clean); err != nil {
		t.Fatal("the scenario is refused before anything is replaced: ", err)
	}
	names := slices.Sorted(maps.Keys(hostileTexts))
	leaves := leavesOf(t, clean)
	taken := map[int]*plan.Plan{}
	for n, at := range leaves {
		for k := range 5 { // different ones at each place; the test above puts all of them into the prose
			what := names[(n*5+k)%len(names)]
			p, err := scenario.Parse("x.yaml", slices.Concat(clean[:at.from], quoted(t, hostileTexts[what]+marker), clean[at.to:]))
			if err != nil {
				checkTerminal(t, fmt.Sprintf("%s at %d", what, n), terminalLines(err.Error()))
				continue
			}
			taken[n] = p
		}
	}
	if len(taken) < 4 || len(taken) > len(leaves)/2 {
		t.Fatalf("hostile texts are accepted at %d of %d places, want title, story, question and lesson", len(taken), len(leaves))
	}
	for n, p := range taken {
		checkPlayed(t, fmt.Sprintf("place %d", n), p)
	}
}

// checkPlayed plays and stores a scenario, and checks file names and terminal output.
func checkPlayed(t *testing.T, what string, p *plan.Plan) {
	t.Helper()
	p.Locks = p.Locks[:1]
	r := reporttest.Play(t, p, 1)
	f := &runFlags{globals: &globals{}, backend: sim.Backend, scale: "1"}
	b := bundle.Of(r, f.replay(p, "", 1), buildVersion())
	dir := t.TempDir()
	if err := runstore.Keep(dir, dir+"/"+p.Slug+"/run", r, b, nil, say.English, runstore.Env{Scale: "1"}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	err := fs.WalkDir(os.DirFS(b.RunDir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			checkFileName(t, what, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	checkTerminal(t, what, terminal.Report(b, terminal.Options{Width: 80}))
}

// place is a part of a document, in bytes.
type place struct{ from, to int }

// leavesOf are the keys and values of a JSON document.
func leavesOf(t *testing.T, doc []byte) (all []place) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	for from := int64(0); ; from = d.InputOffset() {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		must.Do(t, err)
		if _, ok := token.(json.Delim); !ok {
			text := bytes.TrimLeft(doc[from:d.InputOffset()], " \n,:")
			all = append(all, place{int(d.InputOffset()) - len(text), int(d.InputOffset())})
		}
	}
}

// quoted is a text in JSON; invalid bytes stay.
func quoted(t *testing.T, s string) []byte {
	t.Helper()
	if !utf8.ValidString(s) {
		return []byte(`"` + s + `"`)
	}
	return must.Get(json.Marshal(s))(t)
}
