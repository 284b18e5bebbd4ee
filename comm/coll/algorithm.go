package coll

import (
	"gobench/comm/schedule"
	"gobench/internal/comm/coll/shared"
)

// An Algorithm implements one collective operation. Exactly one of Build, Share
// and Library is set.
type Algorithm struct {
	Name   string // the name common in the literature, "binomial"
	Kind   schedule.Kind
	Source string // the paper and section, or the library, that describes it
	About  string // one line

	// Param names the meaning of the number in NAME:NUMBER ("the radix k", "the bytes of a
	// segment"); it is "" for an algorithm without a parameter. Default is used if no number is
	// given. Values are the parameters that gobench tune tries.
	Param   string
	Default int
	Values  []int

	Hosts bool // it fits only where ranks are on several hosts

	// Fits returns the reason why the algorithm cannot be used for a shape, or "" if it can. It
	// must return the same on all ranks. A nil Fits accepts every shape.
	Fits func(s *schedule.Shape) string

	Build func(b *schedule.Builder, param int) // emits the program of one rank
	Share shared.Func                          // works in shared memory

	Library bool // the library under the device runs it (device.Collector); only where it is named
}
