package collective_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/internal/micro/collective"
)

// The blocks of every distribution are as many bytes as equal ones, and unequal unless even.
func TestDistributions(t *testing.T) {
	for _, name := range []string{"even", "large", "empty", "zipf", "random"} {
		for _, ranks := range []int{1, 2, 3, 8, 100} {
			for _, size := range []int{0, 1, 1000} {
				counts := counts(t, name, size, ranks)
				sum := 0
				for _, n := range counts {
					sum += n
				}
				if sum != ranks*size || slices.Min(counts) < 0 {
					t.Errorf("%s, %d B, %d ranks: %d bytes, smallest %d", name, size, ranks, sum, slices.Min(counts))
				}
				if equal := slices.Min(counts) == slices.Max(counts); ranks > 2 && size > 100 && equal != (name == "even") {
					t.Errorf("%s, %d B, %d ranks: %v", name, size, ranks, counts)
				}
			}
		}
	}
	if got := counts(t, "large", 10, 4); got[3] != 20 {
		t.Errorf("large: %v", got)
	}
	if got := counts(t, "empty", 10, 4); !slices.Equal(got, []int{20, 0, 20, 0}) {
		t.Errorf("empty: %v", got)
	}
}

// The busiest link carries all blocks of a rank but those that it keeps.
func TestBusOfDistributions(t *testing.T) {
	for _, c := range []struct {
		kind  schedule.Kind
		name  string
		ranks int
		want  float64 // in sizes
	}{
		{schedule.Alltoall, "even", 4, 3}, {schedule.Allgather, "even", 4, 3}, {schedule.ReduceScatter, "even", 4, 0.75},
		{schedule.Alltoall, "empty", 2, 0}, // rank i keeps block 2 i modulo 2, the only one with bytes
		{schedule.Alltoall, "large", 4, 10.0 / 3}, {schedule.Allgather, "large", 4, 10.0 / 3}, {schedule.ReduceScatter, "large", 4, 5.0 / 6},
		{schedule.Alltoall, matrix(t, "5 1\n3 3\n"), 2, 1}, {schedule.Allgather, matrix(t, "5 1\n2 0\n"), 2, 1.5},
	} {
		b := collective.New(c.kind, collective.Options{Distribution: parse(t, c.name, c.ranks)})
		if got := b.Collective.Bus(c.ranks); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %s, %d ranks: %v sizes, want %v", c.kind, c.name, c.ranks, got, c.want)
		}
	}
	if b := collective.New(schedule.Gather, collective.Options{Distribution: parse(t, "zipf", 4)}); b.Collective.Bus != nil {
		t.Error("a gatherv has a bus bandwidth, which depends on the root")
	}
}

func parse(t *testing.T, name string, ranks int) *collective.Distribution {
	t.Helper()
	d, err := collective.ParseDistribution(name, ranks)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// counts returns the blocks of a gather.
func counts(t *testing.T, name string, size, ranks int) []int {
	list, _ := parse(t, name, ranks).Counts(schedule.Gather, 0, size, ranks)
	return list
}

// matrix returns the name of the distribution of a matrix.
func matrix(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "traffic")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "matrix:" + file
}

// The blocks of a matrix are its numbers times one factor: those of each pair in an alltoall, the
// sums of rows or columns else. The name tells two matrices of one file name apart.
func TestMatrix(t *testing.T) {
	d := parse(t, matrix(t, "0 1 2\n3,0,0\n0 0 12\n"), 3)
	for kind, want := range map[schedule.Kind][6]int{
		schedule.Alltoall: {3 * 5, 0, 0, 1 * 5, 0, 0}, // of rank 1
		schedule.Gather:   {15, 15, 60, 15, 15, 60}, schedule.Allgather: {15, 15, 60, 15, 15, 60},
		schedule.Scatter: {15, 5, 70, 15, 5, 70},
	} {
		size := 30
		if kind == schedule.Alltoall {
			size = 10
		}
		send, recv := d.Counts(kind, 1, size, 3)
		if !slices.Equal(slices.Concat(send, recv), want[:]) {
			t.Errorf("%v: %v, %v, want %v", kind, send, recv, want)
		}
	}
	if other := parse(t, matrix(t, "0 1 2\n3,0,0\n0 0 13\n"), 3); other.Name == d.Name || !strings.HasPrefix(d.Name, "matrix:traffic:") {
		t.Errorf("names %s and %s", d.Name, other.Name)
	}
	for _, text := range []string{"0 0\n0 0\n", "0 1 1\n1 0 1\n1 1 0\n", "0 1\n"} {
		if _, err := collective.ParseDistribution(matrix(t, text), 2); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	if _, err := collective.ParseDistribution("zipp", 2); err == nil {
		t.Error("an unknown name: no error")
	}
}

// uneven lists the operations with a vector form.
func uneven() (kinds []schedule.Kind) {
	for kind := range schedule.Kind(schedule.Kinds) {
		if collective.CheckVector(kind) == nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Every vector form is measured with every distribution, blocking and overlapped.
func TestVectorFormsOfAllDistributions(t *testing.T) {
	var cells []bench.Case
	traffic := matrix(t, "0 1 2\n3 0 0\n0 0 12\n")
	for _, kind := range uneven() {
		for i, name := range []string{"large", "empty", "zipf", "random", traffic} {
			for _, size := range []int{4, 5000} {
				b := collective.New(kind, collective.Options{Distribution: parse(t, name, 3), Overlap: i == 0})
				cells = append(cells, bench.Case{Bench: b, Size: size, Root: bench.Root{Rotate: i%2 == 1}})
			}
		}
	}
	found, err := over(t, "smem", 3, cells)
	if err != nil {
		t.Fatal(err)
	}
	for i, points := range found.Cells() {
		p := points[0]
		if p.Bench != cells[i].Bench.Name || strings.HasSuffix(p.Bench, "v") == strings.HasSuffix(p.Bench, "reduce_scatter") || p.Distribution == "" || p.Checked == 0 {
			t.Errorf("%s, %q: %d checked", p.Bench, p.Distribution, p.Checked)
		}
	}
}

// brokenBlocks returns an algorithm whose victim gets 8 wrong bytes in its first block.
func brokenBlocks(kind schedule.Kind, victim int) *coll.Choice {
	right := coll.Of(kind)[0]
	wrong := right
	wrong.Name = "broken"
	wrong.Build = func(b *schedule.Builder, param int) {
		right.Build(b, param)
		if b.Rank == victim {
			out, in := b.SendBlock(0), b.RecvBlock(0)
			out.Len, in.Len = 8, 8
			b.Copy(in, out)
		}
	}
	return &coll.Choice{Algorithm: &wrong}
}

// A vector form fails if one bit of a block is wrong (alltoallv and neighbours: 8 bytes).
func TestVectorFormsDetectAWrongBit(t *testing.T) {
	for _, name := range []string{"zipf", matrix(t, "2 1\n3 0\n")} {
		for _, kind := range uneven() {
			victim := 1
			if kind == schedule.Gather {
				victim = 0
			}
			algorithm := brokenBlocks(kind, victim)
			if kind != schedule.Alltoall && !kind.Neighbors() { // those have no uneven blocks in shared memory
				algorithm = broken(kind, victim, 1)
			}
			b := collective.New(kind, collective.Options{Algorithm: algorithm, Distribution: parse(t, name, 2)})
			_, err := over(t, "smem", 2, []bench.Case{{Bench: b, Size: 64}})
			var wrong *bench.DataError
			if !errors.As(err, &wrong) || wrong.Rank != victim {
				t.Errorf("%v, %s: got %v, want wrong data on rank %d", kind, name, err, victim)
			}
		}
	}
}
