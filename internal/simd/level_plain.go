//go:build !(goexperiment.simd && amd64 && !go1.27)

package simd

// sets returns plain Go alone: this build has nothing else.
func sets() []*Set { return []*Set{plain()} }
