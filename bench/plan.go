package bench

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"gobench/bench/state"
	"gobench/device"
)

// Memory says where message buffers come from.
type Memory string

const (
	Heap   Memory = "heap"   // ordinary memory, page aligned
	Device Memory = "device" // the transport's own allocator (device.Device.Alloc)
)

// Cell is one point to be measured.
type Cell struct {
	Bench  Benchmark
	Size   int    // bytes of one message
	Window int    // messages per event of a streaming benchmark; 0 = DefaultWindow
	Memory Memory // "" = Heap
	Cache  Cache  // "" = Warm
	Groups int    // of ranks that do the same at once; 0 = 1, all ranks
	Root   Root   // of rooted operations
}

// Cache says whether an event finds its buffers in the cache.
type Cache string

const (
	Warm Cache = "warm" // the same buffers each time
	Cold Cache = "cold" // buffers in turn that together are larger than the last cache, twice
)

func (c Cell) cache() Cache {
	if c.Cache == "" {
		return Warm
	}
	return c.Cache
}

// Root says which rank is the root of a rooted operation.
type Root struct {
	Rank   int
	Rotate bool // the next rank for each event, from Rank on
}

func (r Root) String() string {
	if r.Rotate {
		return "rotate"
	}
	return strconv.Itoa(r.Rank)
}

// DefaultWindow is IMB's and OSU's number of messages in flight.
const DefaultWindow = 64

func (c Cell) window() int {
	switch {
	case !c.Bench.Window:
		return 1
	case c.Window == 0:
		return DefaultWindow
	}
	return c.Window
}

func (c Cell) memory() Memory {
	if c.Memory == "" {
		return Heap
	}
	return c.Memory
}

// Plan is what a run measures, equal on all ranks, and how.
type Plan struct {
	Cells []Cell // in this order

	// Facts that only the launcher knows, for the record.
	Run        string // ID of the run
	Level      string // "raw", "device", "comm"
	Cores      []int  // of each rank, -1 = not pinned
	LocalRanks int    // ranks on this host; 0 = all

	Stop Stop

	// Of collective benchmarks.
	Start Start
	Skew  Skew
	Sync  Sync
	// Batch is the number of events timed together, 0 = that which goes with the cell.
	Batch int
	// Pairs measures the distance of cores where the channel does not; nil = nothing does.
	Pairs device.CoreLatencyMeter
	// Scale is what cores of this machine can do, as far as it is known from launches before:
	// states are relative to it.
	Scale state.Scale

	// Noise is the length of the noise probe before the first cell. 0 means
	// NoiseTime, negative none.
	Noise time.Duration
	// Checks is the number of messages per stream checked one by one before
	// and again after the timed part. 0 means 8, less (but 3) for messages of
	// more than 4 MiB.
	Checks int
}

// Stop says when a cell ends in this launch. It takes no heed of the interval inside the launch:
// how well a number is known is a matter of several launches. The zero Stop means the defaults.
type Stop struct {
	Budget     time.Duration // time of one cell's timed part with its warm-up; 0 = 30 ms
	WarmUp     int           // events before the first sample; 0 = until times settle
	MaxSamples int           // most timed samples; 0 = no limit
}

func (s Stop) withDefaults() Stop {
	if s.Budget == 0 {
		s.Budget = 30 * time.Millisecond
	}
	return s
}

func (p Plan) checks(size int) int {
	if p.Checks > 0 {
		return p.Checks
	}
	const most, least, bytes = 8, 3, 32 << 20
	return max(least, min(most, bytes/max(1, size)))
}

func (p Plan) noise() time.Duration {
	if p.Noise == 0 {
		return NoiseTime
	}
	return max(0, p.Noise)
}

// ExpectedTime estimates the time of one launch of the plan: what every cell has as budget, with
// buffers, checks and distances.
func (p Plan) ExpectedTime() time.Duration {
	const setUp = 8 * time.Millisecond
	s := p.Stop.withDefaults()
	t := p.noise()
	for _, c := range p.Cells {
		t += s.Budget + setUp
		if c.Bench.Overlap {
			t += s.Budget / 2
		}
	}
	return t
}

// Check returns a *PlanError for what cannot be run with that many ranks.
func (p Plan) Check(ranks int) error {
	if err := p.checkEvents(); err != nil {
		return err
	}
	for _, c := range p.Cells {
		if err := c.checkGroups(ranks); err != nil {
			return err
		}
		if err := c.Bench.Pattern.check(c.Bench.Name, c.members(ranks)); err != nil {
			return err
		}
		if c.Bench.Overlap && !c.Bench.Collective {
			return &PlanError{fmt.Sprintf("%s: only collective operations can be overlapped", c.Bench.Name)}
		}
		if c.Size < 0 || c.Window < 0 {
			return &PlanError{fmt.Sprintf("%s with size %d and window %d: neither can be negative", c.Bench.Name, c.Size, c.Window)}
		}
		if c.Bench.Links && p.Level != "raw" {
			return &PlanError{fmt.Sprintf("benchmark %s is for level raw: add --level=raw", c.Bench.Name)}
		}
		if c.Bench.Links && c.Size == 0 {
			return &PlanError{fmt.Sprintf("benchmark %s is for sizes of 1 byte or more", c.Bench.Name)}
		}
		if unit := max(1, c.Bench.Unit); c.Size%unit != 0 {
			return &PlanError{fmt.Sprintf("%s works on elements of %d bytes, and %d bytes are no whole number of them", c.Bench.Name, unit, c.Size)}
		}
		if m := c.memory(); m != Heap && m != Device {
			return &PlanError{fmt.Sprintf("memory %q is unknown; available: heap, device", m)}
		}
		if c.cache() != Warm && c.cache() != Cold {
			return &PlanError{fmt.Sprintf("cache %q is unknown; available: warm, cold", c.Cache)}
		}
		if members := c.members(ranks); c.Root.Rank < 0 || c.Root.Rank >= members {
			return &PlanError{fmt.Sprintf("the root is rank %d, there are ranks 0 to %d", c.Root.Rank, members-1)}
		}
		if p.Level == "raw" && c.memory() == Device {
			return &PlanError{"memory=device needs level device: the raw wire has no allocator"}
		}
	}
	return nil
}

// fingerprint is equal on two ranks exactly when their plans are, as far as
// staying in step is concerned.
func (p Plan) fingerprint() uint64 {
	h := fnv.New64a()
	for _, c := range p.Cells {
		fmt.Fprintln(h, c.Bench.Name, c.Bench.Algorithm, c.Size, c.window(), c.memory(), c.cache(), c.Root, c.groups())
	}
	fmt.Fprintln(h, p.Level, p.noise(), p.Checks, p.Start, p.Skew, p.Batch, p.Sync, p.Stop.WarmUp)
	return h.Sum64()
}

func (p Plan) core(rank int) int {
	if rank < len(p.Cores) {
		return p.Cores[rank]
	}
	return -1
}

func (p Plan) localRanks(ranks int) int {
	if p.LocalRanks > 0 {
		return p.LocalRanks
	}
	return ranks
}
