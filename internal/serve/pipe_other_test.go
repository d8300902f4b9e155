//go:build !unix

package serve

// makePipe makes none where files cannot be pipes: what is not there is not served either.
func makePipe(string) error { return nil }
