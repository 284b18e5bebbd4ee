//go:build race

package stats

// slowdown is the factor by which simulations are shorter: the race detector makes arithmetic ten
// times slower.
const slowdown = 8
