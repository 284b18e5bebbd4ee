//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"math"
	"unsafe"
)

// tallyAVX2 is in assembly for its prefetches, which archsimd lacks. The variants differ in the
// prefetch of keys; all prefetch counts.
func (s *Set) tallyAVX2() {
	s.vary(tallyAs("nta", ahead(tallyNTA)), tallyAs("t0", ahead(tallyT0)))
}

func tallyAs(name string, t Tally) variant {
	return variant{"tally", name, func(s *Set) { s.Tally = t }}
}

func ahead(tally func(counts *uint32, limit int, keys *int32, n int, lo int32) int) Tally {
	return func(counts []uint32, keys []int32, lo int32) {
		for len(keys) >= tallyBlock && len(counts) <= math.MaxUint32 {
			n := min(len(keys), tallyAtOnce)
			keys = keys[tally(unsafe.SliceData(counts), len(counts), &keys[0], n, lo):]
		}
		plainTally(counts, keys, lo)
	}
}

const (
	tallyBlock  = 40      // keys that the loops need at least
	tallyAtOnce = 1 << 17 // keys; bounds the time in which the runtime cannot stop the caller
)

// tallyNTA and those below are a Tally of n keys, at least tallyBlock, without the last 32 to 39.
// They return the number of keys counted.
//
//go:noescape
func tallyNTA(counts *uint32, limit int, keys *int32, n int, lo int32) int

//go:noescape
func tallyT0(counts *uint32, limit int, keys *int32, n int, lo int32) int
