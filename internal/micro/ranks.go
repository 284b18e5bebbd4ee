package micro

import "gobench/device"

// tag is the tag of all messages; the streams of a benchmark are distinguished by order, as level
// raw requires.
const tag int32 = 1

// always returns the traffic of a benchmark for any number of ranks.
func always(t device.Traffic) func(int) device.Traffic {
	return func(int) device.Traffic { return t }
}

func all(rank, ranks int) bool   { return true }
func first(rank, ranks int) bool { return rank < ranks/2 }

// partner returns the partner of a rank in pairs i, i + n/2.
func partner(rank, ranks int) int { return (rank + ranks/2) % ranks }

// neighbours returns the neighbours of a rank in the ring.
func neighbours(rank, ranks int) (left, right int) {
	return (rank + ranks - 1) % ranks, (rank + 1) % ranks
}
