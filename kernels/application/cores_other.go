//go:build !linux

package application

// allowed returns an empty mask: the affinity is read on Linux only.
func allowed() (mask [mostCores / 64]uint64) { return mask }
