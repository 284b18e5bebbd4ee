package coll

import (
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/comm/coll/shared"
)

// An operation is a collective operation in progress.
type operation struct {
	r          *Runner
	run        *schedule.Execution
	generation uint32 // of the handle; odd while a handle is live
	stage      stage
	check      argumentCheck // with CheckStrict, before the operation proper
	call       schedule.Call
	shape      schedule.Shape // with CheckStrict, a copy of the caller's
	forced     *Choice        // by Force, when the operation was called
	messages   bool           // only message algorithms are allowed, because those in shared memory block
	tag        int32
	kind       schedule.Kind
	request    device.Request // of a library that runs the operation, else 0
	done       bool
	err        error
}

// A stage is a step of an operation.
type stage uint8

const (
	stageSignatures stage = iota // rank 0 receives the signatures of all ranks
	stageAnswer                  // rank 0 sends the result of the comparison
	stageProper                  // the operation itself
)

// begin starts an operation. It does not retain the caller's Shape.
func (o *operation) begin(c *schedule.Call, messages bool) {
	o.done, o.err = false, nil
	o.call, o.messages, o.tag, o.kind = *c, messages, o.r.nextTag(), c.Shape.Kind
	o.forced = o.r.options.Force[o.kind]
	if o.r.strict {
		o.stage = stageSignatures
		o.shape = c.Shape.Clone()
		o.call.Shape = &o.shape
		o.check.sendSignature(o, c)
		return
	}
	o.proper()
}

// proper starts the operation itself. The algorithm is chosen only now, because opening shared
// memory communicates with the other ranks.
func (o *operation) proper() {
	o.stage = stageProper
	p, err := o.r.plan(o.call.Shape, o.messages, o.forced)
	if err != nil {
		o.end(err)
		return
	}
	if p.announce {
		err = o.r.arena.Do(shared.Announce, &o.call)
	}
	switch {
	case err != nil:
		o.finish(err)
	case p.program != nil:
		o.run.Start(p.program, o.call.Send, o.call.Recv, o.call.Op, o.tag)
	case p.choice.Library && o == o.r.blocking && !o.r.serves():
		o.r.settle()
		o.finish(o.r.doInLibrary(&o.call))
	case p.choice.Library:
		if err := o.startInLibrary(); err != nil {
			o.finish(err)
		}
	default:
		o.finish(o.r.arena.Do(p.choice.share, &o.call))
	}
	o.call = schedule.Call{}
}

// advance runs the operation as far as possible without waiting, or to its end if block is set.
func (o *operation) advance(block bool) {
	for !o.done {
		var finished bool
		var err error
		if o.request != 0 {
			finished, err = o.advanceInLibrary(block)
		} else {
			finished, err = o.run.Advance(block)
		}
		switch {
		case err != nil:
			o.finish(err)
		case !finished:
			return
		case o.stage == stageSignatures:
			o.stage = stageAnswer
			o.check.checkSignatures(o)
		case o.stage == stageAnswer:
			if err := o.check.result(o.kind); err != nil {
				o.end(err)
			} else {
				o.proper()
			}
		default:
			o.end(nil)
		}
	}
}

// Step implements task.
func (o *operation) Step() (moved, done bool) {
	before := o.position()
	o.advance(false)
	return o.done || o.position() != before, o.done
}

// Includes implements task: a rank takes part until its Wait.
func (o *operation) Includes(rank int) bool { return false }

// end records the result and releases the caller's buffers.
func (o *operation) end(err error) {
	o.done, o.err, o.call = true, err, schedule.Call{}
}

// finish is end after messages or steps in shared memory. An error there leaves the ranks out of
// step, unlike one of the plan or of the check of arguments.
func (o *operation) finish(err error) {
	if err != nil {
		err = o.r.explain(o.kind, err)
	}
	o.end(err)
}

// position returns a number that changes whenever the operation makes progress.
func (o *operation) position() int { return int(o.stage)<<32 | o.run.Position() }
