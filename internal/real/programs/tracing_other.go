//go:build !linux

package programs

import "context"

// lookForTracing knows that there is no such thing here. Package osproc, which would know, does not build on
// every system that the simulator runs on.
func lookForTracing(context.Context) Found {
	return Found{Path: "of children", Problem: "only Linux has what it takes"}
}
