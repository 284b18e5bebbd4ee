//go:build !race

package stats

const slowdown = 1
