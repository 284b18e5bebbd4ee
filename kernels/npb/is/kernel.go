// Package is is the kernel IS of the NAS Parallel Benchmarks: the rank of each of
// many small integer keys, by buckets that are distributed over the ranks
// (NASA RNR-94-007, section 2.2.3; buckets and verification as in NPB 3.4-MPI).
//
// Its bottleneck is memory: each key is read, put into its bucket, sent to the rank of the bucket,
// and counted.
package is

import (
	"fmt"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Name is the name of the kernel.
const Name = "is"

// Kernel describes IS with keys in an order.
func Kernel(o Order) *npb.Kernel {
	return &npb.Kernel{
		Name:    Name,
		Last:    npb.E,
		About:   "ranks of integer keys: random access to memory, all to all of most of it",
		Problem: problem,
		Legal: func(class npb.Class, ranks int) error {
			s := sizeOf(class)
			if err := npb.Binary("is", class, s.maxKey >= s.buckets+2); err != nil {
				return err
			}
			if s.maxKey > keyBits {
				return &npb.FactorError{Kernel: "is", Class: class, Why: fmt.Sprintf("its keys would have more than %d bits", keyBits)}
			}
			return npb.PowerOfTwo("is", class, ranks, s.fewest(), min(s.largest, 1<<s.buckets))
		},
		Memory: func(class npb.Class, ranks, threads int) int64 { return memory(class, ranks, threads, o) },
		New:    func(r *application.Rank, class npb.Class) (npb.Instance, error) { return newInstance(r, class, o) },
	}
}

// size holds the parameters of a class. keys, maxKey and buckets are binary logarithms.
type size struct {
	keys, maxKey, buckets int
	smallest, largest     int // ranks

	test  [tests]int64 // places of the test keys
	ranks [tests]int64 // their ranks, without the drift
	drift func(i, iteration int) int
}

const (
	tests      = 5
	iterations = 10
)

// keyBits is the greatest number of bits of a key, which is an int32.
const keyBits = 31

// fewest returns the least number of ranks: the official one, or as many as keep the number of keys
// that a rank has, or sends to another, below 2^31.
func (s size) fewest() int {
	if s.keys <= 31 {
		return s.smallest
	}
	return max(s.smallest, 1<<(s.keys-30))
}

// replaced returns the places on rank 0 at which an iteration replaces keys, and the new keys.
func (s size) replaced(iteration int) (at [2]int, keys [2]int32) {
	return [2]int{iteration, iteration + iterations}, [2]int32{int32(iteration), int32(1<<s.maxKey - iteration)}
}

// up and down return the drift of the rank of a test key over iterations: it rises when keys are
// inserted below it, and falls when keys are removed below it.
func up(offset int) func(int) int   { return func(it int) int { return it + offset } }
func down(offset int) func(int) int { return func(it int) int { return -it - offset } }

// drifting combines the drifts of the test keys of a class.
func drifting(of ...func(int) int) func(i, iteration int) int {
	return func(i, iteration int) int { return of[i](iteration) }
}

// classes holds the parameters of the official classes.
var classes = map[npb.Class]size{
	npb.S: {16, 11, 9, 1, 128,
		[tests]int64{48427, 17148, 23627, 62548, 4431}, [tests]int64{0, 18, 346, 64917, 65463},
		drifting(up(0), up(0), up(0), down(0), down(0))},
	npb.W: {20, 16, 10, 1, 1024,
		[tests]int64{357773, 934767, 875723, 898999, 404505}, [tests]int64{1249, 11698, 1039987, 1043896, 1048018},
		drifting(up(-2), up(-2), down(0), down(0), down(0))},
	npb.A: {23, 19, 10, 1, 1024,
		[tests]int64{2112377, 662041, 5336171, 3642833, 4250760}, [tests]int64{104, 17523, 123928, 8288932, 8388264},
		drifting(up(-1), up(-1), up(-1), down(-1), down(-1))},
	npb.B: {25, 21, 10, 1, 1024,
		[tests]int64{41869, 812306, 5102857, 18232239, 26860214}, [tests]int64{33422937, 10244, 59149, 33135281, 99},
		drifting(down(0), up(0), up(0), down(0), up(0))},
	npb.C: {27, 23, 10, 1, 1024,
		[tests]int64{44172927, 72999161, 74326391, 129606274, 21736814}, [tests]int64{61147, 882988, 266290, 133997595, 133525895},
		drifting(up(0), up(0), up(0), down(0), down(0))},
	npb.D: {31, 27, 10, 4, 1024,
		[tests]int64{1317351170, 995930646, 1157283250, 1503301535, 1453734525}, [tests]int64{1, 36538729, 1978098519, 2145192618, 2147425337},
		drifting(up(0), up(0), down(0), down(0), down(0))},
	npb.E: {35, 31, 10, 64, 1024,
		[tests]int64{21492309536, 24606226181, 12608530949, 4065943607, 3324513396}, [tests]int64{3, 27580354, 3248475153, 30048754302, 31485259697},
		drifting(up(-2), up(-2), decremented, down(-2), down(-2))},
}

// decremented is up(-2) of a key of class E below which two keys are removed, one in iteration 3
// and one in iteration 5.
func decremented(it int) int {
	drift := it - 2
	if it > 2 {
		drift--
	}
	if it > 4 {
		drift--
	}
	return drift
}

// sizeOf returns the parameters of a class. A multiple of a class has that multiple of the keys and
// of their values, and no test keys.
func sizeOf(class npb.Class) size {
	s := classes[class.Letter()]
	if n, _ := class.Doublings(); !class.Official() {
		s.keys, s.maxKey, s.drift = s.keys+n, s.maxKey+n, nil
	}
	return s
}

// passes returns the number of partial verifications of a run.
func (s size) passes() int {
	if s.drift == nil {
		return 0
	}
	return tests * iterations
}

func problem(class npb.Class) npb.Problem {
	keys := int64(1) << sizeOf(class).keys
	return npb.Problem{
		Size:       fmt.Sprint(keys),
		Header:     fmt.Sprintf(" Size:  %d  (class %v)\n Iterations:   %d\n Number of processes:     %%d\n", keys, class, iterations),
		Iterations: iterations,
		Operations: iterations * float64(keys) / 1e6,
		Kind:       "keys ranked",
	}
}

// memory returns the size of the keys of all ranks, the sorted keys unless they are counted as
// drawn, the received keys with several ranks, the keys that the verification puts in order, and
// the counts of the range of keys.
func memory(class npb.Class, ranks, threads int, o Order) int64 {
	s := sizeOf(class)
	order, _ := o.Of(class, ranks, threads)
	keys, arrays := float64(int64(1)<<s.keys), 2.0
	if order != asDrawn {
		arrays++
	}
	if ranks > 1 {
		arrays += room(s, ranks)
	}
	return int64(4*keys*arrays) + 4<<s.maxKey
}

// room returns the greatest number of keys that a rank may receive, relative to those that it
// draws: a rank gets buckets until it has its share, and the largest buckets, in the middle, have
// 8/3 of the mean.
func room(s size, ranks int) float64 { return 1 + 4*float64(ranks)/float64(int(1)<<s.buckets) }
