package clock

import "math"

// Model is a linear map from a rank's own clock to that of rank 0, which is the global clock. The
// zero Model is the identity, for ranks with the same clock.
type Model struct {
	Base   int64   // time of the last measured offset on the own clock, ns
	Offset int64   // global - own clock at Base, ns
	Slope  float64 // growth of the offset per ns of the own clock
	Width  float64 // error bound in ns until Base, for clocks of constant rates
	Growth float64 // growth of the error bound per ns after Base
}

// Global maps a reading of the own clock to the global clock.
func (m Model) Global(own int64) int64 {
	return own + m.Offset + int64(math.Round(m.Slope*float64(own-m.Base)))
}

// Own returns the reading of the own clock at a global time. It inverts Global up to rounding.
func (m Model) Own(global int64) int64 {
	since := float64(global - m.Offset - m.Base) // (1 + Slope) x (own - Base)
	return m.Base + int64(math.Round(since/(1+m.Slope)))
}

// Bound returns the error bound of Global(own), in seconds.
func (m Model) Bound(own int64) float64 {
	return (m.Width + m.Growth*math.Max(0, float64(own-m.Base))) / 1e9
}
