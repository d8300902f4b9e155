package talk

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
)

// long is a patience that no test reaches.
const long = 10 * time.Minute

// start starts a shell with a script as the program of a lock.
func start(t *testing.T, script string, patience time.Duration) *Program {
	t.Helper()
	scratch := must.Get(osproc.NewScratch())(t)
	p := must.Get(Start(Options{
		Command: []string{"sh", "-c", script}, Env: append(os.Environ(), osproc.EnvRun+"="+scratch.Path()),
		Stderr: io.Discard, Patience: patience,
	}))(t)
	t.Cleanup(func() {
		if err := errors.Join(scratch.KillAll(), scratch.Remove()); err != nil {
			t.Error(err)
		}
		if left := marked(scratch.Path()); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return p
}

// marked lists the living processes with the mark of a run.
func marked(run string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if env, err := os.ReadFile(file); err == nil && strings.Contains(string(env), osproc.EnvRun+"="+run+"\x00") {
			out = append(out, file)
		}
	}
	return out
}

// locked starts a program and makes a lock of it.
func locked(t *testing.T, script string, lease time.Duration) (*Program, locks.Lock) {
	t.Helper()
	p := start(t, script, long)
	return p, must.Get(p.Lock("A", locks.Key, []string{"127.0.0.1:1"}, lease))(t)
}

// acquired acquires a lock.
func acquired(t *testing.T, lock locks.Lock) locks.Lease {
	t.Helper()
	return must.Get(lock.Acquire(t.Context()))(t)
}

const ready = `read q; echo '{"id":1,"ok":true}'; `

// Each misbehaviour has an error of its own.
func TestMisbehaviourHasAName(t *testing.T) {
	for name, tt := range map[string]struct {
		script   string
		patience time.Duration
		want     error
		says     string
	}{
		"garbage":              {ready + `read q; echo 'Traceback (most recent call last):'; sleep 100000`, long, ErrGarbage, `Traceback`},
		"hostile garbage":      {ready + `read q; printf '\033]0;title\007<script>\n'; sleep 100000`, long, ErrGarbage, `\x1b]0;title\a<script>`},
		"unknown field":        {ready + `read q; echo '{"id":2,"ok":true,"tokn":3}'; sleep 100000`, long, ErrGarbage, "tokn"},
		"another case":         {ready + `read q; echo '{"ID":2,"ok":true}'; sleep 100000`, long, ErrGarbage, `line 2, "{\"ID\":2,\"ok\":true}": there is no key "ID": the keys are id, ok,`},
		"two ids":              {ready + `read q; echo '{"id":1,"id":2,"ok":true}'; sleep 100000`, long, ErrGarbage, `"id" is there twice`},
		"two oks":              {ready + `read q; echo '{"id":2,"ok":false,"ok":true}'; sleep 100000`, long, ErrGarbage, `"ok" is there twice`},
		"ok and an error":      {ready + `read q; echo '{"id":2,"ok":true,"err":"timeout"}'; sleep 100000`, long, ErrGarbage, `ok is true and err is "timeout"`},
		"a token, not held":    {ready + `read q; echo '{"id":2,"ok":false,"err":"timeout","token":3}'; sleep 100000`, long, ErrGarbage, "only an acquired lock has one"},
		"ok is a number":       {ready + `read q; echo '{"id":2,"ok":1}'; sleep 100000`, long, ErrGarbage, "ok is 1, and has to be true or false"},
		"ok is null":           {ready + `read q; echo '{"id":2,"ok":null}'; sleep 100000`, long, ErrGarbage, "ok is null"},
		"id is a text":         {ready + `read q; echo '{"id":"2","ok":true}'; sleep 100000`, long, ErrGarbage, "id is \"2\", and has to be a whole number"},
		"an event and more":    {ready + `read q; echo '{"event":"lost","err":"x"}'; sleep 100000`, long, ErrGarbage, "only event"},
		"an empty event":       {ready + `read q; echo '{"id":2,"ok":true,"event":""}'; sleep 100000`, long, ErrGarbage, "only event"},
		"extend too late":      {ready + `read q; echo '{"id":2,"ok":true,"extend":true}'; sleep 100000`, long, ErrAnswer, "belongs to init"},
		"a token too early":    {`read q; echo '{"id":1,"ok":true,"token":3}'; sleep 100000`, long, ErrAnswer, `answers "init" with a token`},
		"no JSON":              {ready + `read q; echo '{"id":2,"ok":true'; sleep 100000`, long, ErrGarbage, "it is no JSON"},
		"no ok":                {ready + `read q; echo '{"id":2}'; sleep 100000`, long, ErrGarbage, "id and ok"},
		"two objects":          {ready + `read q; echo '{"id":2,"ok":true} {}'; sleep 100000`, long, ErrGarbage, "follows"},
		"negative token":       {ready + `read q; echo '{"id":2,"ok":true,"token":-1}'; sleep 100000`, long, ErrGarbage, "negative"},
		"unknown event":        {ready + `read q; echo '{"event":"gained"}'; sleep 100000`, long, ErrGarbage, "only event"},
		"wrong id":             {ready + `read q; echo '{"id":1,"ok":true}'; sleep 100000`, long, ErrWrongID, "question 2, answer 1"},
		"says it twice":        {`read q; echo '{"id":1,"ok":true}'; echo '{"id":1,"ok":true}'; read q; sleep 100000`, long, nil, ""},
		"exits":                {ready + `read q; exit 3`, long, ErrExited, "exit status 3"},
		"killed":               {ready + `read q; kill -9 $$`, long, ErrExited, "signal: killed"},
		"exits in a line":      {ready + `read q; printf '{"id":2,'; exit 0`, long, ErrExited, `in the middle of "{\"id\":2,"`},
		"a line of 1 GB":       {ready + `read q; tr '\0' x </dev/zero | head -c 1000000000; sleep 100000`, long, ErrTooLong, `"xxx`},
		"1 GB of events":       {ready + `read q; yes '{"event":"lost"}'`, long, ErrUnasked, "10001 times"},
		"hangs up":             {ready + `read q; exec >&-; exec sleep 100000`, long, ErrHangedUp, ""},
		"is deaf":              {`read q; exec <&-; echo '{"id":1,"ok":true}'; exec sleep 100000`, long, ErrDeaf, `"acquire"`},
		"refuses init":         {`read q; echo '{"id":1,"ok":false,"err":"unknown","detail":"no server"}'; sleep 100000`, long, ErrAnswer, "no server"},
		"silence":              {ready + `read q; sleep 100000`, 100 * time.Millisecond, ErrSilent, `"acquire"`},
		"ignores SIGTERM":      {ready + `trap '' TERM; read q; sleep 100000`, 100 * time.Millisecond, ErrSilent, ""},
		"leaves a daemon":      {ready + `(trap '' TERM HUP; setsid sleep 100000 >/dev/null 2>&1 &); read q; exit 0`, long, ErrExited, "exit status 0"},
		"has ended when asked": {ready + `exit 5`, long, ErrExited, "exit status 5"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, tt.script, tt.patience)
			lock, err := p.Lock("A", locks.Key, []string{"127.0.0.1:1"}, time.Second)
			if err == nil {
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel()
				_, err = lock.Acquire(ctx)
			}
			if tt.want == nil {
				if !errors.Is(err, ErrUnasked) && !errors.Is(err, ErrWrongID) { // either may come first
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("it counts as an answer, want %v", tt.want)
			}
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || !errors.Is(p.Err(), tt.want) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.says)
			}
			if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\x1b\a") {
				t.Errorf("the error is not bounded and inert: %.2000q", err.Error())
			}
		})
	}
}

// slow is a writer that takes its time.
type slow struct{ strings.Builder }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return s.Builder.Write(p)
}

// The talk with a program that has ended is over when its last words have been written.
func TestTheLastWordsOfAProgram(t *testing.T) {
	said := &slow{}
	p := must.Get(Start(Options{Command: []string{"sh", "-c", "echo no module >&2; exit 1"}, Stderr: said}))(t)
	<-p.Broke()
	if got := said.String(); got != "no module\n" || !errors.Is(p.Err(), ErrExited) {
		t.Errorf("it said %q, %v", got, p.Err())
	}
}

// The error of a missing program names it.
func TestAProgramThatCannotBeStarted(t *testing.T) {
	_, err := Start(Options{Command: []string{"/nowhere/mylock"}, Stderr: io.Discard})
	if !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "/nowhere/mylock") {
		t.Errorf("got %v", err)
	}
}

// The answers have the outcomes that the page describes.
func TestAnswersMeanOutcomes(t *testing.T) {
	_, lock := locked(t, ready+`
read q; echo '{"id":2,"ok":true,"token":34}'
read q; echo '{"id":3,"ok":true}'
read q; echo '{"id":4,"ok":false,"err":"timeout"}'
read q; echo '{"id":5,"ok":false,"err":"unknown","detail":"no answer"}'
read q; echo '{"id":6,"ok":true}'
read q; echo '{"id":7,"ok":false,"err":"not-held"}'
read q; echo '{"id":8,"ok":true}'
read q; echo '{"id":9,"ok":false,"err":"unknown","detail":"lost"}'
read q`, time.Second)
	ctx := context.Background()
	lease := acquired(t, lock)
	must.Equalf(t, lease.Token(), 34, "token")
	if err := lease.Release(ctx); err != nil {
		t.Errorf("release: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := lock.Acquire(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a timeout: %v", err)
	}
	if _, err := lock.Acquire(ctx); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("an unknown outcome: %v", err)
	}
	for _, want := range []error{locks.ErrNotHeld, nil} {
		err := acquired(t, lock).Release(ctx)
		if want != nil && !errors.Is(err, want) || want == nil && (err == nil || errors.Is(err, locks.ErrNotHeld)) {
			t.Errorf("release: got %v, want %v", err, want)
		}
	}
}

// The holder learns of a loss, by an event or by the answer to an extension.
func TestTheHolderLearnsOfALoss(t *testing.T) {
	for name, script := range map[string]string{
		"event":  ready + `read q; echo '{"id":2,"ok":true}'; echo '{"event":"lost"}'; read q`,
		"extend": `read q; echo '{"id":1,"ok":true,"extend":true}'; read q; echo '{"id":2,"ok":true}'; read q; echo '{"id":3,"ok":true}'; read q; echo '{"id":4,"ok":false,"err":"not-held"}'; read q`,
	} {
		t.Run(name, func(t *testing.T) {
			p, lock := locked(t, script, 30*time.Millisecond)
			<-acquired(t, lock).Lost().Done()
			if p.Err() != nil {
				t.Error(p.Err())
			}
		})
	}
}

// A loss before a lease begins does not concern it, and only the answer to acquire may have a
// token.
func TestAnswersToOtherQuestions(t *testing.T) {
	p, lock := locked(t, ready+`
read q; echo '{"id":2,"ok":true}'
read q; echo '{"event":"lost"}'; echo '{"id":3,"ok":true}'
read q; echo '{"id":4,"ok":true}'
read q; echo '{"id":5,"ok":true,"token":7}'
read q`, time.Second)
	must.Do(t, acquired(t, lock).Release(t.Context()))
	second := acquired(t, lock)
	err := second.Release(t.Context())
	if second.Lost().Err() != nil || len(p.lost) > 0 {
		t.Error("the second lease is lost by an earlier event")
	}
	if !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), `answers "release" with a token`) {
		t.Errorf("a release with a token: %v", err)
	}
}
