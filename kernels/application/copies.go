package application

// copies are independent instances of a program, one for each thread of a rank.
type copies struct {
	rank     *Rank
	ranks    []*Rank // of one thread each
	each     []Instance
	outcomes []Outcome
	failed   []error
}

// copied returns a program of which each thread of a rank runs a copy, on a rank of its own. The time
// of a run is that of the slowest copy.
func copied(p Program) Program {
	one := p.New
	p.New = func(r *Rank) (Instance, error) {
		n := r.Team.Threads()
		c := &copies{rank: r, each: make([]Instance, n), outcomes: make([]Outcome, n), failed: make([]error, n)}
		for range n {
			own, err := r.Comm.Dup()
			if err != nil {
				return nil, err
			}
			c.ranks = append(c.ranks, NewRank(r.ctx, own, Alone()))
		}
		// Each thread is the first to touch the memory of its copy.
		r.Team.Run(func(thread int) { c.each[thread], c.failed[thread] = one(c.ranks[thread]) })
		return c, c.failure()
	}
	return p
}

// Run implements Instance.
func (c *copies) Run() (Outcome, error) {
	c.rank.Team.Run(func(thread int) { c.outcomes[thread], c.failed[thread] = c.each[thread].Run() })
	if err := c.failure(); err != nil {
		return Outcome{}, err
	}
	slowest := 0
	var all Outcome
	for i, o := range c.outcomes {
		all.Copies = append(all.Copies, o.Seconds)
		if o.Seconds > c.outcomes[slowest].Seconds {
			slowest = i
		}
		if all.Wrong == "" {
			all.Wrong = o.Wrong
		}
	}
	all.Seconds = c.outcomes[slowest].Seconds
	c.rank.Timers = c.ranks[slowest].Timers
	return all, nil
}

// failure returns the first error of a thread.
func (c *copies) failure() error {
	for _, err := range c.failed {
		if err != nil {
			return err
		}
	}
	return nil
}
