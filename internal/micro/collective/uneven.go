package collective

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/schedule"
	"gobench/internal/traffic"
)

// distributions maps the distributions of uneven blocks to the weights of the blocks of ranks.
var distributions = map[string]func(rank, ranks int) float64{
	"even": func(int, int) float64 { return 1 },
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

func readDistribution(file string, ranks int) (*Distribution, error) {
	matrix, err := traffic.ReadMatrix(file)
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
			if kind == schedule.Scatter {
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
	if !slices.Contains([]schedule.Kind{schedule.Gather, schedule.Scatter, schedule.Allgather, schedule.Alltoall}, kind) {
		return fmt.Errorf("%v has no form for uneven blocks: choose gather, scatter, allgather or alltoall", kind)
	}
	return nil
}

// Counts returns the bytes that rank me sends to and receives from each rank in an alltoall, which
// are ranks x ranks x size of all ranks. Of other operations it returns the blocks of all ranks,
// ranks x size bytes, twice.
//
// By a matrix the block of a rank is proportional to all that the rank receives (scatter) or sends
// (gather, allgather). Without one the block of an alltoall from rank i to rank j has the length of
// block (i + j) modulo the number of ranks, so that all ranks send and receive as many bytes.
func (d *Distribution) Counts(kind schedule.Kind, me, size, ranks int) (send, recv []int) {
	if kind == schedule.Alltoall && d.pairs != nil {
		all := split(d.pairs, size*ranks*ranks)
		recv = make([]int, ranks)
		for from := range recv {
			recv[from] = all[from*ranks+me]
		}
		return all[me*ranks:][:ranks], recv
	}
	weights := make([]float64, ranks)
	for rank := range weights {
		weights[rank] = d.weight(kind, rank, ranks)
	}
	counts := split(weights, size*ranks)
	if kind == schedule.Alltoall {
		counts = slices.Concat(counts[me:], counts[:me])
	}
	return counts, counts
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

// uneven returns the benchmark of the vector form of an operation.
func uneven(kind schedule.Kind, o Options) bench.Benchmark {
	about := map[schedule.Kind]string{
		schedule.Gather: "a block of each rank to the root", schedule.Scatter: "a block of the root's for each rank",
		schedule.Allgather: "a block of each rank to all ranks", schedule.Alltoall: "a block from each rank to each rank",
	}[kind]
	buffers := each(2)
	if kind == schedule.Alltoall && o.Distribution.pairs != nil {
		buffers = bench.Fixed(o.Distribution.busiest)
	}
	b := benchmark(kind, o, about+", of different lengths", "", nil, buffers, func(env *bench.Env) bench.Op {
		return newUneven(env, kind, o)
	})
	b.Name += "v"
	b.Formula += "; size = mean of the blocks"
	return b
}

// unevenOp is one rank's part of a vector form. Block i of a buffer belongs to rank i.
type unevenOp struct {
	operation
	send, recv             []byte
	sendCounts, recvCounts []int
	sendDispls, recvDispls []int
}

func newUneven(env *bench.Env, kind schedule.Kind, o Options) *unevenOp {
	u := &unevenOp{operation: newOperation(env, kind, o)}
	u.sendCounts, u.recvCounts = o.Distribution.Counts(kind, env.Rank(), env.Bytes, env.Size())
	var out, in int
	u.sendDispls, out = offsets(u.sendCounts)
	u.recvDispls, in = offsets(u.recvCounts)
	u.send, u.recv = env.Alloc(out), env.Alloc(in)
	return u
}

// offsets returns where contiguous blocks begin, and where the last one ends.
func offsets(counts []int) (list []int, end int) {
	for _, n := range counts {
		list = append(list, end)
		end += n
	}
	return list, end
}

// own returns the block of this rank in a buffer of the blocks of all.
func (u *unevenOp) own(data []byte) []byte {
	me := u.c.Rank()
	return data[u.sendDispls[me]:][:u.sendCounts[me]]
}

func (u *unevenOp) Do(k int) error {
	for range k {
		var err error
		switch u.kind {
		case schedule.Gather:
			err = comm.Gatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls, u.next())
		case schedule.Scatter:
			err = comm.Scatterv(u.c, u.send, u.sendCounts, u.sendDispls, u.own(u.recv), u.next())
		case schedule.Allgather:
			err = comm.Allgatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls)
		default:
			err = comm.Alltoallv(u.c, u.send, u.sendCounts, u.sendDispls, u.recv, u.recvCounts, u.recvDispls)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unevenOp) start() (comm.Request, error) {
	switch u.kind {
	case schedule.Gather:
		return comm.Igatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls, u.next())
	case schedule.Scatter:
		return comm.Iscatterv(u.c, u.send, u.sendCounts, u.sendDispls, u.own(u.recv), u.next())
	case schedule.Allgather:
		return comm.Iallgatherv(u.c, u.own(u.send), u.recv, u.recvCounts, u.recvDispls)
	}
	return comm.Ialltoallv(u.c, u.send, u.sendCounts, u.sendDispls, u.recv, u.recvCounts, u.recvDispls)
}

// Prepare fills the send buffers of all ranks: any may become the root.
func (u *unevenOp) Prepare(iteration uint64, _ bool) {
	me := u.c.Rank()
	u.last = u.root
	for rank := range u.c.Size() {
		from, to := u.stream(me, rank), u.stream(rank, me)
		if u.kind == schedule.Scatter {
			to = u.stream(u.root, rank)
		}
		from.Fill(u.send[u.sendDispls[rank]:][:u.sendCounts[rank]], iteration)
		to.Spoil(u.recv[u.recvDispls[rank]:][:u.recvCounts[rank]], iteration)
	}
	if u.kind == schedule.Gather || u.kind == schedule.Allgather {
		u.stream(me, 0).Fill(u.own(u.send), iteration)
	}
}

// stream returns the data of a block: one for each receiver where a rank sends several.
func (u *unevenOp) stream(from, to int) bench.Stream {
	if u.kind == schedule.Gather || u.kind == schedule.Allgather {
		to = 0
	}
	return bench.Stream{Rank: from, Slot: to}
}

func (u *unevenOp) Check(iteration uint64) *bench.DataError {
	me := u.c.Rank()
	switch {
	case u.kind == schedule.Scatter:
		return match(u.own(u.recv), u.stream(u.last, me), iteration)
	case u.kind == schedule.Gather && u.last != me:
		return nil
	}
	for rank := range u.c.Size() {
		if defect := match(u.recv[u.recvDispls[rank]:][:u.recvCounts[rank]], u.stream(rank, me), iteration); defect != nil {
			return defect
		}
	}
	return nil
}
