package coll

import (
	"runtime"

	"gobench/internal/nearest"
)

// Progress says who moves non-blocking operations on while their caller computes.
type Progress uint8

const (
	ProgressAuto   Progress = iota // what is best here
	ProgressCalls                  // nobody: calls of the owner do
	ProgressThread                 // a thread of its own
)

var progressNames = []string{"auto", "calls", "thread"}

func (p Progress) String() string { return progressNames[p] }

// ParseProgress reads what String writes. Its error is a *nearest.UnknownError.
func ParseProgress(text string) (Progress, error) {
	for i, name := range progressNames {
		if name == text {
			return Progress(i), nil
		}
	}
	return 0, &nearest.UnknownError{What: "kind of progress", Name: text, Known: progressNames, List: "known"}
}

// settle makes auto a decision: a thread, where every rank has a second processor for it.
//
// Measured with an Iallreduce of 1 MiB by a ring, on 4 cores, 2 ranks computing
// meanwhile (BenchmarkOverlap): what is left to do in Wait falls from 215 to 1 us over
// smem and from 570 to 2 us over tcp, computation is no slower, and 8 bytes take no longer. With 4 ranks
// on the 4 cores a thread that has lost its processor holds the device up for
// its time slice, and operations take several times as long.
func (p Progress) settle(ranks int) Progress {
	switch {
	case p != ProgressAuto:
		return p
	case 2*ranks <= min(runtime.NumCPU(), runtime.GOMAXPROCS(0)):
		return ProgressThread
	}
	return ProgressCalls
}
