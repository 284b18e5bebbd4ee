package coll

import (
	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
)

// operation is one collective operation under way.
type operation struct {
	r          *Runner
	run        *schedule.Execution
	generation uint32 // of the handle; odd while the operation belongs to one
	stage      stage
	check      agreement // strict checking, before the operation proper
	call       shared.Call
	shape      schedule.Shape // what call has, a copy; of strict checking only
	messages   bool           // it must go by messages, because it may not block
	tag        int32
	kind       schedule.Kind
	done       bool
	err        error
}

// stage says what an operation is doing.
type stage uint8

const (
	stageClaims  stage = iota // the ranks say what they are about to do
	stageVerdict              // rank 0 says what it thinks of it
	stageProper
)

// begin starts an operation. The caller's Shape is not used any more afterwards.
func (o *operation) begin(c *shared.Call, messages bool) {
	o.done, o.err = false, nil
	o.call, o.messages, o.tag, o.kind = *c, messages, o.r.nextTag(), c.Shape.Kind
	if o.r.strict {
		o.stage = stageClaims
		o.shape = c.Shape.Clone()
		o.call.Shape = &o.shape
		o.check.claim(o, c)
		return
	}
	o.proper()
}

// proper starts the operation itself. It is planned only now, because finding an
// algorithm may take the other ranks too.
func (o *operation) proper() {
	o.stage = stageProper
	p, err := o.r.plan(o.call.Shape, o.messages)
	switch {
	case err != nil:
		o.end(err)
	case p.program != nil:
		o.run.Start(p.program, o.call.Send, o.call.Recv, o.call.Op, o.tag)
	default:
		o.end(o.r.arena.Do(p.choice.Share, &o.call))
	}
	o.call = shared.Call{}
}

// advance goes on as far as it can, or to the end where it may block.
func (o *operation) advance(block bool) {
	for !o.done {
		finished, err := o.run.Go(block)
		switch {
		case err != nil:
			o.end(err)
		case !finished:
			return
		case o.stage == stageClaims:
			o.stage = stageVerdict
			o.check.judge(o)
		case o.stage == stageVerdict:
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

// end notes the result.
func (o *operation) end(err error) {
	o.done = true
	o.err = nil
	if err != nil {
		o.err = o.r.explain(o.kind, err)
	}
	o.call = shared.Call{}
}

// position changes whenever the operation gets on.
func (o *operation) position() int { return int(o.stage)<<32 | o.run.Position() }
