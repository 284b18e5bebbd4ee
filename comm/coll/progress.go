package coll

import "gobench/internal/nearest"

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

// settle makes auto a decision.
func (p Progress) settle() Progress {
	if p == ProgressAuto {
		return ProgressCalls
	}
	return p
}
