//go:build !race

package coll

// raceDetector says that the race detector is on.
const raceDetector = false
