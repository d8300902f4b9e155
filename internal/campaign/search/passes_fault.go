package search

import (
	"maps"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// informative are the moments that a trigger can move to, the most informative first.
var informative = []faults.MomentKind{
	faults.InSection, faults.AboutToWrite, faults.Acquires, faults.Releases, faults.StartsWaiting,
}

// mostTimes limits the occurrences tried for a counted moment.
const mostTimes = 20

// mostMoved is how many faults a story may have for fewerByMoving, which tries every pair of them.
const mostMoved = 12

// mostMovedAlong is the same for moving, which many versions need.
const mostMovedAlong = 3

// fewerByMoving removes a fault while another moves: a few faults often make up for the bad timing
// of one.
func (s *shrinker) fewerByMoving() (changed bool) {
	for again := true; again && len(s.best.Faults) > 1 && len(s.best.Faults) <= mostMoved; {
		again = false
		for i := range s.best.Faults {
			if again = s.leaveOut(i); again {
				changed = true
				break
			}
		}
	}
	return changed
}

// leaveOut removes the i-th fault and moves each of the others in turn.
func (s *shrinker) leaveOut(i int) bool {
	for j := range s.best.Faults {
		if j == i {
			continue
		}
		if first(s, s.moved(s.best.Faults[j]), func(p *plan.Plan, moved faults.Fault) {
			p.Faults[j] = moved
			p.Faults = slices.Delete(p.Faults, i, i+1)
		}) {
			return true
		}
	}
	return false
}

// tryMoving tries a change alone, and with each fault in turn at another moment: the first client
// of a short story is often the one to hit.
func (s *shrinker) tryMoving(change func(p *plan.Plan)) bool {
	return s.try(change) || slices.ContainsFunc(s.moving(change), s.try)
}

// moving returns a change with each fault in turn at another moment; none where there are many.
func (s *shrinker) moving(change func(p *plan.Plan)) (out []func(p *plan.Plan)) {
	for i := 0; i < len(s.best.Faults) && len(s.best.Faults) <= mostMovedAlong; i++ {
		for _, moved := range s.moved(s.best.Faults[i]) {
			out = append(out, func(p *plan.Plan) { p.Faults[i] = moved; change(p) })
		}
	}
	return out
}

// moved returns versions of a fault at other moments, with its own duration and with twice the
// lease.
func (s *shrinker) moved(f faults.Fault) (out []faults.Fault) {
	long := f.Scaled(func(d time.Duration) time.Duration {
		if d <= 0 {
			return d
		}
		return max(d, 2*s.best.Lease)
	})
	for _, v := range []faults.Fault{f, long} {
		for _, t := range s.moments(&f) {
			m := v
			m.Trigger = t
			if m.Target == faults.TheHolder || slices.Contains(s.best.Clients, m.Target) {
				m.Args.Value = t.Subject // whose moment it is
			}
			out = append(out, m)
		}
	}
	return out
}

// moments returns the most informative triggers: what each client does first or, for a fault of the
// wire, the first command of each kind that it sends.
func (s *shrinker) moments(f *faults.Fault) (out []faults.Trigger) {
	if f.Spec().OnWire {
		for _, command := range s.sent {
			for _, client := range s.best.Clients {
				out = append(out, faults.Trigger{Moment: f.Trigger.Moment, Subject: client, Command: command, Nth: 1})
			}
		}
		return out
	}
	for _, moment := range informative {
		for _, client := range s.best.Clients {
			out = append(out, faults.Trigger{Moment: moment, Subject: client, Nth: 1})
		}
	}
	return out
}

// otherTriggers gives each fault the first of some triggers that is accepted.
func (s *shrinker) otherTriggers(of func(f *faults.Fault) []faults.Trigger) (changed bool) {
	for i := 0; i < len(s.best.Faults); i++ {
		changed = first(s, of(&s.best.Faults[i]), func(p *plan.Plan, t faults.Trigger) {
			p.Faults[i].Trigger = t
		}) || changed
	}
	return changed
}

// plainer returns triggers to try instead of a fault's: moments instead of instants, named clients,
// earlier occurrences.
func (s *shrinker) plainer(f *faults.Fault) (out []faults.Trigger) {
	t := f.Trigger
	if t.Moment == faults.NoMoment {
		if out = s.moments(f); t.Every > 0 {
			out = append(out, faults.Trigger{At: t.Every})
		}
		return out
	}
	if !slices.Contains(s.best.Clients, t.Subject) {
		for _, t.Subject = range s.best.Clients {
			out = append(out, times(t, upTo(t.Nth))...)
		}
	}
	earlier := below(max(t.Nth, 1))
	if t.Nth == 0 {
		earlier = []int{1}
	}
	return append(out, times(f.Trigger, earlier)...)
}

// named returns triggers with a named command in place of any command.
func (s *shrinker) named(f *faults.Fault) (out []faults.Trigger) {
	t := f.Trigger
	if t.Command != faults.AnyCommand {
		return nil
	}
	for _, t.Command = range s.sent {
		out = append(out, times(t, upTo(f.Trigger.Nth))...)
	}
	return out
}

// times returns a trigger at some of its occurrences.
func times(t faults.Trigger, nths []int) (out []faults.Trigger) {
	for _, t.Nth = range nths {
		out = append(out, t)
	}
	return out
}

// upTo returns the occurrences up to one, as far as they are tried.
func upTo(nth int) (all []int) {
	for i := 1; i <= min(max(nth, 1), mostTimes); i++ {
		all = append(all, i)
	}
	return all
}

// plainTargets replaces "the holder" and the like by names.
func (s *shrinker) plainTargets() (changed bool) {
	for i := 0; i < len(s.best.Faults); i++ {
		for _, word := range []string{faults.TheHolder, faults.NextHolder, faults.ThatClient} {
			if !slices.Contains(s.best.Faults[i].Names()[1:], word) {
				continue
			}
			changed = first(s, s.best.Clients, func(p *plan.Plan, client string) {
				subject := p.Faults[i].Trigger.Subject
				renameFault(&p.Faults[i], map[string]string{word: client})
				p.Faults[i].Trigger.Subject = subject
			}) || changed
		}
	}
	return changed
}

// shorter makes durations short and round, one after another.
func (s *shrinker) shorter() (changed bool) {
	for i := range s.best.Faults {
		for _, at := range []func(f *faults.Fault) *time.Duration{
			func(f *faults.Fault) *time.Duration { return &f.Trigger.At },
			func(f *faults.Fault) *time.Duration { return &f.Trigger.After },
			func(f *faults.Fault) *time.Duration { return &f.End.For },
		} {
			changed = s.shorten(*at(&s.best.Faults[i]), func(p *plan.Plan, d time.Duration) { *at(&p.Faults[i]) = d }) || changed
		}
		for _, name := range slices.Sorted(maps.Keys(s.best.Faults[i].Args.Durations)) {
			changed = s.shorten(s.best.Faults[i].Args.Durations[name], func(p *plan.Plan, d time.Duration) {
				args := &p.Faults[i].Args
				args.Durations = maps.Clone(args.Durations)
				args.Durations[name] = d
			}) || changed
		}
		changed = s.slower(i) || changed
	}
	for i := range s.best.Lags() { // those that are 0 stay so
		changed = s.shorten(*s.best.Lags()[i], func(p *plan.Plan, d time.Duration) { *p.Lags()[i] = d }) || changed
	}
	return changed
}

// shorten tries round values below the current one, from the lowest on. The sign stays.
func (s *shrinker) shorten(now time.Duration, set func(*plan.Plan, time.Duration)) bool {
	sign := time.Duration(1)
	if now < 0 {
		sign = -1
	}
	return first(s, neat(now.Abs()), func(p *plan.Plan, d time.Duration) { set(p, sign*d) })
}

// slower reduces the rates of a fault, to whole percents.
func (s *shrinker) slower(i int) (changed bool) {
	for _, p := range s.best.Faults[i].Spec().Params {
		now := s.best.Faults[i].Args.Rates[p.Name]
		sign := int64(1)
		if now < 0 {
			sign = -1
		}
		small := slices.DeleteFunc([]int64{1, 2, 5, 10, 20, 50}, func(percent int64) bool { return percent*10_000 >= now*sign })
		changed = first(s, small, func(c *plan.Plan, percent int64) {
			c.Faults[i].Args.Rates = maps.Clone(c.Faults[i].Args.Rates)
			c.Faults[i].Args.Rates[p.Name] = sign * percent * 10_000
		}) || changed
	}
	return changed
}
