package coll

// Progress says who moves non-blocking operations on.
type Progress uint8

const (
	ProgressCalls  Progress = iota // calls of the owner
	ProgressThread                 // and a thread of its own while the owner computes
)
