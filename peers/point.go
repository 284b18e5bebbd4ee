package main

// A point is one size of one run of one program.
type point struct {
	size    int     // bytes
	halfRTT float64 // seconds, median of the program's own sample
	before  float64 // distance of the two cores before, seconds
	after   float64 // and after
	path    string  // how gobench moved the message; empty for rivals
	sampling
}

// A value extracts a quantity of a point for comparison.
type value func(point) float64

func halfRTT(p point) float64   { return p.halfRTT }
func bandwidth(p point) float64 { return float64(p.size) / p.halfRTT }
