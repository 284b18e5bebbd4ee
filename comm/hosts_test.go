package comm_test

import (
	"errors"
	"fmt"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Communicators made from others keep the hosts of their ranks: an algorithm for several hosts can
// be used where these are on several.
func TestCommunicatorsKnowTheirHosts(t *testing.T) {
	const n = 6
	hosts := []int{2, 0, 2, 0, 5, 5}
	levels, err := coll.ParseChoice(schedule.Allreduce, "two-level")
	if err != nil {
		t.Fatal(err)
	}
	err = try(t, "memwire", n, coll.Options{Hosts: hosts}, func(w *comm.Comm) error {
		me := w.Rank()
		for _, c := range []struct {
			name  string
			color int
			key   int
			hosts int
		}{
			{"all", 0, 0, 3},
			{"all, backwards", 0, -me, 3},
			{"by host", hosts[me], 0, 1},
			{"first and second half", me / 3, 0, 2},
			{"the last is alone", me / 5, 0, 3 - 2*(me/5)},
		} {
			part, err := w.Split(c.color, c.key)
			if err != nil {
				return err
			}
			if part.Hosts() != c.hosts {
				return fmt.Errorf("%s: %d hosts, want %d", c.name, part.Hosts(), c.hosts)
			}
			part.Force(schedule.Allreduce, &levels)
			sum := []int64{1}
			err = comm.Allreduce(part, nil, sum, op.Sum[int64]())
			var unfit *coll.FitError
			switch {
			case c.hosts == 1:
				if !errors.As(err, &unfit) {
					return fmt.Errorf("%s: %v, want a FitError", c.name, err)
				}
			case err != nil || sum[0] != int64(part.Size()):
				return fmt.Errorf("%s: the sum is %d, %v", c.name, sum[0], err)
			}
			if err := part.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A list of hosts for another number of ranks is a mistake of the program.
func TestHostsOfOtherRanks(t *testing.T) {
	err := try(t, "memwire", 2, coll.Options{Hosts: []int{0}}, func(*comm.Comm) error { return nil })
	var argument *comm.ArgumentError
	if !errors.As(err, &argument) {
		t.Errorf("%v, want an ArgumentError", err)
	}
}
