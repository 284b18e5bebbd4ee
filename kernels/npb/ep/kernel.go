// Package ep is the kernel EP of the NAS Parallel Benchmarks: pairs of Gaussian deviates from
// uniform numbers, counted by their distance (NASA RNR-94-007, section 2.2.1). It is embarrassingly
// parallel: ranks communicate only at the end. Its bottleneck is the logarithm.
package ep

import (
	"fmt"

	"gobench/kernels/npb"
)

// Kernel describes EP.
func Kernel() *npb.Kernel {
	return &npb.Kernel{
		Name:    "ep",
		Last:    npb.E,
		About:   "Gaussian deviates: arithmetic alone, three sums at the end",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if err := npb.Binary("ep", class, s.m >= batchPairs); err != nil {
				return err
			}
			if batches := s.batches(); ranks < 1 || ranks > batches {
				return &npb.RanksError{Kernel: "ep", Class: class, Ranks: ranks, Legal: fmt.Sprintf("1 to %d", batches), Near: []int{max(1, min(ranks, batches))}}
			}
			return nil
		},
		Memory: func(_ npb.Class, ranks, threads int) int64 { return int64(ranks*threads) * 2 * 8 * chunk },
		New:    newInstance,
	}
}

// size holds the parameters of a class: 2^m pairs, their sums, and the number of accepted ones.
type size struct {
	m     int
	x, y  float64
	count float64
}

// classes holds the parameters of the official classes.
var classes = map[npb.Class]size{
	npb.S: {24, -3.247834652034740e3, -6.958407078382297e3, 13176389},
	npb.W: {25, -2.863319731645753e3, -6.320053679109499e3, 26354769},
	npb.A: {28, -4.295875165629892e3, -1.580732573678431e4, 210832767},
	npb.B: {30, 4.033815542441498e4, -2.660669192809235e4, 843345606},
	npb.C: {32, 4.764367927995374e4, -8.084072988043731e4, 3373275903},
	npb.D: {36, 1.982481200946593e5, -1.020596636361769e5, 53972171957},
	npb.E: {40, -5.319717441530e5, -3.688834557731e5, 863554308186},
}

const (
	batchPairs = 16        // log2 of the pairs of a batch, the unit of distribution
	seed       = 271828183 // of EP alone
	epsilon    = 1e-8      // of the sums; the counts must be exact
	chunk      = 1 << 10   // pairs generated at a time, which stay in the L1 cache
)

// sizeOf returns the parameters of a class. A multiple of a class has that multiple of the pairs.
func sizeOf(class npb.Class) size {
	s := classes[class.Letter()]
	if n, _ := class.Doublings(); !class.Official() {
		s = size{m: s.m + n, x: npb.Unknown(), y: npb.Unknown(), count: npb.Unknown()}
	}
	return s
}

func (s size) batches() int { return 1 << (s.m - batchPairs) }

func problem(class npb.Class) npb.Problem {
	s := sizeOf(class)
	numbers := int64(1) << (s.m + 1)
	return npb.Problem{
		Size:       fmt.Sprint(numbers),
		Header:     fmt.Sprintf(" Number of random numbers generated: %15d  (class %v)\n Total number of processes:            %%13d\n", numbers, class),
		Operations: float64(numbers) / 1e6,
		Kind:       "Random numbers generated",
	}
}
