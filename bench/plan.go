package bench

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/launch/host"
	"gobench/internal/remedy"
	"gobench/record"
)

// A Plan lists the cases of a run and how they are measured. It must be equal on all ranks.
type Plan struct {
	Cases []Case // in the order of measurement

	// Facts for the record, known to the launcher only.
	Run        string // ID of the run
	Level      string // "raw", "socket", "device", "comm"
	Cores      []int  // of each rank, -1 = not pinned
	LocalRanks int    // ranks on this host; 0 = all
	Processors int    // that these may use together; 0 = those of this process
	PerProcess int    // ranks of each process, of successive numbers; 0 = as Info.Ranks of the channel says
	Launch     record.LaunchFacts

	Stop Stop

	// For collective benchmarks.
	Start Start
	Skew  Skew
	Sync  Sync
	// Batch is the number of events timed together, also for other benchmarks; 0 = the default of
	// the case.
	Batch     int
	PinThread func(thread int) error // places each thread of a rank but the first; nil = not placed
	// Pairs measures core-to-core latency if the channel cannot; nil = not measured.
	Pairs device.CoreLatencyMeter
	// Counters returns the counters of errors of the network that this rank reads for its host; nil
	// if another rank does, or the job has one host.
	Counters func() map[string]uint64
	// Scale holds the lowest core-to-core latency and the fastest core of earlier launches on this
	// machine. States of the cores are relative to it.
	Scale record.Scale

	// Noise is the length of the noise probe before the first case. 0 means host.NoiseTime,
	// negative none.
	Noise time.Duration
	// Checks is the number of events whose messages are checked one by one before and again after
	// the timed part. 0 means 8, fewer where an event moves more than 4 MiB or takes long, at least
	// one.
	Checks int
}

// Stop bounds the measurement of a case in this launch. The width of the interval within the launch
// does not matter: precision comes from several launches. The zero Stop selects the defaults.
type Stop struct {
	Budget     time.Duration // time of a case's timed part with its warm-up; 0 = 30 ms
	WarmUp     int           // events before the first sample; 0 = until times settle
	MaxSamples int           // maximum number of timed samples; 0 = no limit
	// Longest is the longest time of an event: a case whose events would take longer, as a smaller
	// size of its benchmark shows, is left out. 0 = no limit.
	Longest time.Duration
}

func (s Stop) withDefaults() Stop {
	s.Budget = cmp.Or(s.Budget, 30*time.Millisecond)
	return s
}

// A Case is one combination of benchmark, size and factors to be measured.
type Case struct {
	Bench   Benchmark
	Size    int    // bytes of one message
	Window  int    // messages per event of a streaming benchmark; 0 = DefaultWindow
	Polls   int    // calls of Test during the computation of a benchmark with Overlap
	Epoch   Epoch  // of a benchmark of windows; "" = EpochFlush
	Memory  Memory // "" = Heap
	Cache   Cache  // "" = Warm
	Threads int    // of each rank, which run the benchmark at the same time; 0 = 1
	// Buffers is the number of copies of the message buffers that events use in turn; 0 = the
	// number that Cache requires.
	Buffers int
	Groups  int  // groups of ranks that run the benchmark concurrently; 0 = 1, all ranks
	Root    Root // of rooted operations
}

// MemoryBound reports whether the messages of a case are read from memory rather than from a cache
// of the given size in bytes. If that size is unknown, 0, only messages that are kept out of the
// cache count.
func (c Case) MemoryBound(cache int64) bool {
	return c.Size > 0 && (c.cache() == Cold || cache > 0 && int64(c.Size) > cache)
}

// groups returns the number of groups of equal size that run the benchmark concurrently.
func (c Case) groups() int { return max(1, c.Groups) }

// members returns the number of ranks of each group.
func (c Case) members(ranks int) int { return ranks / c.groups() }

// checkGroups returns a *PlanError if the ranks cannot be divided into the groups.
func (c Case) checkGroups(ranks int) error {
	switch {
	case c.Groups < 0 || c.groups() > 1 && !c.collective():
		return planErrorf("%s cannot run in %d groups", c.Bench.Name, c.Groups)
	case ranks%c.groups() != 0:
		return planErrorf("%d ranks cannot be divided into %d groups of equal size", ranks, c.Groups)
	}
	return nil
}

// copies returns how many copies of its buffers a case needs: Buffers, one with a warm cache, else
// enough that all ranks of the host together use more than twice the last-level cache (rule 15).
func (c Case) copies(ranks int, cache int64) int {
	if c.Buffers > 0 {
		return c.Buffers
	}
	bytes := int64(c.Size) * int64(c.buffers(ranks))
	if c.cache() == Warm || bytes == 0 {
		return 1
	}
	return int(max(2, min(2*cache/bytes+1, maxCopies)))
}

func (c Case) cache() Cache   { return cmp.Or(c.Cache, Warm) }
func (c Case) memory() Memory { return cmp.Or(c.Memory, Heap) }

func (c Case) window() int {
	switch {
	case !c.Bench.Window:
		return 1
	case c.Window == 0:
		return DefaultWindow
	}
	return c.Window
}

func (c Case) collective() bool { return c.Bench.Collective != nil }

// DefaultWindow is the number of messages in flight that IMB and OSU use.
const DefaultWindow = 64

// Memory selects the allocator of message buffers.
type Memory string

const (
	Heap   Memory = "heap"   // ordinary memory, page aligned
	Device Memory = "device" // the transport's own allocator (device.Device.Alloc)
)

// Cache selects whether an event finds its buffers in the cache.
type Cache string

const (
	Warm Cache = "warm" // the same buffers for each event
	Cold Cache = "cold" // buffers in turn that together have twice the size of the last-level cache
)

// maxCopies bounds the copies of the buffers. With it, small buffers exceed the first two cache
// levels, and the setup of a case takes reasonable time.
const maxCopies = 4096

// A Root selects the root rank of rooted operations.
type Root struct {
	Rank   int
	Rotate bool // the next rank for each event, starting with Rank
}

func (r Root) String() string {
	if r.Rotate {
		return "rotate"
	}
	return strconv.Itoa(r.Rank)
}

// Start selects how the ranks begin an event of a collective benchmark together.
type Start string

const (
	// StartAuto is StartTime if there are at least as many cores as ranks, else StartBarrier.
	StartAuto Start = ""
	// StartBarrier starts events after a dissemination barrier of the runner, never the operation
	// under test (rule 11).
	StartBarrier Start = "barrier"
	// StartTime starts events at a time on the common clock that rank 0 announces (Round-Time,
	// Hunold and Carpen-Amarie, "Autotuning MPI Collectives using Performance Guidelines", HPC Asia
	// 2018). An event is invalid if a rank receives the announcement too late.
	StartTime Start = "time"
	// StartNone runs events back to back, as IMB does.
	StartNone Start = "none"
)

// Starts returns the names of all kinds of starts.
func Starts() []string {
	return []string{string(StartBarrier), string(StartTime), string(StartNone)}
}

// Sync selects how the ranks' clocks are synchronised, for collective benchmarks.
type Sync string

const (
	// SyncAuto is SyncShared if all ranks are on one host, else SyncHCA3.
	SyncAuto Sync = ""
	// SyncShared uses the host's clock, which its ranks share. Check refuses it for several hosts.
	SyncShared Sync = "shared"
	// SyncHCA3 compares the clocks by messages, see clock.Synchronise.
	SyncHCA3 Sync = "hca3"
)

// Skew delays the start of events on some ranks.
type Skew struct {
	Kind SkewKind
	By   time.Duration // the longest delay
}

// SkewKind selects the ranks that are delayed.
type SkewKind string

const (
	SkewNone   SkewKind = ""
	SkewRandom SkewKind = "random" // every rank, by a random part of the time
	SkewLate   SkewKind = "late"   // one rank, a different one for each event
)

func (s Skew) String() string {
	if s.Kind == SkewNone {
		return ""
	}
	return fmt.Sprintf("%s:%v", s.Kind, s.By)
}

// delay returns the delay of a rank in an event, in ns.
func (s Skew) delay(rank, ranks int, event uint64) int64 {
	switch s.Kind {
	case SkewRandom:
		return int64(scatter(event<<20+uint64(rank)) % uint64(s.By+1))
	case SkewLate:
		if event%uint64(ranks) == uint64(rank) {
			return int64(s.By)
		}
	}
	return 0
}

// CheckMemory returns a *MemoryError for the first case whose buffers would need more memory than
// this host has available for localRanks of the ranks.
func (p Plan) CheckMemory(ranks, localRanks int) error {
	return p.fits(ranks, localRanks, host.AvailableMemory())
}

func (p Plan) fits(ranks, localRanks int, available int64) error {
	cache := host.LastCache()
	for _, c := range p.Cases {
		members := c.members(ranks)
		copies := c.copies(members, cache)
		buffers := c.buffers(members) * copies
		need := float64(localRanks) * (float64(c.Size)*float64(buffers) + float64(c.blocks(members)*copies*os.Getpagesize()))
		if need > float64(available) {
			return &MemoryError{
				Bench: c.Bench.Name, Size: c.Size, Buffers: buffers, Ranks: localRanks,
				Need: int64(min(need, math.MaxInt64/2)), Available: available,
			}
		}
	}
	return nil
}

// checkEvents returns a *PlanError for invalid options of how events run.
func (p Plan) checkEvents(ranks int) error {
	unknown := func(what, value string, known ...string) error {
		return planErrorf("%s %q is unknown; available: %s", what, value, strings.Join(known, ", "))
	}
	if p.Start != StartAuto && !slices.Contains(Starts(), string(p.Start)) {
		return unknown("start", string(p.Start), Starts()...)
	}
	if p.Sync != SyncAuto && p.Sync != SyncShared && p.Sync != SyncHCA3 {
		return unknown("sync", string(p.Sync), string(SyncShared), string(SyncHCA3))
	}
	if k := p.Skew.Kind; k != SkewNone && k != SkewRandom && k != SkewLate {
		return unknown("skew", string(k), string(SkewRandom), string(SkewLate))
	}
	if p.Sync == SyncShared && p.localRanks(ranks) < ranks {
		return planErrorf("the ranks of several hosts share no clock: leave out %v", remedy.Set("sync", SyncShared))
	}
	if p.Skew.By < 0 {
		return planErrorf("the skew is %v, must not be negative", p.Skew.By)
	}
	if p.Skew.Kind != SkewNone && p.Batch > 1 {
		return planErrorf("a skew delays only the first of %d events timed together: leave out the batch or the skew", p.Batch)
	}
	if p.Batch < 0 || p.Batch > maxBatch {
		return planErrorf("%d events cannot be timed together: choose 1 to %d, or 0 for the default of the cell", p.Batch, maxBatch)
	}
	return nil
}

func (p Plan) sync(ranks int) Sync {
	switch {
	case p.Sync != SyncAuto:
		return p.Sync
	case p.localRanks(ranks) == ranks:
		return SyncShared
	}
	return SyncHCA3
}

// Bounds of the checked events before and after the timed part of a case, see Plan.Checks.
const (
	maxChecks   = 8
	usualChecks = 3         // where they move no more than largeChecks
	checkBytes  = 32 << 20  // of all of them
	largeChecks = 256 << 20 // bytes of an event of which one is checked
)

// checks returns the number of events of a case that are checked before the timed part, and again
// after it, if they do not take long.
func (p Plan) checks(c Case, ranks int) int {
	if p.Checks > 0 {
		return p.Checks
	}
	bytes := c.eventBytes(ranks)
	if bytes > largeChecks {
		return 1
	}
	return int(max(usualChecks, min(maxChecks, checkBytes/max(1, bytes))))
}

// eventBytes returns about how many bytes the messages of an event have, of all ranks together.
func (c Case) eventBytes(ranks int) int64 {
	messages, members, groups := float64(ranks), c.members(ranks), float64(c.groups())
	switch op := c.Bench.Collective; {
	case op != nil && op.Rooted: // to or from each other rank
		messages = float64(members-1) * groups
	case op != nil && op.Bus != nil:
		messages = op.Bus(members) * float64(ranks)
	case op == nil && c.Bench.Amount != nil && c.Bench.Scale > 0:
		// Amount is of a value of the metric, half of a round trip.
		messages = float64(c.messages(members)) * groups / c.Bench.Scale
	}
	return int64(float64(c.Size) * max(1, messages))
}

func (p Plan) noise() time.Duration {
	if p.Noise == 0 {
		return host.NoiseTime
	}
	return max(0, p.Noise)
}

// sampleTime is about the time of one sample of small messages, or of a batch of them.
const sampleTime = 20e-6

// untimed is the least number of events of a case beside its samples that moves the same data: the
// first of a block.
const untimed = 1

// Bytes returns the least number of bytes that the messages of one launch of the plan have: those
// of events that are checked, and of the others.
func (p Plan) Bytes(ranks int) (checked, others int64) {
	for _, c := range p.Cases {
		bytes := c.eventBytes(ranks)
		checked += int64(2*p.checks(c, ranks)+1) * bytes
		others += (untimed + 1) * bytes
	}
	return checked, others
}

// ExpectedTime estimates the time of one launch of the plan: the budget of each case, or the time
// of its samples if their number is set and that is shorter, or the time of one event if that is
// longer, plus buffers, checks and distances. Data are made, moved and checked at the given rate
// (CheckRate), and moved at four times that rate. A slow network takes longer.
func (p Plan) ExpectedTime(ranks int, checkRate float64) time.Duration {
	moveRate := 4 * checkRate
	const setUp = 8 * time.Millisecond
	s := p.Stop.withDefaults()
	t := p.noise()
	for _, c := range p.Cases {
		one := p
		one.Cases = []Case{c}
		checked, others := one.Bytes(ranks)
		budget := s.Budget
		if s.MaxSamples > 0 {
			sample := max(sampleTime, float64(c.eventBytes(ranks))/moveRate)
			budget = duration(min(budget.Seconds(), float64(s.MaxSamples)*sample))
		}
		t += max(budget, duration(float64(others)/moveRate)) + duration(float64(checked)/checkRate) + setUp
		if c.Bench.Overlap {
			t += budget / 2
		}
	}
	return t
}

func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Check returns a *PlanError if the plan cannot be run with the given number of ranks.
func (p Plan) Check(ranks int) error {
	if err := p.checkEvents(ranks); err != nil {
		return err
	}
	for _, c := range p.Cases {
		if err := c.checkGroups(ranks); err != nil {
			return err
		}
		if err := c.Bench.check(c.members(ranks)); err != nil {
			return err
		}
		b, m, members := &c.Bench, c.memory(), c.members(ranks)
		switch {
		case c.Size < 0 || c.Window < 0:
			return planErrorf("%s with size %d and window %d: neither can be negative", b.Name, c.Size, c.Window)
		case (b.Windows || b.Queues && b.Window) && (c.Buffers > 1 || c.cache() == Cold):
			return planErrorf("benchmark %s keeps one queue or window and works with one copy of its buffers, in a warm cache", b.Name)
		case b.OneSided && c.Size == 0:
			return planErrorf("benchmark %s is for sizes of 1 byte or more", b.Name)
		case b.Only > 0 && c.Size != b.Only:
			return planErrorf("benchmark %s is for messages of %d bytes only, not of %d", b.Name, b.Only, c.Size)
		case c.collective() && b.Collective.Unit > 1 && c.Size%b.Collective.Unit != 0:
			return planErrorf("%s works on elements of %d bytes, and %d bytes are no whole number of them", b.Name, b.Collective.Unit, c.Size)
		case m != Heap && m != Device:
			return planErrorf("memory %q is unknown; available: heap, device", m)
		case c.cache() != Warm && c.cache() != Cold:
			return planErrorf("cache %q is unknown; available: warm, cold", c.Cache)
		case c.Buffers < 0 || c.Buffers > maxCopies:
			return planErrorf("%d copies of the buffers are not possible: choose 1 to %d", c.Buffers, maxCopies)
		case c.Buffers > 0 && c.cache() == Cold:
			return planErrorf("cache=cold determines the number of buffers: leave out cache=cold or the number of buffers")
		case c.Root.Rank < 0 || c.Root.Rank >= members:
			return planErrorf("the root is rank %d, there are ranks 0 to %d", c.Root.Rank, members-1)
		case p.Level != "device" && p.Level != "comm" && c.memory() == Device:
			return planErrorf("memory=device needs level device or comm: level %s has no allocator", p.Level)
		}
		if err := cmp.Or(b.CheckLevel(p.Level), c.CheckThreads(p.Level)); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint returns a hash by which ranks check that their plans are equal.
func (p Plan) Fingerprint() uint64 {
	h := fnv.New64a()
	for _, c := range p.Cases {
		if op := c.Bench.Collective; op != nil {
			fmt.Fprintln(h, op.Algorithm, op.Distribution, op.Topology, op.Datatype, op.Reduction)
		}
		fmt.Fprintln(h, c.Bench.Name, c.Size, c.window(), c.epoch(), c.memory(), c.cache(), c.Buffers, c.Root, c.groups(), c.threads())
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
