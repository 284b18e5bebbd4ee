package bench

import (
	"runtime"

	"gobench/launch/host"
)

// LastCache is the size of this machine's last-level cache in bytes.
func LastCache() int64 { return host.LastCache() }

// maxCopies bounds the copies of buffers: of tiny ones so many are enough to
// leave the first and second cache, and a cell must be made in reasonable time.
const maxCopies = 4096

// copies is how often the buffers of a cell are there: once where events find
// them in the cache, else so often that all ranks of the host together have more than
// twice what the last cache holds (rule 15).
func (c Cell) copies(ranks int, cache int64) int {
	bytes := int64(c.Size) * int64(c.Bench.Buffers(ranks))
	if c.cache() == Warm || bytes == 0 {
		return 1
	}
	return int(max(2, min(2*cache/bytes+1, maxCopies)))
}

// start is how events of collective benchmarks begin.
func (p Plan) start(ranks int) Start {
	if p.Start != StartAuto {
		return p.Start
	}
	if p.localRanks(ranks) > runtime.NumCPU() {
		return StartBarrier
	}
	return StartTime
}
