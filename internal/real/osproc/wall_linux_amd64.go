package osproc

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The functions that stand in for those of the kernel. They are never called here.
func wrongClockGettime()
func wrongGettimeofday()
func wrongTime()

// wrongFunctions returns where they are.
func wrongFunctions() (clockGettime, gettimeofday, time unsafe.Pointer)

var errNoWall error

// functionRoom is what each of them has on the page; none is as long.
const functionRoom = 256

// replacements are the names of the kernel's functions and, in the same order, where
// on the page stands what is executed instead.
var replacements = []struct {
	name string
	at   uintptr
}{
	{"__vdso_clock_gettime", 0},
	{"__vdso_gettimeofday", functionRoom},
	{"__vdso_time", 2 * functionRoom},
}

// NewWall returns a clock that shows the host's time.
func NewWall() (*Wall, error) {
	fd, err := unix.MemfdCreate(wallName, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("no memory for a clock: %w: free memory, or raise the limit of open files (ulimit -n)", err)
	}
	w := &Wall{memory: os.NewFile(uintptr(fd), "clock")}
	err = w.memory.Truncate(pageSize)
	if err == nil {
		w.page, err = unix.Mmap(fd, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("no memory for a clock: %w: free memory", err), w.memory.Close())
	}
	var code [3]unsafe.Pointer
	code[0], code[1], code[2] = wrongFunctions()
	for i, r := range replacements {
		copy(w.page[r.at:r.at+functionRoom], unsafe.Slice((*byte)(code[i]), functionRoom))
	}
	return w, w.Set(0, 0)
}

// Close frees the clock; its processes have to be dead. It may be called twice.
func (w *Wall) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.page == nil {
		return nil
	}
	err := unix.Munmap(w.page)
	w.page = nil
	return errors.Join(err, w.memory.Close())
}

// CanSetWall is nil where processes can be started with a Wall: it tries.
func CanSetWall() error {
	w, err := NewWall()
	if err != nil {
		return err
	}
	defer w.Close()
	cmd := exec.Command("/proc/self/exe") // which is killed before it does anything
	cmd.SysProcAttr = childAttr(nil)
	var installed error
	tried := false
	started := make(chan error, 1)
	forks() <- func() {
		started <- w.begin(cmd, func(pid int) error {
			tried, installed = true, w.install(pid)
			return errors.New("that was all")
		})
	}
	if err := <-started; !tried {
		return err
	}
	return installed
}

// start starts a process with the clock. It is called on the thread that forks, as
// tracing is tied to that.
func (w *Wall) start(cmd *exec.Cmd) error {
	return w.begin(cmd, func(pid int) error {
		if err := w.install(pid); err != nil {
			return err
		}
		return unix.PtraceDetach(pid)
	})
}

// clockFD is where a process finds the page before its first instruction.
const clockFD = 3

// errNoTracing says what it takes to give a process a clock.
var errNoTracing = errors.New("giving a process a clock of its own takes the right to trace it (ptrace): see /proc/sys/kernel/yama/ptrace_scope, which must not be 3, and start a container with --cap-add SYS_PTRACE")

// begin starts a process that stops before its first instruction, and has something
// done to it there. After an error the process is gone.
func (w *Wall) begin(cmd *exec.Cmd, do func(pid int) error) error {
	cmd.SysProcAttr.Ptrace = true
	cmd.ExtraFiles = []*os.File{w.memory} // becomes clockFD
	if err := cmd.Start(); err != nil {
		if errors.Is(err, unix.EPERM) {
			return errors.Join(err, errNoTracing)
		}
		return err
	}
	var status unix.WaitStatus
	_, err := unix.Wait4(cmd.Process.Pid, &status, 0, nil)
	switch {
	case err != nil:
	case !status.Stopped() || status.StopSignal() != unix.SIGTRAP:
		err = fmt.Errorf("it did not stop at its start (status %#x)", uint32(status))
	default:
		err = do(cmd.Process.Pid)
	}
	if err != nil {
		_ = cmd.Process.Kill() // it may be dead
		_ = cmd.Wait()         // the same
		return fmt.Errorf("%s got no clock of its own: %w", cmd.Path, err)
	}
	return nil
}

// install gives a process that has stopped before its first instruction the page, and
// makes the functions of its vDSO jump there.
func (w *Wall) install(pid int) error {
	page, err := inject(pid, unix.SYS_MMAP, 0, pageSize, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED, clockFD, 0)
	if err != nil {
		return fmt.Errorf("the page of the clock cannot be mapped: %w", err)
	}
	if _, err := inject(pid, unix.SYS_CLOSE, clockFD); err != nil {
		return err
	}
	functions, err := vdsoOf(pid)
	if err != nil {
		return err
	}
	for _, r := range replacements {
		at, ok := functions[r.name]
		if !ok {
			return fmt.Errorf("the kernel's vDSO has no function %s: this kernel is not known here", r.name)
		}
		if err := poke(pid, at, jumpTo(page+r.at)); err != nil {
			return err
		}
	}
	return nil
}

// jumpTo is a jump that leaves where it leads in R11:
//
//	MOVQ $to, R11
//	JMP  R11
func jumpTo(to uintptr) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{0x49, 0xbb}, uint64(to)), 0x41, 0xff, 0xe3)
}

// poke writes into a traced process, whatever the pages there allow; those of the vDSO
// become its own by that.
func poke(pid int, at uintptr, what []byte) error {
	if _, err := unix.PtracePokeData(pid, at, what); err != nil {
		return fmt.Errorf("its memory at %#x cannot be written: %w", at, err)
	}
	return nil
}

// inject has a traced process do a system call, and returns its result. Where it was
// to go on it goes on.
func inject(pid int, call uint64, args ...uint64) (uintptr, error) {
	var before, regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &before); err != nil {
		return 0, err
	}
	regs = before
	regs.Rax, regs.Orig_rax = call, ^uint64(0) // no call is under way that could be repeated
	for i, to := range []*uint64{&regs.Rdi, &regs.Rsi, &regs.Rdx, &regs.R10, &regs.R8, &regs.R9} {
		if i < len(args) {
			*to = args[i]
		}
	}
	syscallInstruction := []byte{0x0f, 0x05}
	there := make([]byte, len(syscallInstruction))
	if _, err := unix.PtracePeekData(pid, uintptr(before.Rip), there); err != nil {
		return 0, err
	}
	err := errors.Join(poke(pid, uintptr(before.Rip), syscallInstruction), unix.PtraceSetRegs(pid, &regs))
	if err == nil {
		err = step(pid)
	}
	if err == nil {
		err = unix.PtraceGetRegs(pid, &regs)
	}
	if err = errors.Join(err, poke(pid, uintptr(before.Rip), there), unix.PtraceSetRegs(pid, &before)); err != nil {
		return 0, err
	}
	if failed := -int64(regs.Rax); failed > 0 && failed < pageSize {
		return 0, syscall.Errno(failed)
	}
	return uintptr(regs.Rax), nil
}

// step has a traced process execute one instruction.
func step(pid int) error {
	if err := unix.PtraceSingleStep(pid); err != nil {
		return err
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	if !status.Stopped() || status.StopSignal() != unix.SIGTRAP {
		return fmt.Errorf("it did not stop after one instruction (status %#x)", uint32(status))
	}
	return nil
}

// vdsoOf finds the functions of a process's vDSO: where they are, by their names.
func vdsoOf(pid int) (map[string]uintptr, error) {
	const sysinfoEHDR = 33 // AT_SYSINFO_EHDR in getauxval(3)
	base, err := auxiliary(pid, sysinfoEHDR)
	if err != nil {
		return nil, err
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	const most = 1 << 20 // it has a few pages
	image, err := elf.NewFile(io.NewSectionReader(memory, int64(base), most))
	if err != nil {
		return nil, fmt.Errorf("the kernel's vDSO cannot be read: %w", err)
	}
	symbols, err := image.DynamicSymbols()
	if err != nil || image.Machine != elf.EM_X86_64 || len(image.Progs) == 0 {
		return nil, fmt.Errorf("the kernel's vDSO (%v) has no functions that are known here: %w", image.Machine, err)
	}
	out := map[string]uintptr{}
	for _, s := range symbols {
		out[s.Name] = uintptr(base + s.Value - image.Progs[0].Vaddr)
	}
	return out, nil
}

// auxiliary returns what the kernel has told a process under a number at its start.
func auxiliary(pid int, number uint64) (uint64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		return 0, err
	}
	for ; len(raw) >= 16; raw = raw[16:] {
		if binary.LittleEndian.Uint64(raw) == number {
			return binary.LittleEndian.Uint64(raw[8:]), nil
		}
	}
	return 0, errors.New("the kernel gives processes no vDSO: it was started with vdso=0")
}
