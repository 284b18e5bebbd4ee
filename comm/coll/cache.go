package coll

import "gobench/comm/schedule"

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
