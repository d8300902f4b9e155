package containers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errElsewhere is the error of an engine in a virtual machine, or of a rootless one.
var errElsewhere = errors.New("the container engine does not share the network of this machine: servers have to reach proxies on the loopback interface; use an engine of the system (not a rootless one or one in a virtual machine), or play with --backend process")

// allProcesses is the initial PID namespace, which has all processes of the machine and always
// this number.
const allProcesses = "pid:[4026531836]"

// sees reports whether the PID that the engine gives for a running container is that of the
// container's process for this one, too. It returns errElsewhere if the two certainly have
// different networks. proc is the directory /proc.
func sees(proc, id string, pid int) (bool, error) {
	at := func(path ...string) string { return filepath.Join(append([]string{proc}, path...)...) }
	number := fmt.Sprint(pid)
	// The PID of a process in a virtual machine may be that of another process here, so compare
	// the name of the control group, which is the ID of the container.
	group, err := os.ReadFile(at(number, "cgroup"))
	if err != nil || !strings.Contains(string(group), id) {
		if ours, _ := os.Readlink(at("self", "ns", "pid")); ours == allProcesses {
			return false, errElsewhere
		}
		return false, nil // this process runs in a container itself
	}
	ours, err := os.Readlink(at("self", "ns", "net"))
	if err != nil {
		return true, nil
	}
	theirs, err := os.Readlink(at(number, "ns", "net"))
	// A link that may not be read belongs to another user, so the engine is the system's.
	if errors.Is(err, os.ErrPermission) || ours == theirs {
		return true, nil
	}
	return true, errElsewhere
}
