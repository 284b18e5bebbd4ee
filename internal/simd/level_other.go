//go:build !(goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28)

package simd

// built reports whether this build has vector loops.
const built = false

// sets returns plain Go alone: this build has nothing else.
func sets() []*Set { return []*Set{plain()} }
