package host

import "time"

// Detours is how much the system took a core away from a thread that only read
// the clock, over and over: the selfish-detour benchmark (Beckman et al.,
// "Benchmarking the Effects of Operating System Interference on Extreme-Scale
// Parallel Machines", Cluster Computing 11, 2008). Seconds.
type Detours struct {
	Duration  float64 `json:"duration_s"`  // how long was looked
	Quantum   float64 `json:"quantum_s"`   // shortest step from one reading to the next
	Threshold float64 `json:"threshold_s"` // a longer step is a detour
	Count     int     `json:"count"`
	Rate      float64 `json:"rate_per_s"`
	Longest   float64 `json:"longest_s"`     // 0 if there was none
	Lost      float64 `json:"lost_fraction"` // of the time, to detours
}

const (
	// noiseFactor times the quantum is a detour; the benchmark's authors and
	// Netgauge use 9.
	noiseFactor = 9
	// noiseFloor keeps the jitter of a virtual clock from being counted.
	noiseFloor    = 500 * time.Nanosecond
	noiseTraining = 2000 // readings to find the quantum
)

// Noise watches the core of the calling thread for about d. The caller has pinned
// it; what is seen is the disturbance by interrupts, other processes, the
// hypervisor and the Go runtime together. It allocates nothing.
func Noise(d time.Duration) Detours {
	start := time.Now()
	return noise(d, func() time.Duration { return time.Since(start) })
}

// noise reads a clock that starts anywhere.
func noise(d time.Duration, clock func() time.Duration) Detours {
	last := clock()
	quantum := time.Duration(1<<63 - 1)
	for range noiseTraining {
		now := clock()
		if step := now - last; step > 0 {
			quantum = min(quantum, step)
		}
		last = now
	}
	threshold := max(noiseFactor*quantum, noiseFloor)
	begin := last
	var count int
	var longest, lost time.Duration
	for end := last + d; last < end; {
		now := clock()
		if step := now - last; step > threshold {
			count++
			longest = max(longest, step)
			lost += step - quantum
		}
		last = now
	}
	watched := (last - begin).Seconds()
	result := Detours{Duration: watched, Quantum: quantum.Seconds(), Threshold: threshold.Seconds(), Count: count, Longest: longest.Seconds()}
	if watched > 0 {
		result.Rate = float64(count) / watched
		result.Lost = lost.Seconds() / watched
	}
	return result
}
