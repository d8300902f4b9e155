package consul

import (
	"strconv"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.
type (
	CreateSession  = world.ConsulCreateSession
	RenewSession   = world.ConsulRenewSession
	DestroySession = world.ConsulDestroySession
	Acquire        = world.ConsulAcquire
	Release        = world.ConsulRelease
	Get            = world.ConsulGet
)

var _ store.Patient = Get{}

func yesOrNo(yes bool) store.Answer {
	return store.Answer{Value: yes, Text: strconv.FormatBool(yes)}
}

func failed(err error) store.Answer { return store.Answer{Err: err, Text: err.Error()} }
