//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"math"
	"unsafe"
)

// tallyAVX2 is in assembly for its prefetches, which archsimd of Go 1.26 lacks.
func (s *Set) tallyAVX2() {
	s.Tally = func(counts []uint32, keys []int32, lo int32) {
		for len(keys) >= tallyBlock && len(counts) <= math.MaxUint32 {
			n := min(len(keys), tallyAtOnce)
			done := tallyAhead(unsafe.SliceData(counts), len(counts), &keys[0], n, lo)
			keys = keys[done:]
		}
		plainTally(counts, keys, lo)
	}
}

const (
	tallyBlock  = 40      // keys that tallyAhead needs at least
	tallyAtOnce = 1 << 17 // keys; bounds the time in which the runtime cannot stop the caller
)

// tallyAhead is a Tally of n keys, at least tallyBlock, without the last 32 to 39. It returns the
// number of keys counted.
//
//go:noescape
func tallyAhead(counts *uint32, limit int, keys *int32, n int, lo int32) int
