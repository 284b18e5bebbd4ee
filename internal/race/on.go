//go:build race

package race

import (
	"runtime"
	"unsafe"
)

// Enabled reports whether the race detector is on, which makes everything several times slower.
const Enabled = true

// Reads reports a read of all of b to the race detector by one call. Loops over payloads are
// excluded from it (go:norace) and call Reads or Writes, because it would call the detector for
// each byte of each word.
func Reads(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}

// Writes is Reads for writes.
func Writes(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}
