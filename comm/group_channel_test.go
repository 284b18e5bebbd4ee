package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"gobench/bench"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/device"
)

// A part of a channel has the ranks of its color alone, and the whole is open after it was closed.
func TestGroupOfAChannel(t *testing.T) {
	everywhere(t, func(w *comm.Comm) error {
		whole, err := comm.NewChannel(w)
		if err != nil {
			return err
		}
		me, n := whole.Rank(), whole.Size()
		if none, err := whole.(bench.Grouper).Group(comm.Undefined, 0); none != nil || err != nil {
			return fmt.Errorf("without a group: %v, %v", none, err)
		}
		part, err := whole.(bench.Grouper).Group(me%2, me/2)
		if err != nil {
			return err
		}
		want := (n + 1 - me%2) / 2
		if part.Rank() != me/2 || part.Size() != want {
			return fmt.Errorf("rank %d of %d is %d of %d", me, n, part.Rank(), part.Size())
		}
		var wrong *device.ArgumentError
		if err := part.Send(nil, part.Rank(), 0, 1); !errors.As(err, &wrong) {
			return fmt.Errorf("context 1 of a group: %v", err)
		}
		sum := []int64{1}
		if err := comm.Allreduce(part.(comm.Channel).Comm(), nil, sum, op.Sum[int64]()); err != nil {
			return err
		}
		if err := part.Close(); err != nil || sum[0] != int64(want) {
			return fmt.Errorf("%d ranks of %d took part (%v)", sum[0], want, err)
		}
		return comm.Barrier(whole.Comm())
	})
}
