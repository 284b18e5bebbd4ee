package fdtd

import (
	"math"
	"unsafe"

	"gobench/bench/clock"
)

const (
	trials     = 5        // of each row update; the fastest counts
	trialBytes = 64 << 20 // of the fields of a rank in a trial: more than most caches hold
)

// choose selects the fastest of the row updates in s.kernel.Both on this processor, by trials on up
// to trialBytes of the fields. Results do not depend on the choice. The fields must be 0 and remain
// so.
func (s *Solver[T]) choose() {
	variants := s.kernel.Both
	s.both = variants[0]
	if len(variants) == 1 {
		return
	}
	bands := append([]band[T](nil), s.sweep.bands...)
	rows := max(1, trialBytes/(3*s.e.stride*int(unsafe.Sizeof(T(0))))/len(bands))
	for i := range bands {
		bands[i].hi = min(bands[i].hi, bands[i].lo+rows)
	}
	trial := func(thread int) { s.update(&bands[thread], false) } // without communication it cannot fail
	best, fastest := int64(math.MaxInt64), variants[0]
	for range trials {
		for _, s.both = range variants {
			begin := clock.Now()
			s.rank.Team.Run(trial)
			if t := clock.Now() - begin; t < best {
				best, fastest = t, s.both
			}
		}
	}
	s.both = fastest
}
