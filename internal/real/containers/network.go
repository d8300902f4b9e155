package containers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errElsewhere is said of an engine that lives in a virtual machine or belongs to a user.
var errElsewhere = errors.New("the container engine does not share the network of this machine: servers have to reach proxies on the loopback interface; use an engine of the system (not a rootless one or one in a virtual machine), or play with --backend process")

// allProcesses is the namespace of process numbers in which no process of the machine is
// missing: the kernel gives it always the same number.
const allProcesses = "pid:[4026531836]"

// sees reports whether this process sees that of a running container, by the number that
// the engine gives it. It returns errElsewhere when the network of the two is certainly
// not the same: then the process is on another machine, or in another network of this one.
// proc is the directory /proc.
func sees(proc, id string, pid int) (bool, error) {
	at := func(path ...string) string { return filepath.Join(append([]string{proc}, path...)...) }
	number := fmt.Sprint(pid)
	// A process of a virtual machine may have the number of some process here; the name
	// of its control group is that of the container.
	group, err := os.ReadFile(at(number, "cgroup"))
	if err != nil || !strings.Contains(string(group), id) {
		if ours, _ := os.Readlink(at("self", "ns", "pid")); ours == allProcesses {
			return false, errElsewhere
		}
		return false, nil // this process lives in a container itself, and sees few others
	}
	ours, err := os.Readlink(at("self", "ns", "net"))
	if err != nil {
		return true, nil
	}
	theirs, err := os.Readlink(at(number, "ns", "net"))
	// What may not be read belongs to another user, so the engine is one of the system.
	if errors.Is(err, os.ErrPermission) || ours == theirs {
		return true, nil
	}
	return true, errElsewhere
}
