package coll

import (
	"errors"
	"fmt"

	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// A FitError reports that the forced algorithm cannot be used for an operation.
type FitError struct {
	Kind      schedule.Kind
	Algorithm string
	Why       string
}

func (e *FitError) Error() string {
	return fmt.Sprintf("algorithm %s cannot do this %v: %s", e.Algorithm, e.Kind, e.Why)
}

// plan returns the plan for a shape from the cache, or makes it. messages excludes algorithms in
// shared memory, which block. forced is the algorithm that Force had selected when the operation
// was called, else nil.
func (r *Runner) plan(s *schedule.Shape, messages bool, forced *Choice) (*plan, error) {
	kept := &r.cache
	if messages {
		kept = &r.messages
	}
	p := kept.find(s)
	if p == nil || p.forced != forced {
		var err error
		if p, err = r.makePlan(s, messages, forced); err != nil {
			return nil, err
		}
		kept.keep(p)
	}
	r.last[s.Kind] = p
	return p, nil
}

// makePlan chooses an algorithm and builds its program for the hosts of the communicator. It copies
// the shape, because the caller may change the blocks afterwards; plans are found by the caller's
// shape, without hosts.
func (r *Runner) makePlan(s *schedule.Shape, messages bool, forced *Choice) (*plan, error) {
	chosen := *s
	chosen.Hosts = r.hosts
	choice, err := r.choose(&chosen, messages, forced)
	if err != nil {
		return nil, err
	}
	p := &plan{shape: s.Clone(), forced: forced, choice: choice}
	if choice.Build != nil && !messages && forced == nil && r.mayShare(&chosen) {
		why, err := r.openArena()
		if err != nil {
			return nil, err
		}
		p.announce = why == ""
	}
	if choice.Build != nil {
		p.program = schedule.Build(chosen, func(b *schedule.Builder) { choice.Build(b, choice.Number) })
	}
	return p, nil
}

// choose returns the algorithm for a shape. It returns the same on all ranks of a communicator.
func (r *Runner) choose(s *schedule.Shape, messages bool, forced *Choice) (Choice, error) {
	if forced != nil && !(messages && forced.share != nil) {
		var err error
		why := forced.fits(s)
		switch {
		case why != "":
		case forced.Library:
			why, err = r.openGroup()
		case forced.share != nil:
			why, err = r.openArena()
		}
		if why != "" {
			err = &FitError{s.Kind, forced.String(), why}
		}
		return *forced, err
	}
	choice := r.options.Table.Choose(r.transport, s, !messages && r.unshared == "")
	if choice.share != nil {
		why, err := r.openArena()
		if err != nil {
			return Choice{}, err
		}
		if why != "" { // on all ranks
			choice = r.options.Table.Choose(r.transport, s, false)
		}
	}
	if choice.Algorithm == nil {
		return Choice{}, &FitError{s.Kind, "none", "no algorithm fits"}
	}
	return choice, nil
}

// mayShare reports whether a rank with another size of the same operation may choose an algorithm
// in shared memory. It returns the same on all ranks of a communicator.
func (r *Runner) mayShare(s *schedule.Shape) bool {
	return !r.strict && r.unshared == "" && shared.Holds(s) && r.options.Table.shares(r.transport, s)
}

// openArena opens the shared memory of the communicator at its first use, collectively. If any rank
// cannot, all ranks get the same reason in unshared.
func (r *Runner) openArena() (unshared string, err error) {
	if r.arena != nil || r.unshared != "" {
		return r.unshared, nil
	}
	r.arena, err = shared.Open(r.engine.sharing(r.dev), r.context, r.world, r.rank, r.ranks)
	if none, ok := errors.AsType[*shared.UnavailableError](err); ok {
		r.unshared = none.Why
		return r.unshared, nil
	}
	return "", err
}

// A plan is the algorithm chosen for operations of one shape, and its program.
type plan struct {
	shape    schedule.Shape
	forced   *Choice // see Runner.plan
	choice   Choice
	program  *schedule.Program // nil for an algorithm in shared memory or of a library
	announce bool              // before the program: see shared.Announce
}

// cacheSize is a power of two.
const cacheSize = 256

// cache holds plans by a hash of their shape. Plans with the same hash evict each other and are
// rebuilt, so the cost of a look-up does not depend on the number of shapes in use.
type cache [cacheSize]*plan

func slot(s *schedule.Shape) uint {
	h := uint64(s.Bytes)*0x9E3779B97F4A7C15 ^ uint64(s.Root)*0xC2B2AE3D27D4EB4F ^
		(uint64(s.Kind)<<8|uint64(s.Elem))*0x165667B19E3779F9
	if s.InPlace {
		h += 1 << 56
	}
	return uint(h>>56) % cacheSize
}

// find returns the plan of a shape, nil if there is none.
func (c *cache) find(s *schedule.Shape) *plan {
	if p := c[slot(s)]; p != nil && p.shape.Same(s) {
		return p
	}
	return nil
}

// keep puts a plan in its place.
func (c *cache) keep(p *plan) { c[slot(&p.shape)] = p }

// forget drops the plans of one operation.
func (c *cache) forget(kind schedule.Kind) {
	for i, p := range c {
		if p != nil && p.shape.Kind == kind {
			c[i] = nil
		}
	}
}
