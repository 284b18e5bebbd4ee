package comm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/device"
	"gobench/launch"
	"gobench/transports/smem"
)

// Ranks that do not agree on how much get an error that says so, and never wrong data, a panic or a
// wait without end, in shared memory as by messages. A count of 0 is left out: no message is sent
// for it, so that only CheckStrict finds it by messages.
func TestDifferentCounts(t *testing.T) {
	sum := op.Sum[float64]()
	for name, f := range map[string]func(w *comm.Comm) error{
		"bcast, in a note": func(w *comm.Comm) error {
			return comm.Bcast(w, make([]byte, 10+10*w.Rank()), 0)
		},
		"bcast, of different steps": func(w *comm.Comm) error {
			return errors.Join(comm.Bcast(w, make([]byte, 10+50000*w.Rank()), 0), comm.Barrier(w))
		},
		"allreduce, by everybody and by slices": func(w *comm.Comm) error {
			n := 6 + 594*w.Rank()
			in := make([]float64, n)
			for i := range in {
				in[i] = 1 // as a place in the store it would be far outside
			}
			return comm.Allreduce(w, in, make([]float64, n), sum)
		},
		"gather": func(w *comm.Comm) error {
			n := 8000 - 3800*w.Rank()
			return comm.Gather(w, make([]byte, n), make([]byte, w.Size()*n), 0)
		},
		"alltoall": func(w *comm.Comm) error {
			n := 8 + 8*w.Rank()
			return comm.Alltoall(w, make([]byte, w.Size()*n), make([]byte, w.Size()*n))
		},
		"alltoallv, short": func(w *comm.Comm) error { return unequalAlltoall(w, 1, 2) },
		"alltoallv, long":  func(w *comm.Comm) error { return unequalAlltoall(w, 5000, 7000) },
		"alltoall and alltoallv": func(w *comm.Comm) error {
			if n := 48; w.Rank() > 0 { // of 2 ranks, as long as what begins an alltoallv
				return comm.Alltoall(w, make([]byte, w.Size()*n), make([]byte, w.Size()*n))
			}
			return unequalAlltoall(w, 4, 4)
		},
		// One rank is above the size from which messages are faster, and the others below.
		"bcast, the root by messages": func(w *comm.Comm) error {
			return errors.Join(comm.Bcast(w, make([]byte, 100000-95000*min(w.Rank(), 1)), 0), comm.Barrier(w))
		},
		"scatter, the root by messages": func(w *comm.Comm) error {
			n := 10000 - 9000*min(w.Rank(), 1)
			return errors.Join(comm.Scatter(w, make([]byte, w.Size()*n), make([]byte, n), 0), comm.Barrier(w))
		},
		"scatter, a leaf by messages": func(w *comm.Comm) error {
			n := 1000 + 9000*(w.Rank()/(w.Size()-1))
			return errors.Join(comm.Scatter(w, make([]byte, w.Size()*n), make([]byte, n), 0), comm.Barrier(w))
		},
		"gather, the root by messages": func(w *comm.Comm) error {
			n := 50000 - 45000*min(w.Rank(), 1)
			return comm.Gather(w, make([]byte, n), make([]byte, w.Size()*n), 0)
		},
		"gather, a leaf by messages": func(w *comm.Comm) error {
			n := 5000 + 45000*(w.Rank()/(w.Size()-1))
			return comm.Gather(w, make([]byte, n), make([]byte, w.Size()*n), 0)
		},
		"alltoall, one by messages": func(w *comm.Comm) error {
			n := 1000 + 9000*(w.Rank()/(w.Size()-1))
			return comm.Alltoall(w, make([]byte, w.Size()*n), make([]byte, w.Size()*n))
		},
		"bcast between groups, the root has less": func(w *comm.Comm) error { return bcastBetween(t, w, 100, 5000) },
		"bcast between groups, the root has more": func(w *comm.Comm) error { return bcastBetween(t, w, 5000, 100) },
		"allreduce between groups": func(w *comm.Comm) error {
			x, err := w.Divide()
			if err != nil {
				return err
			}
			n := 6 + 594*min(w.Rank(), 1)
			return shortOrLong(t, w, comm.Allreduce(x, make([]float64, n), make([]float64, n), sum))
		},
		"another operation": func(w *comm.Comm) error {
			if w.Rank() == 0 {
				return errors.Join(comm.Bcast(w, make([]byte, 8), 0), comm.Barrier(w))
			}
			return comm.Barrier(w)
		},
	} {
		for _, transport := range []string{"smem", "tcp"} {
			if name == "another operation" && transport == "tcp" {
				continue // messages of nothing say nothing: --check=strict does
			}
			for _, ranks := range []int{2, 3} {
				t.Run(fmt.Sprintf("%s/%s/%d", transport, name, ranks), func(t *testing.T) {
					err := try(t, transport, ranks, coll.Options{}, func(w *comm.Comm) error {
						for range 3 {
							if err := f(w); err != nil {
								return err
							}
						}
						return nil
					})
					var mismatch *coll.MismatchError
					if !errors.As(err, &mismatch) {
						t.Errorf("got %v, want a MismatchError", err)
					}
				})
			}
		}
	}
}

// unequalAlltoall sends blocks of that many bytes between all ranks, of which the last has another
// number in mind for what it receives.
func unequalAlltoall(w *comm.Comm, sent, expected int) error {
	out, in := make([]int, w.Size()), make([]int, w.Size())
	for r := range out {
		out[r], in[r] = sent, sent
		if w.Rank() == w.Size()-1 && r < w.Rank() {
			in[r] = expected
		}
	}
	n := w.Size() * max(sent, expected)
	return comm.Alltoallv(w, make([]byte, n), out, nil, make([]byte, n), in, nil)
}

// bcastBetween sends a vector from rank 0 to the other half of the ranks, which expect another one.
func bcastBetween(t *testing.T, w *comm.Comm, root, leaf int) error {
	x, err := w.Divide()
	switch {
	case err != nil:
		return err
	case w.Rank() > 0:
		return shortOrLong(t, w, comm.Bcast(x, make([]byte, leaf), 0))
	}
	return errors.Join(comm.Bcast(x, make([]byte, root), comm.Root), comm.Barrier(w))
}

// shortOrLong returns the error of an operation, which every rank that receives must have.
func shortOrLong(t *testing.T, w *comm.Comm, err error) error {
	if err == nil {
		t.Errorf("rank %d has received a vector of another length without an error", w.Rank())
	}
	return err
}

// Ranks whose tables differ learn it when the communicator is made, and none hangs.
func TestWorldWithDifferentTables(t *testing.T) {
	for _, transport := range []string{"memwire", smem.Name, "tcp"} {
		d := driver(t, transport)
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		err := launch.Goroutines(ctx, 3, func(ctx context.Context, job device.Job) error {
			o := coll.Options{}
			if job.Rank() == 1 {
				o.Check = coll.CheckStrict
			}
			err := comm.Run(ctx, d, job, comm.Options{Coll: o}, func(*comm.Comm) error { return nil })
			var differ *coll.OptionsError
			return must(errors.As(err, &differ) && differ.Ranks == [2]int{0, 1}, "rank %d: %v", job.Rank(), err)
		})
		if err != nil {
			t.Errorf("%s: %v", transport, err)
		}
	}
}
