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

	// Of the current cell.
	cell    Cell
	op      Op // events as they are timed
	single  Op // the same with one message per stream and event, for checks
	buffers *buffers
	timed   *timed
}

func newRank(ctx context.Context, ch device.Channel, plan Plan) *rank {
	r := &rank{ctx: ctx, ch: ch, plan: plan, link: link{ch: ch, bench: "start"}}
	r.now, r.calibrate = clockOf(ch)
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
		rep = r.prepareCell(c.Cell)
	case verbDistance:
		rep.Distance, err = r.distance(c.Samples, c.Rounds)
	case verbCheck:
		rep.Defect, err = r.checkPass(c.First, c.Samples)
		rep.Checked = c.Samples * r.buffers.checkable()
	case verbBlock:
		rep.Defect, err = r.block(c)
		rep.Checked = 2 * r.buffers.checkable()
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
func (r *rank) prepareCell(i int) report {
	if err := r.endCell(); err != nil {
		return report{Failure: err.Error()}
	}
	if i < 0 || i >= len(r.plan.Cells) {
		return report{Failure: errOutOfStep.Error()}
	}
	if r.collects() {
		runtime.GC()
	}
	r.cell = r.plan.Cells[i]
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
	r.buffers = &buffers{bench: b.Name, rank: r.ch.Rank(), alloc: alloc}
	r.op = b.New(&Env{r.ch, r.cell.Size, r.cell.window(), r.buffers})
	r.single = r.op
	if r.cell.window() != 1 {
		r.single = b.New(&Env{r.ch, r.cell.Size, 1, r.buffers})
	}
	if err := r.buffers.err; err != nil {
		return report{Failure: err.Error()}
	}
	if n := r.buffers.total(); n > b.Buffers*r.cell.Size+smallBuffers {
		return report{Failure: fmt.Sprintf("benchmark %s declares %d buffers of %d bytes and uses %d bytes", b.Name, b.Buffers, r.cell.Size, n)}
	}
	r.timed.counts = r.counts(r.ch.Rank())
	r.buffers.prepare(0)
	if r.collects() {
		runtime.GC()
	}
	return report{}
}

// collects reports whether this rank runs the collector for its process.
func (r *rank) collects() bool { return r.ch.Info().Ranks != "goroutine" || r.ch.Rank() == 0 }

func (r *rank) counts(rank int) bool {
	return rank == 0 || r.cell.Bench.Timed(rank, r.ch.Size())
}

// endCell frees the buffers of the cell before.
func (r *rank) endCell() error {
	b := r.buffers
	r.buffers, r.op, r.single = nil, nil, nil // so that the old buffers are not kept beside the new ones
	if b == nil || r.cell.memory() != Device {
		return nil
	}
	return b.free(r.ch.(device.Device))
}

// checkPass runs n events with one message per stream each, every one with data of its own,
// and checks all. It goes on after a defect, because the others do.
func (r *rank) checkPass(first uint64, n int) (defect *DataError, err error) {
	for i := range uint64(n) {
		r.buffers.prepare(first + i)
		if err := r.single.Do(1); err != nil {
			return nil, r.opError(err)
		}
		if defect == nil {
			defect = r.buffers.check(first + i)
		}
	}
	return defect, nil
}

// block times one block and checks the last message of every stream. All
// events of a block carry the same data, so an event with fresh data follows,
// untimed, and is checked as well: a channel that has ceased to copy is found.
func (r *rank) block(c command) (*DataError, error) {
	if c.Samples < 1 || c.Samples > maxBlock {
		return nil, errOutOfStep
	}
	r.buffers.prepare(c.First)
	if err := r.timed.block(r.op, c.Samples, c.Batch, c.Lead); err != nil {
		return nil, r.opError(err)
	}
	if defect := r.buffers.check(c.First); defect != nil {
		r.checkPass(c.First+1, 1) // the other ranks do it
		return defect, nil
	}
	return r.checkPass(c.First+1, 1)
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
