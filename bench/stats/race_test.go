//go:build race

package stats

// The race detector makes arithmetic ten times slower and finds nothing in
// it: simulations are shorter then.
const slowdown = 8
