package storetest

import (
	"slices"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// What comes later than the request: late answers, what a store tells by itself, and time that passes.

// Collect takes the output of the model: late answers, which the server has to give as well, unsolicited
// messages (Heard), and connections that it closes (Dropped). A request that still waits in the model must
// do so on the server.
func (d *Duel) Collect() {
	d.T.Helper()
	out := d.Model.Output()
	for _, p := range out.Pushes {
		if d.heard == nil {
			d.heard = map[uint64][]any{}
		}
		d.heard[p.Conn.ID] = append(d.heard[p.Conn.ID], p.Value)
	}
	for _, c := range out.Drops {
		if d.dropped == nil {
			d.dropped = map[uint64]bool{}
		}
		d.dropped[c.ID] = true
	}
	for _, late := range slices.Clone(out.Answers) { // the comparison may ask the model for something
		i := slices.IndexFunc(d.waiting, func(k *call) bool { return k.id == late.ID })
		if i < 0 {
			continue // of a test that has asked the model alone
		}
		k := d.waiting[i]
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.Log("   %s goes on: %s", k, late.Text)
		d.match(k, late.Answer, ", late")
		d.Count("late", 1)
	}
	d.seeThemWait()
}

// seeThemWait returns when the server keeps as many waiting as the model, and none of them has an answer.
func (d *Duel) seeThemWait() {
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

// Waiting is the request that waits on a connection; nil: none does.
func (d *Duel) Waiting(c store.Conn) ports.Request {
	i := slices.IndexFunc(d.waiting, func(k *call) bool { return k.conn == c })
	if i < 0 {
		return nil
	}
	return d.waiting[i].request
}

// Closed tells the model that a connection is gone, which the test has closed on the server.
func (d *Duel) Closed(c store.Conn) {
	d.T.Helper()
	d.Log("client %d is gone", c.Client)
	d.waiting = slices.DeleteFunc(d.waiting, func(k *call) bool { return k.conn == c })
	d.Model.Closed(d.now(), c)
	d.Collect()
}

// compareHeard compares what both have told a connection. What belongs to one moment a server tells in any order.
func (d *Duel) compareHeard(c store.Conn) {
	d.T.Helper()
	want, got := inOrder(d.Heard(c)), inOrder(d.Hears(c))
	if !slices.Equal(want, got) {
		d.Fail("without being asked, the model tells %q, the server %q", want, got)
	}
	d.Count("told", len(want))
}

func inOrder(told []any) (texts []string) {
	for _, value := range told {
		texts = append(texts, text(value, nil))
	}
	slices.Sort(texts)
	return texts
}

// Heard returns what the model has told a connection without being asked since the last call.
func (d *Duel) Heard(c store.Conn) []any {
	defer delete(d.heard, c.ID)
	return d.heard[c.ID]
}

// Dropped reports whether the model has closed a connection.
func (d *Duel) Dropped(c store.Conn) bool { return d.dropped[c.ID] }

// Due is when the model wants to do something by itself.
func (d *Duel) Due() time.Duration {
	d.T.Helper()
	due, ok := d.Model.Due()
	if !ok {
		d.Fail("nothing is due in the model")
	}
	return due
}

// Tick moves the clock to an instant, and lets the model do what is due. What it answers now the server has to
// answer in its own time.
func (d *Duel) Tick(mono time.Duration) {
	d.T.Helper()
	d.Clock.Mono = mono
	d.Model.Tick(d.now())
	d.Collect()
}

// Pass lets real time go on, and the model do what is due, until no request waits that anything due within a time
// could answer.
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
