package storetest

import (
	"slices"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Late answers, unsolicited messages and time.

// Collect takes the output of the model: late answers, which the server has to give, too,
// unsolicited messages (Heard), and connections that it closes (Dropped). A request that still
// waits in the model must also wait on the server.
func (d *Duel) Collect() {
	d.T.Helper()
	out := d.Model.Output()
	d.pushes = append(d.pushes, out.Pushes...)
	d.drops = append(d.drops, out.Drops...)
	for _, late := range slices.Clone(out.Answers) { // the comparison may call the model
		i := slices.IndexFunc(d.waiting, func(k *call) bool { return k.id == late.ID })
		if i < 0 {
			continue // the test has asked only the model
		}
		k := d.waiting[i]
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.Log("   %s goes on: %s", k, text(late.Value, late.Err))
		d.match(k, late.Answer, ", late")
		d.Count("late", 1)
	}
	d.confirmWaiting()
}

// confirmWaiting returns when the server holds as many requests as the model, and none of them has
// an answer.
func (d *Duel) confirmWaiting() {
	d.T.Helper()
	for began := time.Now(); len(d.waiting) > 0; time.Sleep(200 * time.Microsecond) {
		enough := d.Waits(len(d.waiting))
		if i := slices.IndexFunc(d.waiting, func(k *call) bool { return len(k.got) > 0 }); i >= 0 {
			got := <-d.waiting[i].got
			d.Fail("%s waits in the model, and the server answers %s", d.waiting[i], text(got.Value, got.Err))
		}
		if enough {
			return
		}
		if time.Since(began) > patience {
			d.Fail("%d requests wait in the model, and another number on the server", len(d.waiting))
		}
	}
}

// Waiting is the request that waits on a connection; nil if there is none.
func (d *Duel) Waiting(c store.Conn) ports.Request {
	if k := store.First(d.waiting, func(k *call) bool { return k.conn == c }); k != nil {
		return k.request
	}
	return nil
}

// Closed closes a connection of the model, after the test has closed it on the server.
func (d *Duel) Closed(c store.Conn) {
	d.T.Helper()
	d.Log("client %d is gone", c.Client)
	d.waiting = slices.DeleteFunc(d.waiting, func(k *call) bool { return k.conn == c })
	d.Model.Closed(d.now(), c)
	d.Collect()
}

// compareHeard compares the unsolicited messages of both to a connection. A server sends those of
// one moment in any order.
func (d *Duel) compareHeard(c store.Conn) {
	d.T.Helper()
	want, got := sorted(d.Heard(c)), sorted(d.Hears(c))
	if !slices.Equal(want, got) {
		d.Fail("without being asked, the model tells %q, the server %q", want, got)
	}
	d.Count("told", len(want))
}

func sorted(messages []any) (texts []string) {
	for _, value := range messages {
		texts = append(texts, text(value, nil))
	}
	slices.Sort(texts)
	return texts
}

// Heard returns the unsolicited messages of the model to a connection since the last call.
func (d *Duel) Heard(c store.Conn) (messages []any) {
	d.pushes = slices.DeleteFunc(d.pushes, func(p store.Push) bool {
		if p.Conn.ID != c.ID {
			return false
		}
		messages = append(messages, p.Value)
		return true
	})
	return messages
}

// Dropped reports whether the model has closed a connection.
func (d *Duel) Dropped(c store.Conn) bool {
	return slices.ContainsFunc(d.drops, func(dropped store.Conn) bool { return dropped.ID == c.ID })
}

// Due is when something is due in the model; it fails the test if nothing is.
func (d *Duel) Due() time.Duration {
	d.T.Helper()
	due, ok := d.Model.Due()
	if !ok {
		d.Fail("nothing is due in the model")
	}
	return due
}

// Tick moves the clock to an instant and ticks the model. The server then has to give the same late
// answers, in its own time.
func (d *Duel) Tick(mono time.Duration) {
	d.T.Helper()
	d.Clock.Mono = mono
	d.Model.Tick(d.now())
	d.Collect()
}

// Pass ticks the model in real time, until no request waits or nothing is due within the given
// time.
func (d *Duel) Pass(most time.Duration) {
	d.T.Helper()
	for len(d.waiting) > 0 {
		due, ok := d.Model.Due()
		wait := due - d.now().Mono
		if !ok || wait > most {
			return
		}
		time.Sleep(wait)
		d.Model.Tick(d.now())
		d.Collect()
	}
}
