package collective

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gobench/comm/schedule"
	"gobench/internal/traffic"
)

// Even is the distribution of equal blocks.
const Even = "even"

// distributions maps the distributions of uneven blocks to the weights of the blocks of ranks.
var distributions = map[string]func(rank, ranks int) float64{
	Even: func(int, int) float64 { return 1 },
	"large": func(rank, ranks int) float64 {
		if rank == ranks-1 {
			return float64(max(1, ranks-1))
		}
		return 1
	},
	"empty": func(rank, _ int) float64 { return float64((rank + 1) % 2) },
	"zipf":  func(rank, _ int) float64 { return 1 / float64(rank+1) },
	"random": func(rank, ranks int) float64 {
		return rand.New(rand.NewPCG(uint64(ranks), uint64(rank))).Float64()
	},
}

// A Distribution gives the lengths of uneven blocks as weights.
type Distribution struct {
	Name   string // of a matrix: the file and a checksum
	weight func(kind schedule.Kind, rank, ranks int) float64
	pairs  []float64 // of a matrix: from rank 0 to each rank, from rank 1, ...; else nil
	// busiest is the number of mean blocks that the rank with most traffic sends and receives in
	// an alltoall of pairs.
	busiest int
}

// ParseDistribution returns a distribution by name, or that of matrix:FILE, a file that
// traffic.ReadMatrix reads, with a row and a column for each rank.
func ParseDistribution(name string, ranks int) (*Distribution, error) {
	if file, found := strings.CutPrefix(name, "matrix:"); found {
		return readDistribution(file, ranks)
	}
	weight := distributions[name]
	if weight == nil {
		return nil, fmt.Errorf("unknown distribution %q; known: even, large (one block is half of all), empty (every second block), zipf, random, matrix:FILE", name)
	}
	return &Distribution{Name: name, weight: func(_ schedule.Kind, rank, ranks int) float64 { return weight(rank, ranks) }}, nil
}

// equal is the distribution of benchmarks without one.
var equal = &Distribution{weight: func(schedule.Kind, int, int) float64 { return 1 }}

func readDistribution(file string, ranks int) (*Distribution, error) {
	matrix, err := traffic.ReadMatrix(file, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if len(matrix) != ranks {
		return nil, fmt.Errorf("%s has %d rows, and %d ranks take part: want a row for each rank", file, len(matrix), ranks)
	}
	sent, received, sum := make([]float64, ranks), make([]float64, ranks), 0.0
	d := &Distribution{
		Name: fmt.Sprintf("matrix:%s:%08x", filepath.Base(file), crc32.ChecksumIEEE(fmt.Append(nil, matrix))),
		weight: func(kind schedule.Kind, rank, _ int) float64 {
			if kind == schedule.Scatter || kind == schedule.ReduceScatter {
				return received[rank]
			}
			return sent[rank]
		},
	}
	for from, row := range matrix {
		for to, bytes := range row {
			d.pairs = append(d.pairs, float64(bytes))
			sent[from] += float64(bytes)
			received[to] += float64(bytes)
			sum += float64(bytes)
		}
	}
	if sum == 0 {
		return nil, fmt.Errorf("%s has no number above 0: nothing would be sent", file)
	}
	for rank := range ranks {
		d.busiest = max(d.busiest, int(math.Ceil((sent[rank]+received[rank])/sum*float64(ranks*ranks))))
	}
	return d, nil
}

// CheckVector returns an error for an operation without a form for uneven blocks.
func CheckVector(kind schedule.Kind) error {
	if !kind.Neighbors() && !slices.Contains([]schedule.Kind{schedule.Gather, schedule.Scatter, schedule.Allgather, schedule.Alltoall, schedule.ReduceScatter}, kind) {
		return fmt.Errorf("%v has no form for uneven blocks: choose gather, scatter, allgather, alltoall, reduce_scatter, neighbor_allgather or neighbor_alltoall", kind)
	}
	return nil
}

// Counts returns the bytes that rank me sends to and receives from each rank in an alltoall, which
// are ranks x ranks x size of all ranks. Of other operations it returns the blocks of all ranks,
// ranks x size bytes, twice.
//
// By a matrix the block of a rank is proportional to all that the rank receives (scatter,
// reduce_scatter) or sends (gather, allgather). Without one the block of an alltoall from rank i to
// rank j has the length of block (i + j) modulo the number of ranks, so that all ranks send and
// receive as many bytes.
func (d *Distribution) Counts(kind schedule.Kind, me, size, ranks int) (send, recv []int) {
	if kind == schedule.Alltoall && d.pairs != nil {
		all := split(d.pairs, size*ranks*ranks)
		recv = make([]int, ranks)
		for from := range recv {
			recv[from] = all[from*ranks+me]
		}
		return all[me*ranks:][:ranks], recv
	}
	counts := d.lengths(kind, ranks, size*ranks)
	if kind == schedule.Alltoall {
		counts = slices.Concat(counts[me:], counts[:me])
	}
	return counts, counts
}

// lengths divides a total among the ranks.
func (d *Distribution) lengths(kind schedule.Kind, ranks, total int) []int {
	return split(d.weights(kind, ranks), total)
}

func (d *Distribution) weights(kind schedule.Kind, ranks int) []float64 {
	weights := make([]float64, ranks)
	for rank := range weights {
		weights[rank] = d.weight(kind, rank, ranks)
	}
	return weights
}

// volume returns how many mean blocks the busiest link of a rank carries with an ideal algorithm:
// all but those that the rank keeps.
func (d *Distribution) volume(kind schedule.Kind, ranks int) float64 {
	largest, kept, sum := 0.0, math.Inf(1), 0.0
	if kind == schedule.Alltoall && d.pairs != nil {
		for me := range ranks {
			in, out := 0.0, 0.0
			for other := range ranks {
				sum += d.pairs[me*ranks+other]
				if other != me {
					in, out = in+d.pairs[other*ranks+me], out+d.pairs[me*ranks+other]
				}
			}
			largest = max(largest, in, out)
		}
		return largest / sum * float64(ranks*ranks)
	}
	weights := d.weights(kind, ranks)
	for rank, w := range weights {
		sum += w
		if kind == schedule.Alltoall { // from a rank to itself, see Counts
			w = weights[2*rank%ranks]
		}
		kept = min(kept, w)
	}
	return (sum - kept) / sum * float64(ranks)
}

// split returns lengths in proportion to weights, which are total together.
func split(weights []float64, total int) []int {
	sum, part := 0.0, 0.0
	for _, w := range weights {
		sum += w
	}
	counts, end := make([]int, len(weights)), 0
	for i, w := range weights {
		part += w
		next := int(math.Round(part / sum * float64(total)))
		counts[i], end = next-end, next
	}
	return counts
}

// Blocks returns the blocks of rank 0 (schedule.Shape.SendBlocks and RecvBlocks).
func (d *Distribution) Blocks(kind schedule.Kind, size, ranks int) (send, recv []schedule.Block) {
	out, in := d.Counts(kind, 0, size, ranks)
	blocks := [2][]schedule.Block{}
	for i, counts := range [][]int{out, in} {
		displs, _ := offsets(counts)
		for rank, n := range counts {
			blocks[i] = append(blocks[i], schedule.Block{Off: displs[rank], Len: n})
		}
	}
	return blocks[0], blocks[1]
}

// EvenBlocks is Distribution.Blocks of the vector forms as benchmarks have them without a
// distribution.
func EvenBlocks(kind schedule.Kind, size, ranks int) (send, recv []schedule.Block) {
	even, _ := ParseDistribution(Even, 0)
	return even.Blocks(kind, size, ranks)
}

// offsets returns where contiguous blocks begin, and where the last one ends.
func offsets(counts []int) (list []int, end int) {
	for _, n := range counts {
		list = append(list, end)
		end += n
	}
	return list, end
}
