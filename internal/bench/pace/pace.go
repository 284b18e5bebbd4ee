// Package pace measures the current speed of a core. A virtual core shares the execution units of a
// physical one with its sibling thread, which the hypervisor may give to another machine, and the
// clock rate may follow load and heat: code then takes up to 1.9 times as long, and no counter of
// the kernel shows it.
package pace

import "time"

const (
	turns = 5000 // of the loop: about 5 us
	times = 3    // the least counts, because interrupts only add time
)

// MinTime is a bound in seconds below the time of the loop on any processor: its turns depend on
// each other and take a cycle each, on a clock of at most 10 GHz. A shorter time is an error of the
// clock or of a file.
const MinTime = turns / 10e9

// Loop returns the time of a fixed loop on the calling thread, in seconds: the least of three. The
// time of the loop depends on the number of parallel additions per cycle; dependent additions would
// not slow down while another thread uses the same units.
func Loop() float64 {
	smallest := time.Duration(1<<63 - 1)
	for range times {
		start := time.Now()
		_ = additions() // is not inlined, so that the compiler does not remove it
		smallest = min(smallest, time.Since(start))
	}
	return smallest.Seconds()
}

// additions is also in peers/c/pace.h, as the compiler translates it.
//
//go:noinline
func additions() uint64 {
	var a, b, c, d, e, f uint64
	for i := uint64(0); i < turns; i++ {
		a += i
		b += 2
		c += 3
		d += 4
		e += 5
		f += 6
		a += 7
		b += 8
		c += 9
		d += 10
		e += 11
		f += i
	}
	return a ^ b ^ c ^ d ^ e ^ f
}
