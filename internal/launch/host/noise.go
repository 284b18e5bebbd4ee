package host

import (
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Detours describes how often and how long the system interrupted a thread that only reads the
// clock: the selfish-detour benchmark (Beckman et al.,
// "Benchmarking the Effects of Operating System Interference on Extreme-Scale
// Parallel Machines", Cluster Computing 11, 2008). Seconds.
type Detours struct {
	Duration  float64 `json:"duration_s"`  // of the measurement
	Quantum   float64 `json:"quantum_s"`   // shortest step from one reading to the next
	Threshold float64 `json:"threshold_s"` // a longer step is a detour
	Count     int     `json:"count"`
	Rate      float64 `json:"rate_per_s"`
	Longest   float64 `json:"longest_s"`     // 0 if there was none
	Lost      float64 `json:"lost_fraction"` // of the time, to detours
	// Waited is the part of Lost, as a fraction of the time, in which other threads of this
	// system had the core. 0 also if the kernel does not report it. The rest was taken
	// by interrupts, or by a hypervisor.
	Waited float64 `json:"waited_fraction"`
}

const (
	// noiseFactor is the threshold of a detour in quanta. The authors of the benchmark and Netgauge
	// use 9.
	noiseFactor = 9
	// noiseFloor is the least threshold, above the jitter of a virtual clock.
	noiseFloor    = 500 * time.Nanosecond
	noiseTraining = 2000 // readings to find the quantum
)

// NoiseTime is the default length of the noise probe.
const NoiseTime = 20 * time.Millisecond

// Noise measures the detours of the calling thread for about d. The caller has pinned the thread.
// The result includes interrupts, other processes, the hypervisor and the Go runtime. It allocates
// nothing while it measures.
func Noise(d time.Duration) Detours {
	start := time.Now()
	before := waited()
	seen := noise(d, func() time.Duration { return time.Since(start) })
	if seen.Duration > 0 {
		seen.Waited = min(max(0, (waited()-before).Seconds()/seen.Duration), seen.Lost)
	}
	return seen
}

// waited returns the time in which the calling thread was ready to run while others had its core,
// 0 if the kernel does not report it (Documentation/scheduler/sched-stats.rst: second
// number of schedstat, in nanoseconds).
func waited() time.Duration {
	b, _ := os.ReadFile("/proc/thread-self/schedstat")
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	ns, _ := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(ns)
}

// noise implements Noise with a clock of any origin, for tests.
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

// SuspendGC switches garbage collection off and returns a function that restores it. It sets a
// memory limit of room bytes for the whole process, so that a leak triggers a collection rather
// than exhausting memory.
//
// The setting applies to the process. If ranks are goroutines of one process, only the rank that
// switched the collection off restores it.
func SuspendGC(room int64) (restore func()) {
	old := debug.SetGCPercent(-1)
	if old < 0 {
		return func() {}
	}
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(room)
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(old)
	}
}

// tick is the unit of /proc/stat in seconds: USER_HZ is 100 on every architecture of Linux that
// Go runs on.
const tick = 0.01

// stolenField is the index of "steal" in a line of /proc/stat, counted after the name (proc(5)).
const stolenField = 8

// Stolen returns the steal time of a core in seconds since boot, in steps of 10 ms: the time in
// which the hypervisor ran other guests while this core had work. It is 0 if the kernel does not
// count it.
func Stolen(core int) float64 {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return stolen(string(stat), core)
}

func stolen(stat string, core int) float64 {
	name := "cpu" + strconv.Itoa(core)
	for line := range strings.Lines(stat) {
		fields := strings.Fields(line)
		if len(fields) > stolenField && fields[0] == name {
			ticks, err := strconv.ParseUint(fields[stolenField], 10, 63)
			if err != nil {
				return 0
			}
			return float64(ticks) * tick
		}
	}
	return 0
}

// Interrupts returns the interrupts that a core has served since boot, those of timers and of other
// cores included; 0 if the kernel does not tell.
func Interrupts(core int) int64 {
	text, err := os.ReadFile("/proc/interrupts")
	if err != nil {
		return 0
	}
	return interrupts(string(text), core)
}

func interrupts(text string, core int) (sum int64) {
	heads, rows, _ := strings.Cut(text, "\n")
	heading := strings.Fields(heads)
	column := slices.Index(heading, "CPU"+strconv.Itoa(core))
	for line := range strings.Lines(rows) {
		fields := strings.Fields(line)
		// Lines without a number for each core count for the host.
		if column >= 0 && len(fields) > len(heading) && fields[0] != "ERR:" && fields[0] != "MIS:" {
			n, _ := strconv.ParseInt(fields[1+column], 10, 64) // 0 = not a number
			sum += n
		}
	}
	return sum
}
