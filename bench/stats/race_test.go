//go:build race

package stats

// The race detector makes arithmetic ten times slower and finds nothing in it, so simulations are
// shorter.
const slowdown = 8
