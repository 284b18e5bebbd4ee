package comm_test

import (
	"fmt"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
)

// element returns element i of the data of a rank.
func element(rank, i int) int64 { return int64(rank*1000 + i) }

func vector(rank, n int) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = element(rank, i)
	}
	return v
}

// side puts vectors side by side.
func side(ranks int, block func(rank int) []int64) []int64 {
	all := []int64{}
	for rank := range ranks {
		all = append(all, block(rank)...)
	}
	return all
}

// same is an error where two vectors differ.
func same(what string, got, want []int64) error {
	return must(slices.Equal(got, want), "%s: %v, want %v", what, got, want)
}

// block is the i-th of a vector cut into blocks of n.
func block(v []int64, i, n int) []int64 { return v[i*n : (i+1)*n] }

// everyForm runs a test for the blocking and the non-blocking operations.
func everyForm(t *testing.T, test func(w *comm.Comm, f *collectives) error) {
	everywhere(t, func(w *comm.Comm) error {
		for i, f := range forms() {
			if err := test(w, &f); err != nil {
				return fmt.Errorf("form %d: %w", i, err)
			}
		}
		return nil
	})
}

func TestMovingCollectives(t *testing.T) { everyForm(t, moving) }

func moving(w *comm.Comm, f *collectives) error {
	n, me := w.Size(), w.Rank()
	for _, k := range []int{0, 1, 700} {
		for root := range n {
			data := vector(root, k)
			if me != root {
				clear(data)
			}
			if err := f.bcast(w, data, root); err != nil {
				return err
			}
			if err := same("bcast", data, vector(root, k)); err != nil {
				return err
			}
			all := side(n, func(rank int) []int64 { return vector(rank, k) })
			for _, inPlace := range []bool{false, true} {
				here := inPlace && me == root
				send, recv := vector(me, k), make([]int64, n*k)
				if me != root {
					recv = nil
				}
				if here {
					copy(recv[me*k:], send)
					send = nil
				}
				if err := f.gather(w, send, recv, root); err != nil {
					return err
				}
				if me == root {
					if err := same("gather", recv, all); err != nil {
						return err
					}
				}
				out, in := vector(root, n*k), make([]int64, k)
				if here {
					in = nil
				}
				if err := f.scatter(w, out, in, root); err != nil {
					return err
				}
				if !here {
					if err := same("scatter", in, block(vector(root, n*k), me, k)); err != nil {
						return err
					}
				}
			}
		}
		for _, inPlace := range []bool{false, true} {
			send, recv := vector(me, k), make([]int64, n*k)
			if inPlace {
				copy(recv[me*k:], send)
				send = nil
			}
			if err := f.allgather(w, send, recv); err != nil {
				return err
			}
			if err := same("allgather", recv, side(n, func(rank int) []int64 { return vector(rank, k) })); err != nil {
				return err
			}
			send, recv = vector(me, n*k), make([]int64, n*k)
			if inPlace {
				copy(recv, send)
				send = nil
			}
			if err := f.alltoall(w, send, recv); err != nil {
				return err
			}
			if err := same("alltoall", recv, side(n, func(rank int) []int64 { return block(vector(rank, n*k), me, k) })); err != nil {
				return err
			}
		}
	}
	return nil
}

// Blocks of 0, 1, 2, ... elements that lie in the buffer from the last to the
// first with a gap before each.
func unequal(n int) (counts, displs []int, room int) {
	counts, displs = make([]int, n), make([]int, n)
	for i := range n {
		counts[i] = i
	}
	for i := n - 1; i >= 0; i-- {
		room += 2
		displs[i] = room
		room += counts[i]
	}
	return counts, displs, room
}

func TestVectorForms(t *testing.T) { everyForm(t, vectorForms) }

func vectorForms(w *comm.Comm, f *collectives) error {
	n, me := w.Size(), w.Rank()
	counts, displs, room := unequal(n)
	spread := func() []int64 { // what a gather puts there
		all := make([]int64, room)
		for i := range n {
			copy(all[displs[i]:], vector(i, counts[i]))
		}
		return all
	}
	packed := side(n, func(rank int) []int64 { return vector(rank, counts[rank]) })
	for root := range n {
		recv := make([]int64, room)
		if err := f.gatherv(w, vector(me, counts[me]), recv, counts, displs, root); err != nil {
			return err
		}
		if me == root {
			if err := same("gatherv", recv, spread()); err != nil {
				return err
			}
		}
		recv = make([]int64, len(packed))
		if err := f.gatherv(w, vector(me, counts[me]), recv, counts, nil, root); err != nil {
			return err
		}
		if me == root {
			if err := same("gatherv side by side", recv, packed); err != nil {
				return err
			}
		}
		in := make([]int64, counts[me])
		if err := f.scatterv(w, spread(), counts, displs, in, root); err != nil {
			return err
		}
		if err := same("scatterv", in, vector(me, counts[me])); err != nil {
			return err
		}
	}
	for _, inPlace := range []bool{false, true} {
		send, recv := vector(me, counts[me]), make([]int64, room)
		if inPlace {
			copy(recv[displs[me]:], send)
			send = nil
		}
		if err := f.allgatherv(w, send, recv, counts, displs); err != nil {
			return err
		}
		if err := same("allgatherv", recv, spread()); err != nil {
			return err
		}
	}
	// Rank i sends i+j elements to rank j.
	outs, ins := make([]int, n), make([]int, n)
	for i := range n {
		outs[i], ins[i] = me+i, me+i
	}
	between := func(from, to int) []int64 { return vector(10*from+to, from+to) }
	want := side(n, func(rank int) []int64 { return between(rank, me) })
	send := side(n, func(rank int) []int64 { return between(me, rank) })
	recv := make([]int64, len(want))
	if err := f.alltoallv(w, send, outs, nil, recv, ins, nil); err != nil {
		return err
	}
	if err := same("alltoallv", recv, want); err != nil {
		return err
	}
	copy(recv, send)
	if err := f.alltoallv(w, nil, nil, nil, recv, ins, nil); err != nil {
		return err
	}
	if err := same("alltoallv in place", recv, want); err != nil {
		return err
	}
	// Only rank 0 receives, from all others.
	none, one := make([]int, n), make([]int, n)
	one[0] = 1
	only, got := []int64{int64(me)}, []int64(nil)
	in := none
	if me == 0 {
		got, in = make([]int64, n), slices.Repeat([]int{1}, n)
	}
	if err := f.alltoallv(w, only, one, nil, got, in, nil); err != nil {
		return err
	}
	if me != 0 {
		return nil
	}
	return same("alltoallv to one", got, side(n, func(rank int) []int64 { return []int64{int64(rank)} }))
}

// chain is associative and not commutative: the first and the last digit count.
var chain = op.New("chain", false, func(left, right int64) int64 { return left/10*10 + right%10 })

func TestReductions(t *testing.T) { everyForm(t, reductions) }

func reductions(w *comm.Comm, f *collectives) error {
	n, me := w.Size(), w.Rank()
	for _, o := range []*op.Op{op.Sum[int64](), op.Max[int64](), chain} {
		apply := func(from, to, k int) []int64 { // ranks from..to-1, elements 0..k-1
			sum := vector(from, k)
			for rank := from + 1; rank < to; rank++ {
				for i, v := range vector(rank, k) {
					switch o.Name {
					case "sum":
						sum[i] += v
					case "max":
						sum[i] = max(sum[i], v)
					default:
						sum[i] = sum[i]/10*10 + v%10
					}
				}
			}
			return sum
		}
		for _, k := range []int{0, 1, 70} {
			for _, inPlace := range []bool{false, true} {
				buffers := func(k int) (send, recv []int64) {
					if inPlace {
						return nil, vector(me, k)
					}
					return vector(me, k), make([]int64, k)
				}
				what := fmt.Sprintf("%s of %d, in place %v", o, k, inPlace)
				for root := range n {
					send, recv := buffers(k)
					if me != root {
						send, recv = vector(me, k), nil
					}
					if err := f.reduce(w, send, recv, o, root); err != nil {
						return err
					}
					if me == root {
						if err := same("reduce "+what, recv, apply(0, n, k)); err != nil {
							return err
						}
					}
				}
				send, recv := buffers(k)
				if err := f.allreduce(w, send, recv, o); err != nil {
					return err
				}
				if err := same("allreduce "+what, recv, apply(0, n, k)); err != nil {
					return err
				}
				send, recv = buffers(k)
				if err := f.scan(w, send, recv, o); err != nil {
					return err
				}
				if err := same("scan "+what, recv, apply(0, me+1, k)); err != nil {
					return err
				}
				send, recv = buffers(k)
				want := slices.Clone(recv)
				if err := f.exscan(w, send, recv, o); err != nil {
					return err
				}
				if me > 0 {
					want = apply(0, me, k)
				}
				if err := same("exscan "+what, recv, want); err != nil {
					return err
				}
				send, recv = buffers(n * k)
				if !inPlace {
					recv = recv[:k]
				}
				if err := f.scatters(w, send, recv, o); err != nil {
					return err
				}
				if err := same("reduce_scatter_block "+what, recv[:k], block(apply(0, n, n*k), me, k)); err != nil {
					return err
				}
				counts := make([]int, n)
				total, before := 0, 0
				for i := range counts {
					counts[i] = (i*k + 1) % 7
					total += counts[i]
					if i < me {
						before += counts[i]
					}
				}
				send, recv = buffers(total)
				if !inPlace {
					recv = recv[:counts[me]]
				}
				if err := f.reduceScatter(w, send, recv, counts, o); err != nil {
					return err
				}
				if err := same("reduce_scatter "+what, recv[:counts[me]], apply(0, n, total)[before:before+counts[me]]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Non-blocking collectives of several communicators and messages, completed in another order
// than they were started in and by other calls than their own.
func TestNonBlocking(t *testing.T) {
	everywhere(t, nonBlocking)
}

// The same with a thread that makes progress at any time.
func TestNonBlockingWithThread(t *testing.T) {
	o := coll.Options{Progress: coll.ProgressThread}
	for _, transport := range []string{"memwire", "smem", "tcp"} {
		for _, n := range []int{1, 2, 3, 4} {
			t.Run(fmt.Sprintf("%s/%d", transport, n), func(t *testing.T) {
				if err := try(t, transport, n, o, nonBlocking); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func nonBlocking(w *comm.Comm) error {
	n, me := w.Size(), w.Rank()
	other, err := w.Dup()
	if err != nil {
		return err
	}
	for round := range 5 {
		data := []int64{0, 0}
		if me == round%n {
			data = []int64{int64(round), 42}
		}
		sum, all, mixed := vector(me, 3), make([]int64, n), make([]int64, n)
		in := make([]int64, 1)
		var q [7]comm.Request
		for i, start := range []func() (comm.Request, error){
			func() (comm.Request, error) { return comm.Ibcast(w, data, round%n) },
			func() (comm.Request, error) { return comm.Iallreduce(other, nil, sum, op.Sum[int64]()) },
			func() (comm.Request, error) { return comm.Iallgather(w, vector(me, 1), all) },
			func() (comm.Request, error) { return comm.Ialltoall(other, vector(me, n), mixed) },
			func() (comm.Request, error) { return comm.Ibarrier(w) },
			func() (comm.Request, error) { return comm.Irecv(w, in, (me+n-1)%n, 0) },
			func() (comm.Request, error) { return comm.Isend(w, vector(me, 1), (me+1)%n, 0) },
		} {
			if q[i], err = start(); err != nil {
				return err
			}
		}
		// Each rank waits for another operation first: the others must progress meanwhile.
		first := (me + round) % len(q)
		if _, err := q[first].Wait(); err != nil {
			return err
		}
		if err := comm.Barrier(other); err != nil {
			return err
		}
		if err := comm.WaitAll(q[:], nil); err != nil {
			return err
		}
		want := vector(0, 3)
		for rank := 1; rank < n; rank++ {
			for i, v := range vector(rank, 3) {
				want[i] += v
			}
		}
		for _, e := range []error{
			same("ibcast", data, []int64{int64(round), 42}),
			same("iallreduce", sum, want),
			same("iallgather", all, side(n, func(rank int) []int64 { return vector(rank, 1) })),
			same("ialltoall", mixed, side(n, func(rank int) []int64 { return []int64{element(rank, me)} })),
			same("irecv", in, vector((me+n-1)%n, 1)),
		} {
			if e != nil {
				return e
			}
		}
	}
	return other.Close()
}
