package osproc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

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
