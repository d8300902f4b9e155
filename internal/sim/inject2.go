package sim

import "time"

// Promote implements faults.World.
func (in injector) Promote(int) { panic("sim: not built yet") }

// Restart implements faults.World.
func (in injector) Restart(int, string, time.Duration) { panic("sim: not built yet") }

// Partition implements faults.World.
func (in injector) Partition(int, []string, []string, bool) { panic("sim: not built yet") }

// HealPartition implements faults.World.
func (in injector) HealPartition(int) { panic("sim: not built yet") }

// JumpClock implements faults.World.
func (in injector) JumpClock(int, string, time.Duration) { panic("sim: not built yet") }

// DriftClock implements faults.World.
func (in injector) DriftClock(int, string, int64) { panic("sim: not built yet") }

// Evict implements faults.World.
func (in injector) Evict(int) { panic("sim: not built yet") }

// Lag implements faults.World.
func (in injector) Lag(int, time.Duration) { panic("sim: not built yet") }
