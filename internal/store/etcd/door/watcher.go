package door

import (
	_ "unsafe" // for go:linkname

	_ "go.etcd.io/etcd/client/v3" // whose variable it is
)

// neverClosed is a channel of the client library that it makes when the program begins and never
// closes (valCtxCh in watch.go): a context without end waits for it. A goroutine that waits for a
// channel from outside its bubble keeps virtual time from passing. A nil channel is never closed
// either, and no goroutine waits for it.
//
//go:linkname neverClosed go.etcd.io/etcd/client/v3.valCtxCh
var neverClosed chan struct{}

func init() { neverClosed = nil }
