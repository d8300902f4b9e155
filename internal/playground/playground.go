// Package playground is the simulator behind a page: it takes a scenario and one change, and
// returns a frame. It shows each lock as verdicts, a timeline with handles, a space-time diagram
// and sentences.
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
	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

// MaxLocks is how many locks stand side by side.
const MaxLocks = 3

// reserved is how many of a world's 5,000,000 events a run cannot use: a page draws during a drag,
// and longer stories would be too slow for that.
const reserved = 4_800_000

// Request is one question of the page.
type Request struct {
	Address  string       `json:"address"`  // the fragment of the page's address, if File is ""
	File     string       `json:"file"`     // the scenario of the last frame
	Edit     Edit         `json:"edit"`     // one change to it
	Window   int64        `json:"window"`   // ms that the timeline shows, constant during a drag; 0: what the runs need
	Settled  bool         `json:"settled"`  // the drag is over: the frame includes Address and Brief
	Row      *Row         `json:"row"`      // only this row of the map
	Timeline bool         `json:"timeline"` // leave out diagrams, steps and messages: during a drag, or on a page without them
	Language say.Language `json:"language"` // en or zh
}

// Frame is the answer: everything that the page shows. All HTML in it is generated here, with every
// foreign text escaped.
type Frame struct {
	Problems []string  `json:"problems"` // why this was not played; then everything else is empty
	File     string    `json:"file"`     // the scenario after the edit, every default spelled out
	Address  string    `json:"address"`  // the same as a link; "" unless settled
	Brief    string    `json:"brief"`    // the same as a short scenario file; "" unless settled
	Title    string    `json:"title"`
	Seed     string    `json:"seed"` // in decimal: it may exceed JavaScript's integers
	Window   int64     `json:"window"`
	Controls []Setting `json:"controls"`
	Fence    string    `json:"fence"`
	Faults   string    `json:"faults"`   // HTML: the list of the faults
	Messages []Message `json:"messages"` // of the first lock, for adding a fault without a mouse
	Locks    []Lock    `json:"locks"`
	HasMap   bool      `json:"hasMap"` // its only fault is one pause
	Map      []string  `json:"map"`    // the answer to a request for a row, without anything else
}

// Lock is one lock's run in a frame.
type Lock struct {
	ID      string          `json:"id"`
	Verdict checker.Verdict `json:"verdict"` // broken if any property is, kept if that was earned
	Word    string          `json:"word"`    // precedes the sentence: the verdict, or the effect on the data
	Says    string          `json:"says"`    // the verdict in a sentence
	Impact  checker.Impact  `json:"impact"`  // the effect on the data
	Hash    string          `json:"hash"`    // of the history; the program gives the same for this file and seed
	Stage   string          `json:"stage"`   // HTML: the timeline
	Picture string          `json:"picture"` // SVG: the space-time diagram
	Story   string          `json:"story"`   // HTML: the steps
	// Arrows are the messages of the picture, by the events that its arrows name.
	Arrows map[int]Message `json:"arrows"`
	Facts  map[string]bool `json:"facts"` // by property and verdict: "mutual-exclusion kept"
	// Targets are the nodes in whose lanes each fault of the palette can be dropped.
	Targets map[string][]string `json:"targets"`
}

// Playground plays one frame after the other. It is not safe for concurrent use.
type Playground struct {
	// One for each lock, and one for the map: a history is valid until its world plays again.
	worlds [MaxLocks + 1]*sim.World
}

// New returns a playground.
func New() *Playground { return &Playground{} }

// Play answers a request. The frame lists the problems of a request that cannot be played.
func (g *Playground) Play(ctx context.Context, r Request) Frame {
	if a := r.Edit.Add; a != nil && a.Command == "" && a.Node != "" && lookup(a.Kind).OnWire {
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
		HasMap: onePause(p),
	}
	if r.Settled {
		f.Brief = briefly(p)
		f.Address = Address(f.Brief)
	}
	var runs []played
	for i, lock := range p.Locks {
		out := run.One(ctx, g.world(i), asking(p), lock, p.Seed)
		if out.Err != nil {
			return Frame{Problems: []string{sanitize.Text(out.Err.Error(), sanitize.MaxProse)}}
		}
		runs = append(runs, playedOf(out, p, r.Language))
	}
	if f.Window == 0 {
		f.Window = windowOf(runs)
	}
	for i := range runs {
		f.Locks = append(f.Locks, runs[i].lock(i, time.Duration(f.Window)*time.Millisecond, !r.Timeline))
	}
	f.Faults = faultList(runs, r.Language)
	if !r.Timeline {
		f.Messages, _ = messagesOf(runs[0].Timeline(), r.Language)
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

// plan is the scenario after the edit. Its text is parsed again, so that it passes every check of a
// user's own file.
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
		return fromAddress(r.Address)
	}
	return Start, nil
}

// parse reads a scenario for the playground: with a seed and a few simulated locks, and without
// expectations and variations.
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

// asking is a plan by which a run is judged by every property. A property that is not Core is
// judged where a story expects something of it, and the playground drops expectations: it would
// call a broken one kept.
func asking(p *plan.Plan) *plan.Plan {
	q := *p
	for _, property := range checker.All() {
		if !property.Core {
			q.Expect = append(q.Expect, plan.Expectation{Lock: plan.EveryLock, Property: property.ID, Verdict: string(checker.Kept)})
		}
	}
	return &q
}

// problemsOf are the sentences of an error, one each.
func problemsOf(err error) []string {
	var invalid *scenario.Invalid
	if !errors.As(err, &invalid) {
		return []string{sanitize.Text(err.Error(), sanitize.MaxProse)}
	}
	return each.Map(invalid.Problems[:min(len(invalid.Problems), 5)], func(p scenario.Problem) string {
		return sanitize.Text(p.Message, sanitize.MaxProse)
	})
}

// played is a run with its report.
type played struct {
	bundle.Run
	out      run.Outcome
	plan     *plan.Plan
	language say.Language
}

func playedOf(out run.Outcome, p *plan.Plan, l say.Language) played {
	return played{bundle.Run{Lock: out.Lock, Judgement: out.Judgement}, out, p, l}
}

func (r *played) h() *history.History { return r.Judgement.History }

func (r *played) lock(i int, window time.Duration, withStory bool) Lock {
	l := Lock{
		ID: r.Lock, Verdict: r.verdict(), Word: r.word(), Says: r.says(), Impact: r.Judgement.Impact(), Hash: r.h().Hash().String(),
		Stage: r.stage(window), Facts: map[string]bool{}, Targets: targets(r.h(), r.Lock), Arrows: map[int]Message{},
	}
	for _, f := range r.Judgement.Findings {
		l.Facts[f.Property+" "+string(f.Verdict)] = true
	}
	if !withStory {
		return l
	}
	l.Picture, l.Story = r.drawStory(i)
	_, arrows := messagesOf(r.Timeline(), r.language)
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

// verdict is the worst verdict of a run. Kept has to be earned, as if the lock were expected to
// keep every property.
func (r *played) verdict() checker.Verdict {
	broken := func(f checker.Finding) bool { return f.Verdict == checker.Broken }
	switch {
	case slices.ContainsFunc(r.Judgement.Findings, broken):
		return checker.Broken
	case r.out.Alone() == run.Met:
		return checker.Kept
	}
	return checker.Unknown
}

// word is the verdict in a word or two; for a broken lock, whether the data are safe.
func (r *played) word() string {
	english := "? unknown"
	switch r.verdict() {
	case checker.Kept:
		english = "✓ kept"
	case checker.Broken:
		english = "✗ broken"
		switch r.Judgement.Impact() {
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
	says := explain.Verdict(r.Timeline(), &r.Judgement).In(r.language)
	if why := r.out.WhyUntested(); r.verdict() == checker.Unknown && !why.Empty() {
		says = why.In(r.language)
	}
	return sanitize.Sentence(strings.TrimSpace(says))
}
