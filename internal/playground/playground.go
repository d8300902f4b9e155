// Package playground is the simulator behind a page: a scenario and one change go in, a
// frame comes out. It shows each lock as verdicts, a timeline with handles, a
// space-time diagram and sentences.
//
//	f := playground.New().Play(ctx, playground.Request{Edit: playground.Edit{Story: "pause-past-lease"}})
//	f.Locks[0].Verdict // broken
//
// The package does not depend on a browser (cmd/playground does), so its tests need none.
// The state of the page is a scenario file and nothing else; see Address.
package playground

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

// MaxLocks is how many locks stand side by side.
const MaxLocks = 3

// reserved is how many events of a world's 5,000,000 a run does not get here: a page draws
// during a drag, and longer stories could not be dragged.
const reserved = 4_800_000

// Request is one question of the page.
type Request struct {
	Address  string       `json:"address"`  // what stands behind the # of the page's address, when File is ""
	File     string       `json:"file"`     // the scenario as the last frame had it
	Edit     Edit         `json:"edit"`     // one change to it
	Window   int64        `json:"window"`   // ms that the timeline shows; 0: what the runs need. It stays during a drag
	Settled  bool         `json:"settled"`  // the drag is over: the frame has Address and Brief, too
	Row      *Row         `json:"row"`      // only this row of the map, see there
	Timeline bool         `json:"timeline"` // the frame has no diagrams, steps and messages: the page has none, or a hand moves
	Language say.Language `json:"language"` // en or zh
}

// Frame is the answer: everything that the page shows. All HTML in it is made here, and every
// foreign text in it escaped.
type Frame struct {
	Problems []string  `json:"problems"` // why this was not played; everything else but the language is empty then
	File     string    `json:"file"`     // the scenario after the edit, every default spelled out
	Address  string    `json:"address"`  // the same for a link; "" unless settled
	Brief    string    `json:"brief"`    // the same for people, as a scenario file; "" unless settled
	Title    string    `json:"title"`
	Seed     string    `json:"seed"` // in decimal: JavaScript's numbers are too small for it
	Window   int64     `json:"window"`
	Controls []Setting `json:"controls"`
	Fence    string    `json:"fence"`
	Faults   string    `json:"faults"`   // HTML: the list of the faults
	Messages []Message `json:"messages"` // of the first lock, to drop a fault on without a mouse
	Locks    []Lock    `json:"locks"`
	HasMap   bool      `json:"hasMap"` // its only fault is one pause
	Map      []string  `json:"map"`    // of a request for a row of it, which has nothing else
}

// Lock is one lock's run in a frame.
type Lock struct {
	ID      string          `json:"id"`
	Verdict checker.Verdict `json:"verdict"` // broken when any property is, kept when it was earned
	Word    string          `json:"word"`    // what stands before the sentence: the verdict, or what it did to the data
	Says    string          `json:"says"`    // the verdict in a sentence
	Impact  checker.Impact  `json:"impact"`  // what the run did to the data
	Hash    string          `json:"hash"`    // of the history: that of the program for the same file and seed
	Stage   string          `json:"stage"`   // HTML: the timeline
	Picture string          `json:"picture"` // SVG: the space-time diagram
	Story   string          `json:"story"`   // HTML: the steps
	// Arrows are the messages of the picture, by the events that its arrows name.
	Arrows map[int]Message `json:"arrows"`
	Facts  map[string]bool `json:"facts"` // by property and verdict: "mutual-exclusion kept"
	// Targets are the nodes into whose lanes each fault of the palette can be put.
	Targets map[string][]string `json:"targets"`
}

// Playground plays one frame after the other. It is not safe for concurrent use.
type Playground struct {
	// Those of the locks side by side, and one for the map: a history lives until its world plays again.
	worlds [MaxLocks + 1]*sim.World
}

// New returns a playground.
func New() *Playground { return &Playground{} }

// Play answers a request. What is wrong with it, it says in the frame.
func (g *Playground) Play(ctx context.Context, r Request) Frame {
	if a := r.Edit.Add; a != nil && palette[a.Kind].onWire && a.Command == "" && a.Node != "" {
		before := r
		before.Edit = Edit{}
		if p, err := before.plan(); err == nil {
			if out := run.One(ctx, g.world(0), p, p.Locks[0], p.Seed); out.Err == nil {
				a.nextMessage(timeline.Of(out.Judgement.History))
			}
		}
	}
	p, err := r.plan()
	if err != nil {
		return Frame{Problems: problemsOf(err)}
	}
	if r.Row != nil {
		return g.row(ctx, p, r.Row)
	}
	f := Frame{
		File: scenario.Resolved(p), Seed: fmt.Sprint(p.Seed), Window: r.Window,
		Title: sanitize.Text(p.Prose(r.Language).Name, sanitize.MaxLine), Fence: string(p.Workload.Fence), Controls: settingsOf(p, r.Language),
	}
	f.HasMap = onePause(p)
	if r.Settled {
		f.Brief = briefly(p)
		f.Address = Address(f.Brief)
	}
	var runs []played
	for i, lock := range p.Locks {
		out := run.One(ctx, g.world(i), p, lock, p.Seed)
		if out.Err != nil {
			return Frame{Problems: []string{sanitize.Text(out.Err.Error(), sanitize.MaxProse)}}
		}
		runs = append(runs, played{out: out, plan: p, language: r.Language})
	}
	if f.Window == 0 {
		f.Window = windowOf(runs)
	}
	for i := range runs {
		f.Locks = append(f.Locks, runs[i].lock(i, time.Duration(f.Window)*time.Millisecond, !r.Timeline))
	}
	f.Faults = faultList(runs, r.Language)
	if !r.Timeline {
		f.Messages, _ = messagesOf(runs[0].account(), r.Language)
	}
	return f
}

func (g *Playground) world(i int) *sim.World {
	if g.worlds[i] == nil {
		g.worlds[i] = sim.New()
	}
	g.worlds[i].Reserve(reserved)
	return g.worlds[i]
}

// plan is the scenario after the edit. It is read again from its text, so that it
// passes every check that a user's own file does.
func (r *Request) plan() (*plan.Plan, error) {
	text, err := r.text()
	if err != nil {
		return nil, err
	}
	p, err := parse(text)
	if err != nil {
		return nil, err
	}
	if r.Edit.empty() {
		return p, nil
	}
	if err := r.Edit.apply(p); err != nil {
		return nil, err
	}
	return parse(scenario.Resolved(p))
}

func (r *Request) text() (string, error) {
	switch {
	case r.Edit.Open != "":
		return r.Edit.Open, nil
	case r.Edit.Story != "":
		return storyText(r.Edit.Story, "")
	case r.File != "":
		return r.File, nil
	case r.Address != "":
		return FromAddress(r.Address)
	}
	return Start, nil
}

// parse reads a scenario as the playground plays it: with a seed, few locks that the simulator
// has, and without expectations and variations, since a user looks at it.
func parse(text string) (*plan.Plan, error) {
	p, err := scenario.Parse("playground.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	p.Seed = max(p.Seed, 1)
	p.Expect, p.Vary, p.Origin = nil, nil, ""
	p.Locks = p.Locks[:min(len(p.Locks), MaxLocks)]
	return p, run.CheckLocks(p)
}

// problemsOf are the sentences of an error, one each.
func problemsOf(err error) (all []string) {
	var invalid *scenario.Invalid
	if !errors.As(err, &invalid) {
		return []string{sanitize.Text(err.Error(), sanitize.MaxProse)}
	}
	for _, p := range invalid.Problems[:min(len(invalid.Problems), 5)] {
		all = append(all, sanitize.Text(p.Message, sanitize.MaxProse))
	}
	return all
}

// played is a run with its report.
type played struct {
	out      run.Outcome
	plan     *plan.Plan
	language say.Language
	timeline *timeline.Timeline
}

func (r *played) h() *history.History { return r.out.Judgement.History }

// account is that of the run, made when it is first asked for.
func (r *played) account() *timeline.Timeline {
	if r.timeline == nil {
		r.timeline = timeline.Of(r.h())
	}
	return r.timeline
}

func (r *played) lock(i int, window time.Duration, told bool) Lock {
	l := Lock{
		ID: r.out.Lock, Verdict: r.verdict(), Word: r.word(), Says: r.says(), Impact: r.out.Judgement.Impact(), Hash: r.h().Hash().String(),
		Stage: r.stage(window), Facts: map[string]bool{}, Targets: targets(r.h(), r.out.Lock), Arrows: map[int]Message{},
	}
	for _, f := range r.out.Judgement.Findings {
		l.Facts[f.Property+" "+string(f.Verdict)] = true
	}
	if !told {
		return l
	}
	l.Picture, l.Story = r.told(i)
	_, arrows := messagesOf(r.account(), r.language)
	for _, event := range handles.FindAllStringSubmatch(l.Picture, -1) {
		n, _ := strconv.Atoi(event[1])
		if m, ok := arrows[n]; ok {
			l.Arrows[n] = m
		}
	}
	return l
}

// handles are the events that the arrows of a picture name.
var handles = regexp.MustCompile(`data-event="(\d+)"`)

// verdict is the worst of a run. Kept has to be earned: it is the verdict if
// the lock were expected to keep everything.
func (r *played) verdict() checker.Verdict {
	broken := func(f checker.Finding) bool { return f.Verdict == checker.Broken }
	switch {
	case slices.ContainsFunc(r.out.Judgement.Findings, broken):
		return checker.Broken
	case r.out.Alone() == run.Met:
		return checker.Kept
	}
	return checker.Unknown
}

// word is the verdict in a word or two; of what broke, whether the data are safe.
func (r *played) word() string {
	english := "? unknown"
	switch r.verdict() {
	case checker.Kept:
		english = "✓ kept"
	case checker.Broken:
		english = "✗ broken"
		switch r.out.Judgement.Impact() {
		case checker.ImpactSafe:
			english = "△ data safe"
		case checker.ImpactDamaged:
			english = "✗ data damaged"
		}
	}
	return say.Text(english).In(r.language)
}

// says is the verdict in a sentence, with the reason when it is unknown.
func (r *played) says() string {
	says := explain.Verdict(r.account(), &r.out.Judgement).In(r.language)
	if why := r.out.WhyUntested(); r.verdict() == checker.Unknown && !why.Empty() {
		says = why.In(r.language)
	}
	return sanitize.Sentence(strings.TrimSpace(says))
}
