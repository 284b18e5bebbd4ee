package cg

import (
	"math"

	"gobench/comm"
	"gobench/kernels/application"
)

// tag is the tag of all messages: they arrive in order, and each stage has another partner.
const tag = 0

// solve does 25 steps of the method of conjugate gradients for A z = x from z = 0 ("conj_grad") and
// returns the norm of the residual x - A z.
func (c *instance) solve() (float64, error) {
	fill(c.z, 0)
	copy(c.r, c.x)
	copy(c.p, c.x)
	c.pair[0] = c.dot(c.r, c.r)
	if err := c.sum(c.pair[:1]); err != nil {
		return 0, err
	}
	rho := c.pair[0]
	for range steps {
		if err := c.multiply(c.q, c.p); err != nil {
			return 0, err
		}
		c.pair[0] = c.dot(c.p, c.q)
		if err := c.sum(c.pair[:1]); err != nil {
			return 0, err
		}
		alpha := rho / c.pair[0]
		before := rho
		c.pair[0] = c.update(alpha)
		if err := c.sum(c.pair[:1]); err != nil {
			return 0, err
		}
		rho = c.pair[0]
		c.direction(rho / before)
	}
	if err := c.multiply(c.q, c.z); err != nil {
		return 0, err
	}
	var left float64
	for i, v := range c.x {
		d := v - c.q[i]
		left += d * d
	}
	c.pair[0] = left
	err := c.sum(c.pair[:1])
	return math.Sqrt(c.pair[0]), err
}

// sum adds up values over the ranks of this row of the grid, which together hold all columns, by
// recursive doubling. All ranks get bitwise equal sums.
func (c *instance) sum(values []float64) error {
	if c.stages == 0 {
		return nil
	}
	c.rank.Timers.Begin(application.Allreduce)
	theirs := c.theirs[:len(values)]
	for stage := 1; stage <= c.stages; stage++ {
		if err := c.swap(values, theirs, c.peer(stage)); err != nil {
			return err
		}
		for i, v := range theirs {
			values[i] += v
		}
	}
	c.rank.Timers.Begin(application.Compute)
	return nil
}

// multiply sets out to A in, both distributed by columns: products with the blocks are added up
// over the row of the grid and then sent to the rank that holds the columns.
func (c *instance) multiply(out, in []float64) error {
	c.product(in)
	if c.stages == 0 {
		copy(out, c.w)
		return nil
	}
	if err := c.addUp(); err != nil {
		return err
	}
	c.rank.Timers.Begin(application.Transpose)
	own := c.w[c.own.lo:c.own.hi]
	if c.partner == c.rank.Comm.Rank() {
		copy(out, own)
	} else if err := c.swap(own, out, c.partner); err != nil {
		return err
	}
	c.rank.Timers.Begin(application.Compute)
	return nil
}

// addUp adds w over the row of the grid, nearest partner first. If C = 2R, each partner of the
// first stage keeps one half.
func (c *instance) addUp() error {
	c.rank.Timers.Begin(application.Exchange)
	for stage := c.stages; stage >= 1; stage-- {
		gives, keeps := c.own, c.own
		if stage == c.stages && c.own.len() < len(c.w) {
			gives = span{0, c.own.lo} // the other half
			if c.own.lo == 0 {
				gives = span{c.own.hi, len(c.w)}
			}
		}
		received := c.received[:keeps.len()]
		if err := c.swap(c.w[gives.lo:gives.hi], received, c.peer(stage)); err != nil {
			return err
		}
		w := c.w[keeps.lo:keeps.hi]
		for i, v := range received {
			w[i] += v
		}
	}
	return nil
}

// swap sends out to a peer and receives in from it.
func (c *instance) swap(out, in []float64, peer int) error {
	c.rank.Profile.Sent(peer, 8*len(out))
	_, err := comm.Sendrecv(c.rank.Comm, out, peer, tag, in, peer, tag)
	return err
}
