package bench

import (
	"gobench/bench/record"
)

// Sink takes what a run finds, on rank 0 only and never in a timed region. An
// error of a Sink ends the run on all ranks.
type Sink interface {
	// Started is called once, before the first cell, with the facts of every
	// rank's thread, by rank.
	Started(ranks []RankFacts) error
	// Progress is called while a cell runs, about ten times a second.
	Progress(Progress)
	// Point is called once for every finished cell, or once for each state of the cores that
	// the cell saw.
	Point(record.Point) error
}

// RankFacts is what a rank found out about its thread before the first cell.
type RankFacts struct {
	Clock record.Clock  `json:"clock"`
	Noise *record.Noise `json:"noise,omitempty"` // nil if there was no probe
}

// Progress is the state of the running cell.
type Progress struct {
	Cell    int     // index into the plan
	Cells   int     // in the plan
	Bench   string  // name
	Size    int     // bytes
	WarmUp  bool    // still warming up: no estimate yet
	N       int     // samples so far
	Metric  string  // key of the time metric: "half_rtt_s"
	Median  float64 // rough estimate of it, from the last block, in seconds
	Elapsed float64 // seconds of the timed part so far, with the warm-up
}
