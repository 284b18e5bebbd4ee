package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/bench/clock"
	"gobench/internal/bench/pace"
	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/record"
)

// rank executes the commands of a run on one rank.
type rank struct {
	ctx  context.Context
	ch   device.Channel
	plan Plan
	link link

	now       func() int64
	calibrate func() clock.Timer
	loop      func() float64 // times the loop of package pace, see clockOf; nil = not known
	model     clock.Model    // maps this rank's clock to the common clock

	launched     time.Time
	stolenBefore float64 // CPU time stolen from this rank's core at that time, seconds

	// Of the current case.
	current    Case
	group      device.Channel // of the ranks that run an event together; ch if all do
	threads    threads
	op         *rotation  // the timed operation
	single     *rotation  // the same with one message per stream and event, for checks
	phases     [phases]Op // for cases with overlap, after prepareWork
	timed      *timed
	used       usage // in the last block
	interrupts int64 // at the last call of served
	// Of the thread of this rank, in user mode; nil if they are not known.
	cycles, instructions *host.ThreadCounter

	gate    gate
	counted map[string]uint64 // counters of errors of the network, at its begin
}

func newRank(ctx context.Context, ch device.Channel, plan Plan) *rank {
	r := &rank{ctx: ctx, ch: ch, plan: plan, link: link{ch: ch, bench: "start"}}
	r.now, r.calibrate, r.loop = clockOf(ch)
	r.timed = newTimed(r.now)
	r.launched, r.stolenBefore = time.Now(), r.stolen()
	if plan.core(ch.Rank()) >= 0 { // else it has no thread of its own
		r.cycles = host.OpenThreadCounter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES)
		r.instructions = host.OpenThreadCounter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
	}
	return r
}

// steal returns the share of the time since the launch that the hypervisor took from this rank's
// core. The kernel's resolution of 10 ms is too coarse for one case.
func (r *rank) steal() float64 {
	since := time.Since(r.launched).Seconds()
	if since <= 0 {
		return 0
	}
	return min(1, max(0, r.stolen()-r.stolenBefore)/since)
}

// stolen returns the CPU time stolen from this rank's core so far, in seconds; 0 if the rank is not
// pinned or the kernel does not count it.
func (r *rank) stolen() float64 {
	core := r.plan.core(r.ch.Rank())
	if core < 0 {
		return 0
	}
	return host.Stolen(core)
}

// execute runs one command. An error is fatal for this rank: messages may be pending, so the ranks
// cannot exchange control messages any more. Errors after which the ranks are still in step are in
// the report.
func (r *rank) execute(c command) (report, error) {
	var rep report
	var err error
	switch c.Verb {
	case verbSetup:
		rep = r.setup()
	case verbCase:
		rep = r.prepareCase(c)
	case verbDistance:
		if c.Ring {
			rep.Distance, err = r.ringDistance(c.Lines, c.Samples, c.Rounds)
		} else {
			rep.Distance, err = r.distance(c.Pair[0], c.Pair[1], c.Lines, c.Samples, c.Rounds)
		}
		if c.Pace && r.loop != nil {
			rep.Loop = r.loop()
		}
	case verbCheck:
		rep.Defect, err = r.checkPass(c.First, c.Samples)
		rep.Checked = c.Samples * r.op.checkable()
		if c.End {
			rep.Steal, rep.Usage.Interrupts = r.steal(), r.served()
			if r.plan.Counters != nil {
				rep.Changed = host.Changes(r.counted, r.plan.Counters())
			}
		}
	case verbBlock:
		rep.Defect, err = r.block(c)
		rep.Usage = r.used
		if c.Phase != phaseCompute {
			rep.Checked = 2 * r.op.checkable()
		}
	case verbWork:
		rep = r.prepareWork(c.Work)
		rep.Usage.Interrupts = r.served() // before those of computations
	case verbSync:
		rep.Clock, err = r.synchronise()
	case verbClock:
		var d clock.Deviation
		d, err = r.checkClock()
		rep.Clock, rep.Excess = d.Max, d.Excess
	case verbStop: // only the report
	default:
		err = fmt.Errorf("command %d: %w", c.Verb, errOutOfStep)
	}
	if err != nil {
		return rep, err
	}
	rep.Defect = cmp.Or(rep.Defect, r.link.defect)
	rep.Interrupted = r.ctx.Err() != nil
	return rep, nil
}

// prepareCase creates buffers and operations, and collects the garbage of the previous case.
func (r *rank) prepareCase(c command) report {
	if err := r.endCase(); err != nil {
		return report{Failure: err.Error()}
	}
	if c.Case < 0 || c.Case >= len(r.plan.Cases) || c.Copies < 1 || c.Copies > maxCopies {
		return report{Failure: errOutOfStep.Error()}
	}
	if r.collects() {
		runtime.GC()
	}
	r.current = r.plan.Cases[c.Case]
	b := r.current.Bench
	r.link.bench = b.Name
	alloc := heapAlloc
	if r.current.memory() == Device {
		d, ok := r.ch.(allocator)
		if !ok {
			return report{Failure: "memory=device needs a device with an allocator"}
		}
		alloc = func(n int) ([]byte, error) {
			if n == 0 {
				return []byte{}, nil
			}
			return d.Alloc(n)
		}
	}
	if err := r.makeGroup(); err != nil {
		return report{Failure: err.Error()}
	}
	if err := r.threads.set(r.current.threads(), r.ch, r.plan.PinThread); err != nil {
		return report{Failure: err.Error()}
	}
	r.op, r.single = &rotation{}, &rotation{}
	for range c.Copies {
		if err := r.addUnit(alloc); err != nil {
			return report{Failure: err.Error()}
		}
	}
	r.timed.counts = r.counts(r.ch.Rank())
	r.gate = gate{link: &r.link, ch: r.ch, now: r.now}
	r.op.prepare(0, true)
	r.served()
	if r.plan.Counters != nil {
		r.counted = r.plan.Counters()
	}
	if r.collects() {
		runtime.GC()
	}
	return report{}
}

// addUnit adds a copy of the case's operation with its own buffers.
func (r *rank) addUnit(alloc func(int) ([]byte, error)) error {
	b, members := r.current.Bench, r.group.Size()
	if _, links := r.group.(device.Linker); b.OneSided && !links {
		return fmt.Errorf("benchmark %s needs a transport that puts and gets at level raw, such as ibv: transport %s does not here", b.Name, r.ch.Info().Transport)
	}
	if _, matches := r.group.(Matcher); b.Queues && !matches {
		return fmt.Errorf("benchmark %s needs a transport that matches messages: transport %s does not here", b.Name, r.ch.Info().Transport)
	}
	own := &buffers{bench: b.Name, rank: r.ch.Rank(), alloc: alloc}
	env := Env{r.group, r.current.Size, r.current.window(), r.current.Polls, r.current.epoch(), r.current.Root, own, 0}
	timed := unit{r.threads.op(&b, env), own}
	r.op.units = append(r.op.units, timed)
	single := timed
	if r.current.window() != 1 && !b.Queues {
		env.Window = 1
		single.op = r.threads.op(&b, env)
	}
	r.single.units = append(r.single.units, single)
	if own.err != nil {
		return own.err
	}
	if n, declared := own.total(), r.current.buffers(members); n > declared*r.current.Size+smallBuffers {
		return fmt.Errorf("benchmark %s declares %d buffers of %d bytes and uses %d bytes", b.Name, declared, r.current.Size, n)
	}
	return nil
}

// perProcess returns the number of ranks of each process. Of a job in which several processes have
// several ranks, only the plan knows it: the channel may lead to other processes alone.
func (r *rank) perProcess() int {
	if r.plan.PerProcess < 2 && r.ch.Info().Ranks == "goroutine" {
		return r.ch.Size()
	}
	return max(1, r.plan.PerProcess)
}

// collects reports whether this rank runs the garbage collector of its process.
func (r *rank) collects() bool { return r.ch.Rank()%r.perProcess() == 0 }

func (r *rank) counts(rank int) bool {
	return rank == 0 || r.current.collective() || r.current.Bench.Timed(rank, r.ch.Size())
}

// endCase frees the buffers of the current case.
func (r *rank) endCase() error {
	old := r.op
	r.closeOps()
	r.phases = [phases]Op{}
	r.op, r.single = nil, nil // allows the old buffers to be collected
	if old == nil || r.current.memory() != Device {
		return nil
	}
	var first error
	for _, u := range old.units {
		if err := u.buffers.free(r.ch.(allocator)); first == nil {
			first = err
		}
	}
	return first
}

// closeOps closes the operations of the current case.
func (r *rank) closeOps() {
	for _, list := range []*rotation{r.op, r.single} {
		if list == nil {
			continue
		}
		for _, u := range list.units {
			if c, ok := u.op.(Closer); ok {
				c.Close()
			}
		}
	}
}

// checkPass runs n events with one message per stream and new data each, and checks all. It
// continues after a defect, to stay in step with the other ranks.
func (r *rank) checkPass(first uint64, n int) (defect *DataError, err error) {
	for i := range uint64(n) {
		r.single.prepare(first+i, false)
		if err := r.single.Do(1); err != nil {
			return nil, r.opError(err)
		}
		if d := r.single.check(first + i); defect == nil {
			defect = d
		}
	}
	return defect, nil
}

// block times one block and checks the last message of every stream. All events of a block have the
// same data. Therefore an untimed event with new data follows and is checked: it detects a channel
// that does not copy any more.
func (r *rank) block(c command) (*DataError, error) {
	if c.Samples < 1 || c.Samples > maxBlock || c.Phase < 0 || c.Phase >= phases || c.Phase > 0 && r.phases[c.Phase] == nil {
		return nil, errOutOfStep
	}
	r.op.prepare(c.First, true)
	if err := r.spent(c); err != nil {
		return nil, r.opError(err)
	}
	if c.Phase == phaseCompute {
		return nil, nil // no message
	}
	if defect := r.op.check(c.First); defect != nil {
		r.checkPass(c.First+1, 1) // to stay in step
		return defect, nil
	}
	return r.checkPass(c.First+1, 1)
}

// events runs the timed region of a block.
func (r *rank) events(c command) error {
	op := r.op.plain()
	if c.Phase > 0 {
		op = r.phases[c.Phase]
	}
	if !r.current.collective() {
		return r.timed.block(op, c.Samples, c.Batch, c.Lead)
	}
	r.gate.model, r.gate.start = r.model, c.Start
	if err := r.gate.calibrate(); err != nil {
		return err
	}
	err := r.timed.operations(op, &r.gate, r.plan.Skew, c.Samples, c.Batch, c.Lead)
	r.toGlobal(r.timed.stamps[:2*c.Samples])
	return err
}

// opError adds the case to an error of the channel. It turns a truncation into a *DataError.
func (r *rank) opError(err error) error {
	if t, ok := errors.AsType[*device.TruncationError](err); ok {
		return fmt.Errorf("%w (%w)", &DataError{
			Bench: r.current.Bench.Name, Size: r.current.Size, Rank: r.ch.Rank(), Source: t.Source, Offset: r.current.Size, Excess: true,
		}, err)
	}
	return fmt.Errorf("%s with %s: %w", r.current.Bench.Name, human.Amount(int64(r.current.Size)), err)
}

// follow executes commands until rank 0 sends verbStop.
func follow(r *rank) error {
	for round := uint64(1); ; round++ {
		body, err := r.link.recv(0, round)
		if err != nil {
			return err
		}
		var c command
		if err := json.Unmarshal(body, &c); err != nil {
			return fmt.Errorf("a control message from rank 0 is unreadable: %w", err)
		}
		rep, err := r.execute(c)
		if err != nil {
			return err
		}
		if err := r.answer(round, c, rep); err != nil {
			return err
		}
		if c.Verb == verbStop {
			return r.stopReason(c)
		}
	}
}

// stopReason returns the error with which a stopped rank leaves Run, nil at the regular end.
func (r *rank) stopReason(c command) error {
	if err := c.reason(); err != nil {
		return err
	}
	if r.link.defect != nil {
		return r.link.defect
	}
	return nil
}

// answer sends the report to rank 0, and after a block the clock readings.
func (r *rank) answer(round uint64, c command, rep report) error {
	body, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	if err := r.link.send(0, round, body); err != nil {
		return err
	}
	if c.Verb != verbBlock || !r.timed.counts {
		return nil
	}
	n := c.Samples + 1
	if r.current.collective() {
		n = 2 * c.Samples
	}
	return r.link.send(0, round, encodeStamps(r.timed.stamps[:n]))
}

// setup calibrates the clock and measures the noise on this rank's thread, on all ranks at the same
// time.
func (r *rank) setup() report {
	me := r.ch.Rank()
	t := r.calibrate()
	facts := &RankFacts{Clock: record.Clock{Rank: me, Source: t.Source, Resolution: t.Resolution, Cost: t.Cost, CostError: t.CostError}}
	if d := r.plan.noise(); d > 0 {
		seen := ProbeNoise(me, r.plan.core(me), d)
		facts.Noise = &seen
	}
	rep := report{Facts: facts, Plan: r.plan.Fingerprint(), Cache: host.LastCache()}
	errors.As(r.plan.CheckMemory(r.ch.Size(), r.plan.localRanks(r.ch.Size())), &rep.Memory)
	return rep
}

// errNoGroups is returned if the channel cannot be split.
var errNoGroups = errors.New("several groups at once need a channel that can be divided: use level comm")

// makeGroup opens the channel of this rank's group for the case, unless the case before had the
// same groups: a channel may have few contexts to give. Neighbours are in one group, as in IMB.
func (r *rank) makeGroup() error {
	members := r.current.members(r.ch.Size())
	if r.group != nil && r.group.Size() == members {
		return nil
	}
	if err := r.closeGroup(); err != nil {
		return err
	}
	if r.current.groups() == 1 {
		r.group = r.ch
		return nil
	}
	g, ok := r.ch.(Grouper)
	if !ok {
		return errNoGroups
	}
	ch, err := g.Group(r.ch.Rank()/members, r.ch.Rank()%members)
	if err != nil {
		return err
	}
	r.group = ch
	return nil
}

// closeGroup closes the channel of the group.
func (r *rank) closeGroup() error {
	ch := r.group
	r.group = nil
	if ch == nil || ch == r.ch {
		return nil
	}
	return ch.Close()
}

// ProbeNoise measures for about d how the system interrupts the thread of a rank, which calls it.
// core is -1 if the thread is not pinned.
func ProbeNoise(rank, core int, d time.Duration) record.Noise {
	seen := host.Noise(d)
	return record.Noise{
		Rank: rank, Core: core, Duration: seen.Duration,
		Detours: seen.Count, Lost: seen.Lost, Waited: seen.Waited, Longest: seen.Longest,
	}
}

// clockOf returns the clock for a channel, the calibration of that clock on this thread, and the
// probe of the core's speed (nil if the channel lacks one).
func clockOf(ch device.Channel) (now func() int64, calibrate func() clock.Timer, loop func() float64) {
	if k, ok := ch.(clock.Keeper); ok {
		if p, ok := ch.(interface{ Loop() float64 }); ok {
			loop = p.Loop
		}
		return k.Now, k.Timer, loop
	}
	return clock.Now, clock.Calibrate, pace.Loop
}
