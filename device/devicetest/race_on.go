//go:build race

package devicetest

import (
	"runtime"
	"unsafe"
)

// raceDetector reports whether the race detector is on, which makes everything
// several times slower.
const raceDetector = true

// reading and writing report an access to all of b to the race detector by one call. Loops over payloads are excluded from it
// (go:norace), because it would call the detector for each byte of each word: two thirds of the time of the suite.
func reading(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}

func writing(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}
