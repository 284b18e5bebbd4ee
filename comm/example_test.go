package comm_test

import (
	"context"
	"fmt"
	"os"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
	"gobench/launch"
	_ "gobench/transports/smem"
)

// run runs a function on n ranks, as goroutines over shared memory.
func run(n int, f func(w *comm.Comm) error) {
	driver, err := device.Lookup("smem")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	err = launch.Goroutines(context.Background(), n, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, f)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// Four ranks of this process over shared memory.
func ExampleRun() {
	driver, err := device.Lookup("smem")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	err = launch.Goroutines(context.Background(), 4, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, func(w *comm.Comm) error {
			ranks := []int64{int64(w.Rank())}
			if err := comm.Allreduce(w, nil, ranks, op.Sum[int64]()); err != nil {
				return err
			}
			if w.Rank() == 0 {
				fmt.Println("the sum of all ranks is", ranks[0])
			}
			return nil
		})
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output: the sum of all ranks is 6
}

// A message of numbers, received without knowing how many they are.
func ExampleSend() {
	run(2, func(w *comm.Comm) error {
		const tag = 7
		if w.Rank() == 0 {
			return comm.Send(w, []float64{3.5, 4.5}, 1, tag)
		}
		status, err := comm.Probe(w, comm.AnySource, tag)
		if err != nil {
			return err
		}
		data := make([]float64, comm.Count[float64](status))
		if _, err := comm.Recv(w, data, status.Source, tag); err != nil {
			return err
		}
		fmt.Printf("%v from rank %d\n", data, status.Source)
		return nil
	})
	// Output: [3.5 4.5] from rank 0
}

// The sum of the squares of all ranks, and an operator of our own that does not
// commute: the ranks are combined in their order.
func ExampleAllreduce() {
	run(4, func(w *comm.Comm) error {
		squares := []int64{int64(w.Rank() * w.Rank())}
		if err := comm.Allreduce(w, nil, squares, op.Sum[int64]()); err != nil { // nil: in place
			return err
		}
		last := op.New("last", false, func(_, right int64) int64 { return right })
		who := []int64{int64(w.Rank())}
		if err := comm.Allreduce(w, nil, who, last); err != nil {
			return err
		}
		if w.Rank() == 0 {
			fmt.Println(squares[0], who[0])
		}
		return nil
	})
	// Output: 14 3
}

// A halo exchange: every rank of a grid of 2 x 2 has a field of 4 x 4 whose border
// belongs to its neighbours. Rows lie side by side in memory, columns are a
// vector, and at the edge of the grid the neighbour is ProcNull.
func ExampleVector() {
	run(4, func(w *comm.Comm) error {
		grid, err := comm.NewCart(w, []int{2, 2}, []bool{false, false}, false)
		if err != nil {
			return err
		}
		const width = 4
		field := make([]int32, width*width)
		for y := 1; y < width-1; y++ {
			for x := 1; x < width-1; x++ {
				field[y*width+x] = int32(grid.Rank() + 1)
			}
		}
		row := comm.Vector{Count: 1, Block: width - 2, Stride: width - 2}
		column := comm.Vector{Count: width - 2, Block: 1, Stride: width}
		const y, x = 0, 1 // dimensions
		for _, side := range []struct {
			dim, disp int
			pattern   comm.Vector
			out, in   int // where my edge begins, and the neighbour's
		}{
			{y, -1, row, width + 1, (width-1)*width + 1},
			{y, +1, row, (width-2)*width + 1, 1},
			{x, -1, column, width + 1, width + width - 1},
			{x, +1, column, width + width - 2, width},
		} {
			from, to, err := grid.Shift(side.dim, side.disp)
			if err != nil {
				return err
			}
			in, err := comm.IrecvVector(grid.Comm, field[side.in:], side.pattern, from, 0)
			if err != nil {
				return err
			}
			out, err := comm.IsendVector(grid.Comm, field[side.out:], side.pattern, to, 0)
			if err != nil {
				return err
			}
			if err := comm.WaitAll([]comm.Request{in, out}, nil); err != nil {
				return err
			}
		}
		if grid.Rank() == 0 {
			for y := range width {
				fmt.Println(field[y*width : (y+1)*width])
			}
		}
		return grid.Close()
	})
	// Output:
	// [0 0 0 0]
	// [0 1 1 2]
	// [0 1 1 2]
	// [0 3 3 0]
}

// Two halves of a job work by themselves and meet again.
func ExampleComm_Split() {
	run(6, func(w *comm.Comm) error {
		half, err := w.Split(w.Rank()%2, 0)
		if err != nil {
			return err
		}
		sum := []int32{int32(w.Rank())}
		if err := comm.Allreduce(half, nil, sum, op.Sum[int32]()); err != nil {
			return err
		}
		all := make([]int32, w.Size())
		if err := comm.Gather(w, sum, all, 0); err != nil {
			return err
		}
		if w.Rank() == 0 {
			fmt.Println(all)
		}
		return half.Close()
	})
	// Output: [6 9 6 9 6 9]
}

// Computing while a reduction and a message are under way.
func ExampleWaitAll() {
	run(3, func(w *comm.Comm) error {
		largest := []float64{float64(10 - w.Rank())}
		reduction, err := comm.Iallreduce(w, nil, largest, op.Max[float64]())
		if err != nil {
			return err
		}
		right, left := (w.Rank()+1)%w.Size(), (w.Rank()+w.Size()-1)%w.Size()
		in := make([]uint8, 1)
		receive, err := comm.Irecv(w, in, left, 0)
		if err != nil {
			return err
		}
		send, err := comm.Isend(w, []uint8{uint8(w.Rank())}, right, 0)
		if err != nil {
			return err
		}
		// ... compute ...
		if err := comm.WaitAll([]comm.Request{reduction, receive, send}, nil); err != nil {
			return err
		}
		if w.Rank() == 0 {
			fmt.Println(largest[0], in[0])
		}
		return nil
	})
	// Output: 10 2
}

// Ranks count together: each adds to an integer of rank 0, which does nothing meanwhile.
func ExampleWindow() {
	run(3, func(c *comm.Comm) error {
		w, err := comm.AllocWindow[int64](c, 1)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if err := w.Accumulate([]int64{int64(c.Rank())}, op.Sum[int64](), 0, 0); err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(w.Local())
		}
		return w.Close()
	})
	// Output: [3]
}
