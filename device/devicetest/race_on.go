//go:build race

package devicetest

// raceDetector reports whether the race detector is on, which makes everything
// several times slower.
const raceDetector = true
