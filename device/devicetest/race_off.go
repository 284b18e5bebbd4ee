//go:build !race

package devicetest

// raceDetector says that the race detector is on.
const raceDetector = false
