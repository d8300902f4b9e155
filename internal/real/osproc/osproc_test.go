package osproc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

func TestOnlyTheDirectoriesOfDeadHarnessesAreStale(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	mine := must.Get(osproc.NewScratch())(t)
	stay := []string{
		filepath.Base(mine.Path()),
		fmt.Sprintf("lockstep-%d-%s-77", os.Getpid(), osproc.StartTime(os.Getpid())), // alive, by its process
		"lockstep-plots", "lockstep-1-2-3-old", "other-1-2-3",
	}
	stale := []string{
		fmt.Sprintf("lockstep-%d-1-77", os.Getpid()), // an older process with our number
		"lockstep-999999999-5-6",                     // no such process
	}
	for _, name := range append(stay[1:], stale...) {
		must.Do(t, os.MkdirAll(filepath.Join(tmp, name, "redis"), 0o700))
	}
	// A directory without a visible process, but with a held lock, belongs to a harness in another
	// container.
	foreign := filepath.Join(tmp, "lockstep-999999998-5-6")
	must.Do(t, os.Rename(mine.Path(), foreign))
	stay[0] = filepath.Base(foreign)

	runtime.GC() // which would close the lock's file if it were unreferenced
	must.Equalf(t, osproc.RemoveStale(), len(stale), "removed")
	runtime.KeepAlive(mine)
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(tmp, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range stale {
		if _, err := os.Stat(filepath.Join(tmp, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// share is the share of a session, by the kernel: "nice 0"; "" without autogroups.
func share(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", pid))
	if err != nil {
		return ""
	}
	_, nice, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return nice
}

func sleeping(t *testing.T) *osproc.Process {
	t.Helper()
	child := must.Get(osproc.Start(exec.Command("sleep", "60")))(t)
	t.Cleanup(func() { _ = child.Kill() })
	return child
}

func TestAChildStepsBackAlone(t *testing.T) {
	child := sleeping(t)
	if share(child.Pid()) == "" {
		if osproc.StepBack(child.Pid()) {
			t.Fatal("a child has stepped back on a machine without autogroups")
		}
		return
	}
	mine := share(os.Getpid())
	if !osproc.StepBack(child.Pid()) {
		t.Fatal("the child has not stepped back")
	}
	must.Equalf(t, share(child.Pid()), "nice 10", "a child that has stepped back has")
	if got := share(os.Getpid()); got != mine {
		t.Errorf("its parent has %q now, %q before", got, mine)
	}
	must.Do(t, osproc.StepForward(child.Pid()))
	must.Equalf(t, share(child.Pid()), "nice 0", "a child that has come forward has")
}

func TestAProcessThatHasEndedNeedNotStepForward(t *testing.T) {
	child := sleeping(t)
	osproc.StepBack(child.Pid())
	must.Do(t, child.Kill())
	if err := osproc.StepForward(child.Pid()); err != nil {
		t.Error(err)
	}
}

// state is the letter that the kernel gives a process; "" when there is none.
func state(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))[0]
}

func TestAFamilyIsFrozenAndKilledAsOne(t *testing.T) {
	out := must.Get(os.CreateTemp(t.TempDir(), "children"))(t)
	defer out.Close()
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; sleep 1000 & echo $!; wait")
	cmd.Stdout = out
	p := osproc.Family{Process: must.Get(osproc.Start(cmd))(t)}
	defer p.Kill()
	family := []int{p.Pid(), 0, 0}
	if !realtest.Soon(10*time.Second, func() bool {
		raw, _ := os.ReadFile(out.Name())
		n, _ := fmt.Sscan(string(raw), &family[1], &family[2])
		return n == 2
	}) {
		t.Fatal("no children")
	}
	must.Do(t, p.Freeze())
	for _, pid := range family {
		must.Equalf(t, state(pid), "T", "process %d is in state … after the freeze", pid)
	}
	must.Do(t, p.Thaw())
	for _, pid := range family {
		if s := state(pid); s == "T" {
			t.Errorf("process %d is still stopped", pid)
		}
	}
	must.Do(t, p.Kill())
	for _, pid := range family {
		must.Equalf(t, osproc.StartTime(pid), "", "process %d is still alive", pid)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("a dead family: %v", err)
	}
	if err := p.Freeze(); err == nil {
		t.Error("a dead family was stopped: its number may be another process's")
	}
}

// envHarness makes the test's program a harness that dies; its value says how.
const envHarness = "LOCKSTEP_TEST_HARNESS"

var remains = osproc.Remains{
	Env: "LOCKSTEP_TEST_REAPER_OF", Name: "things",
	Remove: func(string) error { return errors.New("it is stuck") },
}

func TestMain(m *testing.M) {
	remains.ReaperMain()
	if how := os.Getenv(envHarness); how != "" {
		reaper, err := remains.Reaper("this")
		if err == nil && how != "dies" {
			err = reaper.End(how == "removed")
		}
		fmt.Println("ends with", err)
		return
	}
	if file := os.Getenv(envSharer); file != "" {
		shareMemory(file)
		return
	}
	os.Exit(m.Run())
}

// A reaper writes its errors to the standard error of the harness.
func TestAReaperTellsWhatItCouldNotRemove(t *testing.T) {
	stuck := "lockstep: not all things were removed that a dead harness has left (this): it is stuck\n"
	for how, want := range map[string]string{
		"dies":    "ends with <nil>\n" + stuck,
		"failed":  stuck + "ends with the process that cleans up: exit status 1\n",
		"removed": "ends with <nil>\n",
	} {
		harness := exec.Command(os.Args[0])
		harness.Env = append(os.Environ(), envHarness+"="+how)
		// Both processes write to one pipe, which ends when both have ended.
		said, err := harness.CombinedOutput()
		if err != nil {
			t.Error(err)
		}
		must.Equalf(t, string(said), want, "%s: the harness and its reaper said", how)
	}
}

// envSharer makes the test's program share memory by a file; its value is the file.
const envSharer = "LOCKSTEP_TEST_MEMORY_SHARER"

func shareMemory(file string) {
	f, err := os.Create(file)
	if err == nil {
		err = f.Truncate(4096)
	}
	if err == nil {
		_, err = syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED)
	}
	if err == nil {
		err = os.Rename(file, file+"-mapped")
	}
	fmt.Println(err)
	time.Sleep(time.Hour)
}

// A killed program cannot remove its files of shared memory. Here it is a child of the program that
// is run, as with initdb.
func TestKilledProgramsLeaveNoSharedMemory(t *testing.T) {
	file := fmt.Sprintf("/dev/shm/lockstep-test.%d", os.Getpid())
	mapped := file + "-mapped"
	t.Cleanup(func() { os.Remove(file); os.Remove(mapped) })
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		realtest.Soon(10*time.Second, func() bool {
			_, err := os.Stat(mapped)
			return err == nil
		})
	}()
	cmd := exec.Command("sh", "-c", `"$0"; true`, os.Args[0])
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), envSharer+"="+file)
	if _, err := osproc.Output(ctx, cmd); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not killed: %v", err)
	}
	if _, err := os.Stat(mapped); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", mapped, err)
	}
}
