package bench

// unit is an Op with its buffers.
type unit struct {
	op      Op
	buffers *buffers
}

// prepare makes the data of an iteration and spoils what will be received.
func (u *unit) prepare(iteration uint64, timed bool) {
	u.buffers.prepare(iteration)
	if c, ok := u.op.(Checker); ok {
		c.Prepare(iteration, timed)
	}
}

// check returns the first defect of what was received, or nil.
func (u *unit) check(iteration uint64) *DataError {
	if defect := u.buffers.check(iteration); defect != nil {
		return defect
	}
	if c, ok := u.op.(Checker); ok {
		if defect := c.Check(iteration); defect != nil {
			defect.Bench, defect.Rank, defect.Iteration = u.buffers.bench, u.buffers.rank, iteration
			return defect
		}
	}
	return nil
}

// checkable is the number of messages, or results, that check looks at.
func (u *unit) checkable() int {
	n := u.buffers.checkable()
	if _, ok := u.op.(Checker); ok && len(u.buffers.owned) > 0 {
		n++
	}
	return n
}

// rotation runs events over several units in turn, so that none finds its
// buffers in the cache (rule 15).
type rotation struct {
	units []unit
	next  int
	used  int // since the data was prepared, at most all
}

// plain is r, or its only Op, which may be a Stamper.
func (r *rotation) plain() Op {
	if len(r.units) > 1 {
		return r
	}
	r.used = 1
	return r.units[0].op
}

// Do implements Op.
func (r *rotation) Do(k int) error {
	if len(r.units) == 1 {
		r.used = 1
		return r.units[0].op.Do(k)
	}
	for range k {
		if err := r.units[r.next].op.Do(1); err != nil {
			return err
		}
		r.advance()
	}
	return nil
}

// advance goes on to the next unit after an event.
func (r *rotation) advance() {
	r.used = min(r.used+1, len(r.units))
	if r.next++; r.next == len(r.units) {
		r.next = 0
	}
}

func (r *rotation) prepare(iteration uint64, timed bool) {
	r.used, r.next = 0, 0
	for i := range r.units {
		r.units[i].prepare(iteration, timed)
	}
}

// check looks at the units whose events have run, also after a defect: the check of an Op may be one of all ranks.
func (r *rotation) check(iteration uint64) (defect *DataError) {
	for i := range r.units[:r.used] {
		if d := r.units[i].check(iteration); defect == nil {
			defect = d
		}
	}
	return defect
}

func (r *rotation) checkable() int { return r.units[0].checkable() }
