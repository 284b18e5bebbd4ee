//go:build !linux

package application

// allowed returns an empty mask: the affinity is read on Linux only.
func allowed() (mask [maxCores / 64]uint64) { return mask }
