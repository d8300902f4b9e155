package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/measured"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Story is a scenario file that shows how one or more locks break.
type Story struct {
	Name string // of the file
	YAML string
}

// teller makes stories of schedules. Locks that break in the same story share its file.
type teller struct {
	o       *Options
	player  *player
	grounds map[groundKey]*ground
	told    map[string]*telling // by world and faults

	keys      map[string]string   // of stories that were told before, by file
	forgotten map[string][]string // what they expected of a lock, by key and lock
}

type groundKey struct {
	lock  string
	index int
}

// telling is a story and who breaks in it.
type telling struct {
	what    string // of the file's name: the base world and the schedule
	title   say.Phrase
	world   string
	faults  []string
	expects map[string][]string // what is broken, by lock
	name    string
}

func newTeller(o *Options) *teller {
	return &teller{o: o, player: &player{w: o.Worlds()}, grounds: map[groundKey]*ground{}, told: map[string]*telling{}, forgotten: map[string][]string{}}
}

func (t *teller) close() { t.player.w.Close() }

// ground is newGround for a lock whose tokens have been looked at.
func (t *teller) ground(v locks.Variant, index int) (*ground, error) {
	key := groundKey{v.ID, index}
	if g := t.grounds[key]; g != nil {
		return g, nil
	}
	g, err := t.o.newGround(v, index, false)
	if err != nil {
		return nil, err
	}
	t.player.on(g)
	_, h, err := t.player.play(context.Background(), nil, false)
	if err == nil && checker.HandsOutTokens(h) {
		g, err = t.o.newGround(v, index, true)
	}
	t.grounds[key] = g
	return g, err
}

// tell makes the story of a found set, plays it as anybody will, and returns the set. What is
// not broken in the story is a bug of the walk.
func (t *teller) tell(v locks.Variant, f *found) (measured.CutSet, error) {
	g, err := t.ground(v, f.Base)
	if err != nil {
		return measured.CutSet{}, err
	}
	triggers := g.triggers(f.Schedule)
	shows := func(broken []string) bool {
		return slices.ContainsFunc(properties[f.Way], func(id string) bool { return slices.Contains(broken, id) })
	}
	broken, seen, err := t.broken(v, g, f.Schedule, triggers, shows)
	if err != nil {
		return measured.CutSet{}, err
	}
	if !shows(broken) {
		return measured.CutSet{}, fmt.Errorf("%s: the story does not show what was found (%s): %s",
			v.ID, f.Way, toldOf(g.faults(f.Schedule, triggers)).English())
	}
	if fewer := faults.Recount(g.faults(f.Schedule, triggers), seen); !slices.Equal(fewer, triggers) {
		same := func(again []string) bool { return slices.Equal(again, broken) }
		switch again, _, err := t.broken(v, g, f.Schedule, fewer, same); {
		case err == nil && same(again):
			triggers = fewer
		case t.o.Tries > 1: // another run has other moments: as the walk counts them it was seen
		case err != nil:
			return measured.CutSet{}, err
		default:
			return measured.CutSet{}, fmt.Errorf("%s: counted from elsewhere, the story of %s breaks %v and not %v",
				v.ID, g.told(f.Schedule).English(), again, broken)
		}
	}
	items, what := g.items(f.Schedule, triggers), toldOf(g.faults(f.Schedule, triggers))
	key := g.world + strings.Join(items, "")
	x := t.told[key]
	if x == nil {
		short := shortened(g.base.Name, what)
		x = &telling{
			what:  g.base.Name + " " + short.English,
			title: say.InTheWorld.With(say.Verbatim(g.base.Name), short), world: g.world, faults: items, expects: map[string][]string{},
		}
		t.told[key] = x
	}
	x.expects[v.ID] = broken
	shown := measured.Shown{World: g.base.Name, Story: key}
	if len(f.Schedule) > 0 {
		shown.Text, shown.TextChinese = what.English(), what.In(say.Chinese)
	}
	return measured.CutSet{Kinds: f.Kinds.names(), Shown: shown}, nil
}

// shortened is what a story tells, as much of it as its title has room for.
func shortened(base string, what say.Phrase) say.Both {
	cut := func(l say.Language) string {
		text := []rune(what.In(l))
		room := scenario.MaxTitle - utf8.RuneCountInString(say.InTheWorld.With(say.Verbatim(base), say.Both{}).In(l))
		if len(text) <= room {
			return string(text)
		}
		return strings.TrimRight(string(text[:room-3]), " ,，；") + "..."
	}
	return say.Both{English: cut(say.English), Chinese: cut(say.Chinese)}
}

// broken plays the story of a schedule with such triggers, and returns the properties that it breaks
// and the moments of the run. It is tried as often as a schedule of the walk (Options.Tries), until it breaks
// what it should.
func (t *teller) broken(v locks.Variant, g *ground, of schedule, triggers []faults.Trigger, should func(ids []string) bool) (ids []string, seen []faults.Moment, err error) {
	for try := 0; try == 0 || try < t.o.Tries && (err != nil || !should(ids)); try++ {
		ids, seen, err = t.play(v, g, of, triggers)
	}
	return ids, seen, err
}

// play is one try.
func (t *teller) play(v locks.Variant, g *ground, of schedule, triggers []faults.Trigger) (ids []string, seen []faults.Moment, err error) {
	s := story{locks: []string{v.ID}, world: g.world, faults: g.items(of, triggers)}
	// As a stored one: what it expects, such as that the last server is gone, is known when it has been played.
	p, err := scenario.ParseStored("", []byte(s.yaml()), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: a story is no scenario: %w\n%s", v.ID, err, s.yaml())
	}
	t.player.w.Watch(func(m faults.Moment, _ history.Instant) { seen = append(seen, m) })
	h, err := t.player.w.Play(context.Background(), p, v.ID, 1)
	if err != nil {
		return nil, nil, err
	}
	if shown := see(h); shown.began&^shown.vain != 1<<len(of)-1 || shown.cut {
		return nil, nil, fmt.Errorf("%s: not all faults of a story come about:\n%s", v.ID, s.yaml())
	}
	for _, p := range checker.All() {
		if p.Check(h).Verdict == checker.Broken {
			ids = append(ids, p.ID)
		}
	}
	return ids, seen, nil
}

// stories names the files and returns them, sorted by name; the sets of the result name
// theirs from now on.
func (t *teller) stories(r *measured.Explored) []Story {
	keys := make([]string, 0, len(t.told))
	stems := map[string]string{}
	for key, x := range t.told { // order: sorted below
		keys, stems[key] = append(keys, key), x.stem()
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(strings.Compare(stems[a], stems[b]), strings.Compare(a, b))
	})
	var out []Story
	same := 0
	for i, key := range keys {
		x := t.told[key]
		stem := stems[key]
		if same++; i == 0 || stems[keys[i-1]] != stem {
			same = 1
		}
		x.name = stem + ".yaml"
		if same > 1 {
			x.name = fmt.Sprintf("%s-%d.yaml", stem, same)
		}
		out = append(out, x.story())
	}
	r.EachStory(func(s *measured.Shown) { s.Story = t.told[s.Story].name })
	return out
}

// locks are those that break in the story, sorted.
func (x *telling) locks() []string { return slices.Sorted(maps.Keys(x.expects)) }

// stem is the name of the file but for its number, after the store of the first lock: locks of
// several stores may share a story.
func (x *telling) stem() string {
	v, _ := locks.Lookup(x.locks()[0])
	return slug(string(v.Store) + " " + x.what)
}

// story is the file.
func (x *telling) story() Story {
	s := story{title: x.title, locks: x.locks(), world: x.world, faults: x.faults}
	for _, id := range s.locks {
		s.expect += "  " + id + ":\n"
		for _, property := range x.expects[id] {
			s.expect += fmt.Sprintf("    %s: %s\n", property, checker.Broken)
		}
	}
	return Story{Name: x.name, YAML: "# yaml-language-server: $schema=../../schema/scenario.schema.json\n" + s.yaml()}
}

// Below puts the stories of a result below a directory.
func Below(r *measured.Explored, dir string) {
	r.EachStory(func(s *measured.Shown) { s.Story = path.Join(dir, s.Story) })
}

// slug makes a file's name of a text.
func slug(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case c == '+':
			b.WriteString("plus")
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// triggers are the moments of a schedule, as the walk counts them.
func (g *ground) triggers(s schedule) []faults.Trigger {
	out := make([]faults.Trigger, len(s))
	for i := range s {
		out[i] = s[i].When.fault(g.plan.Clients)
		out[i].After = s[i].After
	}
	return out
}

// faults is a schedule with such triggers as the faults of a plan.
func (g *ground) faults(s schedule, triggers []faults.Trigger) []faults.Fault {
	out := make([]faults.Fault, len(s))
	for i := range s {
		l := &g.letters[s[i].Letter].fault
		out[i] = faults.Make(i+1, l.Spec(), l.Args, triggers[i], l.End)
	}
	return out
}

// items is the same as the list of a scenario file.
func (g *ground) items(s schedule, triggers []faults.Trigger) []string {
	out := make([]string, len(s))
	for i := range s {
		out[i] = faultText(g.letters[s[i].Letter].text, triggers[i].Phrase(), triggers[i].After)
	}
	return out
}

// told is a schedule in one line.
func (g *ground) told(s schedule) say.Phrase { return toldOf(g.faults(s, g.triggers(s))) }

// toldOf is some faults in one line.
func toldOf(fs []faults.Fault) say.Phrase {
	if len(fs) == 0 {
		return say.NoFault.With()
	}
	var all say.Sequence
	for i := range fs {
		all = append(all, say.Both{English: fs[i].Text, Chinese: fs[i].TextChinese})
	}
	return say.OneAfterTheOther.With(all)
}
