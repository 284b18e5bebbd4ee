package sweep

import (
	"cmp"
	"runtime"
	"slices"

	"gobench/bench"
	"gobench/internal/bench/pace"
	"gobench/internal/launch/host"
	"gobench/record"
)

// maxCores bounds the ranks of np = "cores".
const maxCores = 8

// coresOf returns the cores of the ranks of all launches of a block: near cores, or, for two ranks
// on a machine with more cores, the pair with the least latency at the first call that is not two
// threads of a core. It returns nil if there are more ranks than cores; the ranks then share cores.
func (r *runner) coresOf(block, ranks int) []int {
	if r.pinned.block != block {
		r.pinned.block, r.pinned.cores = block, map[int][]int{}
	}
	if cores, ok := r.pinned.cores[ranks]; ok {
		return cores
	}
	allowed, err := host.AllowedCores()
	var cores []int
	if err == nil && ranks <= len(allowed) {
		cores, _ = host.ChooseCores(ranks, host.Near)
		if ranks == 2 && len(allowed) > 2 {
			pairs := slices.DeleteFunc(host.CoreLatencies(allowed), func(p host.CorePair) bool {
				return host.Distance(host.CoreOf(p.A), host.CoreOf(p.B)) == host.Threads
			})
			if len(pairs) > 0 {
				smallest := slices.MinFunc(pairs, func(a, b host.CorePair) int { return cmp.Compare(a.Distance, b.Distance) })
				cores = []int{smallest.A, smallest.B}
			}
		}
	}
	r.pinned.cores[ranks] = cores
	return cores
}

// calibration holds the state of the cores of a launch: the least and the greatest latency of
// neighbours in the ring of its ranks, as gobench measures them (ringDistances in package bench),
// and the time of the loop of package pace on the slowest core, in seconds; 0 = not known.
type calibration struct{ smallest, largest, loop float64 }

func calibrate(cores []int) (c calibration) {
	if len(cores) == 0 {
		return c
	}
	for _, p := range host.CoreLatencies(cores) {
		apart := slices.Index(cores, p.A) - slices.Index(cores, p.B)
		if apart < 0 {
			apart = -apart
		}
		if apart != 1 && apart != len(cores)-1 {
			continue
		}
		if c.smallest == 0 || p.Distance < c.smallest {
			c.smallest = p.Distance
		}
		c.largest = max(c.largest, p.Distance)
	}
	for _, core := range cores {
		done := make(chan float64)
		go func() {
			runtime.LockOSThread() // never unlocked: the pinned thread ends here
			loop := 0.0
			if host.Pin(core) == nil {
				loop = pace.Loop()
			}
			done <- loop
		}()
		c.loop = max(c.loop, <-done)
	}
	return c
}

// describe adds the run, the cores and their state before and after the launch to a point, unless
// the program has measured the state itself.
func describe(p *record.Point, run string, cores []int, before, after calibration) {
	facts := bench.Facts{Run: run, Loop: max(before.loop, after.loop)}
	if len(cores) == p.Ranks {
		facts.Cores = cores
	}
	switch {
	case p.DistanceBefore > 0 && p.DistanceAfter > 0:
	case p.Ranks > 2:
		facts.RingMin, facts.RingMax = before.smallest, before.largest
	default:
		p.DistanceBefore, p.DistanceAfter = 0, 0
		facts.Before, facts.After = before.largest, after.largest
	}
	facts.Describe(p)
}
