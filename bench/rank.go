package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"gobench/bench/clock"
	"gobench/device"
)

// rank is one rank's side of a run: it executes commands.
type rank struct {
	ctx  context.Context
	ch   device.Channel
	plan Plan
	link link

	now       func() int64
	calibrate func() clock.Timer
	loop      func() float64 // of package pace; nil = the channel has a time of its own
	model     clock.Model    // from this rank's clock to that of all

	// Of the current cell.
	cell   Cell
	group  device.Channel // of the ranks that do events together; ch where all do
	op     *rotation      // events as they are timed
	single *rotation      // the same with one message per stream and event, for checks
	phases [phases]Op     // where the benchmark overlaps, after makeWork
	timed  *timed
	gate   gate
}

func newRank(ctx context.Context, ch device.Channel, plan Plan) *rank {
	r := &rank{ctx: ctx, ch: ch, plan: plan, link: link{ch: ch, bench: "start"}}
	r.now, r.calibrate, r.loop = clockOf(ch)
	r.timed = newTimed(r.now)
	return r
}

// execute does one command. An error is fatal for this rank: messages may be
// under way, so nothing more can be agreed on. What leaves the ranks in step
// is in the report.
func (r *rank) execute(c command) (report, error) {
	var rep report
	var err error
	switch c.Verb {
	case verbSetup:
		rep = r.setup()
	case verbCell:
		rep = r.prepareCell(c)
	case verbDistance:
		rep.Distance, err = r.distance(c.Pair[0], c.Pair[1], c.Samples, c.Rounds)
		if c.Pace && r.loop != nil {
			rep.Loop = r.loop()
		}
	case verbCheck:
		rep.Defect, err = r.checkPass(c.First, c.Samples)
		rep.Checked = c.Samples * r.op.checkable()
	case verbBlock:
		rep.Defect, err = r.block(c)
		if c.Phase != phaseCompute {
			rep.Checked = 2 * r.op.checkable()
		}
	case verbWork:
		rep = r.makeWork(c.Work)
	case verbSync:
		rep.Clock, err = r.synchronise()
	case verbClock:
		rep.Clock, err = r.checkClock()
	case verbStop: // nothing but the report
	default:
		err = fmt.Errorf("command %d: %w", c.Verb, errOutOfStep)
	}
	if err != nil {
		return rep, err
	}
	if rep.Defect == nil {
		rep.Defect = r.link.defect
	}
	rep.Interrupted = r.ctx.Err() != nil
	return rep, nil
}

// prepareCell makes buffers and operations, and collects the garbage of the cell before.
func (r *rank) prepareCell(c command) report {
	if err := r.endCell(); err != nil {
		return report{Failure: err.Error()}
	}
	if c.Cell < 0 || c.Cell >= len(r.plan.Cells) || c.Copies < 1 || c.Copies > maxCopies {
		return report{Failure: errOutOfStep.Error()}
	}
	if r.collects() {
		runtime.GC()
	}
	r.cell = r.plan.Cells[c.Cell]
	b := r.cell.Bench
	r.link.bench = b.Name
	alloc := heapAlloc
	if r.cell.memory() == Device {
		d, ok := r.ch.(device.Device)
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
	if err := r.divide(); err != nil {
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
	if r.collects() {
		runtime.GC()
	}
	return report{}
}

// addUnit makes the operation of the cell once more, with buffers of its own.
func (r *rank) addUnit(alloc func(int) ([]byte, error)) error {
	b, members := r.cell.Bench, r.group.Size()
	if _, links := r.group.(device.Linker); b.Links && !links {
		return fmt.Errorf("benchmark %s needs a transport that puts and gets at level raw, such as ibv: transport %s does not here", b.Name, r.ch.Info().Transport)
	}
	own := &buffers{bench: b.Name, rank: r.ch.Rank(), alloc: alloc}
	env := Env{r.group, r.cell.Size, r.cell.window(), r.cell.Root, own}
	timed := unit{b.New(&env), own}
	r.op.units = append(r.op.units, timed)
	single := timed
	if r.cell.window() != 1 {
		env.Window = 1
		single.op = b.New(&env)
	}
	r.single.units = append(r.single.units, single)
	if own.err != nil {
		return own.err
	}
	if n := own.total(); n > b.Buffers(members)*r.cell.Size+smallBuffers {
		return fmt.Errorf("benchmark %s declares %d buffers of %d bytes and uses %d bytes", b.Name, b.Buffers(members), r.cell.Size, n)
	}
	return nil
}

// collects reports whether this rank runs the collector for its process.
func (r *rank) collects() bool { return r.ch.Info().Ranks != "goroutine" || r.ch.Rank() == 0 }

func (r *rank) counts(rank int) bool {
	return rank == 0 || r.cell.Bench.Collective || r.cell.Bench.Timed(rank, r.ch.Size())
}

// endCell frees the buffers of the cell before.
func (r *rank) endCell() error {
	old := r.op
	r.closeOps()
	r.phases = [phases]Op{}
	r.op, r.single = nil, nil // so that the old buffers are not kept beside the new ones
	first := r.unite()
	if old == nil || r.cell.memory() != Device {
		return first
	}
	for _, u := range old.units {
		if err := u.buffers.free(r.ch.(device.Device)); first == nil {
			first = err
		}
	}
	return first
}

// closeOps gives back what the operations of the cell hold.
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

// checkPass runs n events with one message per stream each, every one with data of its own,
// and checks all. It goes on after a defect, because the others do.
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

// block times one block and checks the last message of every stream. All
// events of a block carry the same data, so an event with fresh data follows,
// untimed, and is checked as well: a channel that has ceased to copy is found.
func (r *rank) block(c command) (*DataError, error) {
	if c.Samples < 1 || c.Samples > maxBlock || c.Phase < 0 || c.Phase >= phases || c.Phase > 0 && r.phases[c.Phase] == nil {
		return nil, errOutOfStep
	}
	r.op.prepare(c.First, true)
	if err := r.events(c); err != nil {
		return nil, r.opError(err)
	}
	if c.Phase == phaseCompute {
		return nil, nil // no message
	}
	if defect := r.op.check(c.First); defect != nil {
		r.checkPass(c.First+1, 1) // the other ranks do it
		return defect, nil
	}
	return r.checkPass(c.First+1, 1)
}

// events runs the timed region of a block.
func (r *rank) events(c command) error {
	if !r.cell.Bench.Collective {
		return r.timed.block(r.op.plain(), c.Samples, c.Batch, c.Lead)
	}
	r.gate.model, r.gate.start = r.model, c.Start
	if err := r.gate.calibrate(); err != nil {
		return err
	}
	var op Op = r.op
	if c.Phase > 0 {
		op = r.phases[c.Phase]
	}
	err := r.timed.operations(op, &r.gate, r.plan.Skew, c.Samples, c.Batch, c.Lead)
	r.globalise(r.timed.stamps[:2*c.Samples])
	return err
}

// opError names the cell in which the channel failed. A message longer than
// it should be is wrong data.
func (r *rank) opError(err error) error {
	var t *device.TruncationError
	if errors.As(err, &t) {
		return fmt.Errorf("%w (%w)", &DataError{
			Bench: r.cell.Bench.Name, Size: r.cell.Size, Rank: r.ch.Rank(), Source: t.Source, Offset: r.cell.Size, Excess: true,
		}, err)
	}
	return fmt.Errorf("%s with %s: %w", r.cell.Bench.Name, bytesText(int64(r.cell.Size)), err)
}
