package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
)

// indices are the places of a pattern, in order: the naive form of a vector.
func indices(v comm.Vector) []int {
	var all []int
	for i := range v.Count {
		for k := range v.Block {
			all = append(all, i*v.Stride+k)
		}
	}
	return all
}

// exchange sends elements of one pattern to the right and receives them from the left in another
// pattern of as many.
func exchange[T comm.Type](w *comm.Comm, out, in comm.Vector, element func(i int) T) error {
	n, me := w.Size(), w.Rank()
	left, right := (me+n-1)%n, (me+1)%n
	room := func(v comm.Vector) int {
		m := 3
		for _, i := range indices(v) {
			m = max(m, i+1)
		}
		return m
	}
	data, got := make([]T, room(out)), make([]T, room(in))
	for i := range data {
		data[i] = element(i)
	}
	for i := range got {
		got[i] = element(-i)
	}
	want := slices.Clone(got)
	from := indices(out)
	for k, i := range indices(in) {
		want[i] = element(from[k])
	}
	r, err := comm.IrecvVector(w, got, in, left, 0)
	if err != nil {
		return err
	}
	if err := comm.SendVector(w, data, out, right, 0); err != nil {
		return err
	}
	s, err := r.Wait()
	if err != nil {
		return err
	}
	if comm.Count[T](s) != len(from) || s.Source != left || !slices.Equal(got, want) {
		return fmt.Errorf("%T, %+v to %+v: %+v, %v, want %v", data, out, in, s, got, want)
	}
	return nil
}

func TestVectorsAgainstIndices(t *testing.T) {
	patterns := 60
	if testing.Short() { // under the race detector, for which patterns do not differ
		patterns = 6
	}
	everywhere(t, func(w *comm.Comm) error {
		r := rand.New(rand.NewPCG(11, 12)) // the same patterns on all ranks
		for range patterns {
			elements := []int{0, 1, 2, 6, 12, 24, 300}[r.IntN(7)]
			pattern := func() comm.Vector {
				for {
					v := comm.Vector{Block: r.IntN(13), Stride: r.IntN(20)}
					if v.Block > 0 && elements%v.Block == 0 {
						v.Count = elements / v.Block
					}
					if v.Len() == elements && (v.Stride >= v.Block || v.Count < 2) {
						return v
					}
				}
			}
			out, in := pattern(), pattern()
			if all := indices(out); len(all) != out.Len() || len(all) > 0 && all[len(all)-1] != out.Extent()-1 || len(all) == 0 && out.Extent() != 0 {
				return fmt.Errorf("%+v: %d elements in %d", out, out.Len(), out.Extent())
			}
			if err := errors.Join(
				exchange(w, out, in, func(i int) uint8 { return uint8(i) }),
				exchange(w, out, in, func(i int) int16 { return int16(i) }),
				exchange(w, out, in, func(i int) float32 { return float32(i) }),
				exchange(w, out, in, func(i int) float64 { return float64(i) }),
				exchange(w, out, in, func(i int) complex128 { return complex(float64(i), 1) }),
			); err != nil {
				return err
			}
		}
		return nil
	})
}

// A message that is shorter or longer than the pattern fills its beginning only.
func TestVectorOfAnotherLength(t *testing.T) {
	ranks(t, "memwire", 2, func(w *comm.Comm) error {
		if w.Rank() == 0 {
			return errors.Join(comm.Send(w, []int32{1, 2, 3}, 1, 0), comm.Send(w, []int32{1, 2, 3, 4, 5, 6, 7}, 1, 0),
				comm.Send(w, []uint8{1, 0, 0, 0, 2}, 1, 0))
		}
		for _, want := range [][]int32{{1, 2, 9, 9, 3, 9}, {1, 2, 9, 9, 3, 4}, {1, 2, 9, 9, 9, 9}} {
			data := []int32{9, 9, 9, 9, 9, 9}
			_, err := comm.RecvVector(w, data, comm.Vector{Count: 2, Block: 2, Stride: 4}, 0, 0)
			if (err != nil) != (want[5] == 4) || !slices.Equal(data, want) {
				return fmt.Errorf("received %v %v, want %v", data, err, want)
			}
		}
		return nil
	})
}

func TestVectorsRefuse(t *testing.T) {
	ranks(t, "memwire", 1, func(w *comm.Comm) error {
		data := make([]float64, 10)
		for _, c := range []struct {
			v    comm.Vector
			want string
		}{
			{comm.Vector{Count: -1, Block: 1, Stride: 1}, "send: the count of the vector is -1, want 0 or more"},
			{comm.Vector{Count: 1, Block: -1, Stride: 1}, "send: the block of the vector is -1, want 0 or more"},
			{comm.Vector{Count: 2, Block: 2, Stride: 1}, "send: the stride of the vector is 1, want at least the block"},
			{comm.Vector{Count: 4, Block: 2, Stride: 3}, "send: the length of the data is 10, want at least the extent of the vector"},
			{comm.Vector{Count: 1, Block: 11, Stride: 0}, "send: the length of the data is 10, want at least the extent of the vector"},
			{comm.Vector{Count: 1 << 62, Block: 4, Stride: 1 << 62}, "send: the length of the data is 10, want at least the extent of the vector"},
			{comm.Vector{Count: 1, Block: 1, Stride: 1}, "send: the destination is 1, want a rank in 0..0 or ProcNull"},
			{comm.Vector{Count: 2, Block: 1, Stride: 2}, "send: the destination is 1, want a rank in 0..0 or ProcNull"},
		} {
			if err := comm.SendVector(w, data, c.v, 1, 0); err == nil || err.Error() != c.want {
				return fmt.Errorf("%+v: %v, want %s", c.v, err, c.want)
			}
		}
		_, err := comm.RecvVector(w, data, comm.Vector{Count: 2, Block: 1, Stride: 2}, 0, -2)
		return must(err != nil && err.Error() == "recv: the tag is -2, want a tag in 0..2147483647 or AnyTag", "%v", err)
	})
}
