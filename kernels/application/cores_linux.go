package application

import "golang.org/x/sys/unix"

// allowed returns the affinity mask of the calling thread, empty if it cannot be read.
func allowed() (mask [maxCores / 64]uint64) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return mask
	}
	for core := range maxCores {
		if set.IsSet(core) {
			mask[core/64] |= 1 << (core % 64)
		}
	}
	return mask
}
