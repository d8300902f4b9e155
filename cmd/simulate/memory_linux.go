package main

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// memory returns the address space of this program, which `ulimit -v` bounds, and its resident
// memory, which the machine or its container bounds.
func memory() (space, resident room) {
	space.used, resident.used = pagesInUse()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err == nil && limit.Cur < math.MaxInt64 {
		space.most = int64(limit.Cur)
	}
	var machine unix.Sysinfo_t
	if err := unix.Sysinfo(&machine); err == nil {
		resident.most = int64(machine.Totalram) * int64(machine.Unit)
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64); err == nil && n < resident.most {
			resident.most = n
		}
	}
	return space, resident
}

// pagesInUse reads the address space and the resident memory of this program from /proc, in bytes;
// 0 if unknown.
func pagesInUse() (space, resident int64) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0, 0
	}
	space, _ = strconv.ParseInt(string(fields[0]), 10, 64)
	resident, _ = strconv.ParseInt(string(fields[1]), 10, 64)
	page := int64(os.Getpagesize())
	return space * page, resident * page
}
