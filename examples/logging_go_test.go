package examples_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	locklog "lockstep/examples/logging/go"

	"lockstep/internal/must"
)

// told plays a story in Go, as testdata/logging does in other languages: two goroutines, and a
// mutex or nothing.
type told struct {
	a, b   *slog.Logger
	lies   bool
	mutex  sync.Mutex
	tokens int64

	aIsIn, bTries, bIsIn, aIsInAgain, bGaveUp, aLostIt, bIsOut, bIsDone chan struct{}
}

// The test binary is the program of the stories in Go: FILE works|lies.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != "locks.jsonl" {
		os.Exit(m.Run())
	}
	if err := tell(os.Args[1], os.Args[2] == "lies"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestTheLogOfGo(t *testing.T) {
	binary := must.Get(os.Executable())(t)
	program(t, binary, "locks.jsonl")
}

func tell(file string, lies bool) error {
	log, err := os.Create(file)
	if err != nil {
		return err
	}
	defer log.Close()
	l := locklog.New(log)
	s := &told{a: locklog.Client(l), b: locklog.Client(l), lies: lies}
	for _, c := range []*chan struct{}{&s.aIsIn, &s.bTries, &s.bIsIn, &s.aIsInAgain, &s.bGaveUp, &s.aLostIt, &s.bIsOut, &s.bIsDone} {
		*c = make(chan struct{})
	}
	var ofB error
	go func() {
		ofB = s.clientB()
		close(s.bIsDone)
	}()
	ofA := s.clientA()
	<-s.bIsDone
	return errors.Join(ofA, ofB)
}

var errWork = errors.New("the work fails")

func (s *told) acquire() (int64, error) {
	if !s.lies {
		s.mutex.Lock()
	}
	time.Sleep(2 * time.Millisecond) // for a later time than that of the line before
	s.tokens++
	return s.tokens, nil
}

func (s *told) release() error {
	if !s.lies {
		s.mutex.Unlock()
	}
	return nil
}

func (s *told) clientA() error {
	replyLate := func() error {
		err := s.release()
		<-s.bIsIn
		return err
	}
	err := locklog.Do(s.a, lock, s.acquire, replyLate, func(h *locklog.Hold) error {
		close(s.aIsIn)
		if s.lies {
			<-s.bIsDone
		} else {
			<-s.bTries
			elsewhere(h.Extended) // as a watchdog does
		}
		h.Write()
		return nil
	})
	if s.lies || err != nil {
		return err
	}
	<-s.bIsOut
	return locklog.Do(s.a, lock, s.acquire, func() error { return nil }, func(h *locklog.Hold) error {
		close(s.aIsInAgain)
		<-s.bGaveUp
		elsewhere(h.Lost)
		elsewhere(h.Extended) // a late one
		err := s.release()
		close(s.aLostIt)
		<-s.bIsDone
		return err
	})
}

func (s *told) clientB() error {
	<-s.aIsIn
	tries := func() (int64, error) {
		close(s.bTries)
		return s.acquire()
	}
	failed := locklog.Do(s.b, lock, tries, s.release, func(h *locklog.Hold) error {
		close(s.bIsIn)
		time.Sleep(2 * time.Millisecond)
		h.Write()
		return errWork
	})
	close(s.bIsOut)
	if !errors.Is(failed, errWork) {
		return fmt.Errorf("the work has not failed: %w", failed)
	}
	if s.lies {
		return nil
	}
	<-s.aIsInAgain
	busy := errors.New("another client has it")
	if err := locklog.Do(s.b, lock, func() (int64, error) { return 0, busy }, s.release, nil); !errors.Is(err, busy) {
		return fmt.Errorf("it has the lock: %w", err)
	}
	close(s.bGaveUp)
	<-s.aLostIt
	return locklog.Do(s.b, lock, s.acquire, s.release, func(*locklog.Hold) error { return nil })
}

// elsewhere calls a function in another goroutine, and waits for it.
func elsewhere(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}
