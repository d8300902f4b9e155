package matrix

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// Walked is what the walk of the fault space has come to in one cell: all single faults of the
// column's kinds, in all base worlds.
type Walked struct {
	Schedules int64
	Vain      int64 // of these, those whose fault changed nothing
	Cut       int64 // those whose runs had no end: nobody knows

	shown  map[checker.Letter]*measured.Shown // by what it shows: V, F or D
	damage *measured.Shown
}

// ways are the ways of breaking as letters. Damage is none: it is a mark beside the letter, for
// a fence prevents it and lets the letter be.
var ways = []struct {
	name   string
	letter checker.Letter
}{{"believe", checker.LetterV}, {"robbed", checker.LetterF}, {"stuck", checker.LetterStuck}}

// Damages reports whether some single fault damaged the resource.
func (w *Walked) Damages() bool { return w.damage != nil }

// walkedIn finds what was walked of a lock and a column; nil when nothing was.
func walkedIn(x *measured.Explored, lock string, c *Column) *Walked {
	if x == nil {
		return nil
	}
	at := slices.IndexFunc(x.Locks, func(l measured.ExploredLock) bool { return l.Lock == lock })
	if at < 0 || x.Locks[at].Complete == 0 {
		return nil
	}
	l := &x.Locks[at]
	w := &Walked{shown: map[checker.Letter]*measured.Shown{}}
	if c.Code == noFaultCode {
		w.Schedules = int64(len(l.Scope)) // each base world, as it is
		for way, sets := range l.Breaks { // order: each way has its own place
			for i := range sets {
				if len(sets[i].Kinds) == 0 {
					w.show(way, &sets[i].Shown)
				}
			}
		}
		return w
	}
	for _, kind := range c.Kinds() {
		for i := range l.Singles {
			s := &l.Singles[i]
			if !kind.Covers(s) {
				continue
			}
			w.Schedules, w.Vain, w.Cut = w.Schedules+s.Walked, w.Vain+s.Vain, w.Cut+s.Cut
			for way, shown := range s.Breaks { // order: each way has its own place
				w.show(way, shown)
			}
		}
	}
	if w.Schedules == 0 {
		return nil
	}
	return w
}

// show keeps the first story of a way. Who waits for work that hangs is stuck, whoever's fault it is:
// a column says what happens.
func (w *Walked) show(way string, s *measured.Shown) {
	if way == measured.Hung {
		way = "stuck"
	}
	if way == "damage" && w.damage == nil {
		w.damage = s
	}
	for _, x := range ways {
		if x.name == way && w.shown[x.letter] == nil {
			w.shown[x.letter] = s
		}
	}
}

// Kind is a kind of fault of the walk, of which During says what the client is at that it hits;
// "" for whatever it is at.
type Kind struct{ Name, During string }

// Covers reports whether a kind covers what the walk has counted.
func (k Kind) Covers(s *measured.Single) bool {
	return k.Name == s.Kind && (k.During == "" || k.During == s.During)
}

// Kinds are what a column stands for in the walk; none for the column without a fault.
func (c *Column) Kinds() []Kind {
	var out []Kind
	for _, text := range strings.Fields(c.kinds) {
		name, during, _ := strings.Cut(text, "/")
		out = append(out, Kind{name, during})
	}
	return out
}

// join adds to a cell that is concluded what the walk has found. A walk breaks locks and says
// nothing of delays, so S and L stay what scripts have made of them; but where runs were cut
// short, nobody knows that there is nothing worse.
func (c *Cell) join() {
	w := c.Walked
	if w == nil {
		return
	}
	before := c.Letter
	for _, x := range ways {
		if w.shown[x.letter] != nil {
			c.saw(x.letter)
		}
	}
	if w.damage != nil && !c.Damaged() {
		if c.DamagedBy = (say.Both{English: w.damage.Name}); w.damage.Name == "" { // it is told, and no simulator plays it
			c.DamagedBy = say.Both{English: w.damage.Text, Chinese: w.damage.TextChinese}
		}
	}
	if worst := c.worst(); Badness(worst) > Badness(before) && Badness(worst) > Badness(checker.LetterDelay) {
		c.Letter = worst
		c.Story = w.worst(before)
		c.Note = say.FoundByWalk.With(say.Verbatim(c.Story.World), say.Both{English: c.Story.Text, Chinese: c.Story.TextChinese})
		return
	}
	switch {
	case w.Cut > 0 && Badness(before) <= Badness(checker.LetterDelay):
		c.Letter = checker.LetterUnknown
		c.Note = say.WalkHasNoEnd.With(say.Grouped(w.Cut), say.Grouped(w.Schedules))
	case before == checker.LetterSafe:
		c.Note = say.SafeInWalk.With(c.Note, say.Grouped(w.Schedules))
	}
}

// worst is the story of the worst that is not in a letter already.
func (w *Walked) worst(known checker.Letter) *measured.Shown {
	for _, x := range ways {
		if s := w.shown[x.letter]; s != nil && x.letter != known {
			return s
		}
	}
	return nil
}
