package coll

import "gobench/comm/schedule"

// cached is an operation as it was planned: its shape, the algorithm and the program.
type cached struct {
	shape   schedule.Shape
	choice  Choice
	program *schedule.Program // nil for an algorithm in shared memory
}

// cacheSize is a power of two. Programs that meet in one place drive each other
// out, which costs time and nothing else.
const cacheSize = 256

// cache keeps what was planned. Its index is a hash of the shape, so a look-up
// costs the same however much is kept.
type cache [cacheSize]*cached

func place(s *schedule.Shape) uint {
	h := uint64(s.Bytes)*0x9E3779B97F4A7C15 + uint64(s.Root)*0xC2B2AE3D27D4EB4F + uint64(s.Kind)*0x165667B19E3779F9
	if s.InPlace {
		h += 0x27D4EB2F165667C5
	}
	return uint(h >> 56)
}

func (c *cache) find(s *schedule.Shape) *cached {
	if p := c[place(s)]; p != nil && p.shape.Same(s) {
		return p
	}
	return nil
}

// keep puts a plan in its place. The shape's blocks are copied, because the caller
// may change his.
func (c *cache) keep(p *cached) {
	p.shape = p.shape.Clone()
	c[place(&p.shape)] = p
}
