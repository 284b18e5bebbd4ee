//go:build race

package coll

// raceDetector says that the race detector is on, which makes everything
// several times slower.
const raceDetector = true
