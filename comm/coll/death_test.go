package coll

import (
	"errors"
	"fmt"
	"testing"

	"gobench/comm/schedule"
	"gobench/device"
)

// A rank dies inside a collective operation: all others get its error, also those
// that exchange no message with it.
func TestDeath(t *testing.T) {
	for _, ranks := range []int{2, 3, 5, 8} {
		for _, check := range []Check{CheckFree, CheckStrict} {
			for _, how := range []string{"blocking", "waiting", "testing", "thread"} {
				for _, victim := range []int{0, ranks - 1} {
					t.Run(fmt.Sprintf("%d/%v/%s/%d", ranks, check, how, victim), func(t *testing.T) {
						o := Options{Check: check}
						if how == "thread" {
							o.Progress = ProgressThread
						}
						collective(t, hostile(), ranks, o, func(r *Runner) {
							for n := 0; ; n++ {
								if r.rank == victim && n == 7 {
									die(r)
								}
								if err := operate(r, kinds[n%len(kinds)], n, how); err != nil {
									mourn(t, r, err, victim)
									return
								}
							}
						})
					})
				}
			}
		}
	}
}

func operate(r *Runner, kind schedule.Kind, n int, how string) error {
	c := call(r, kind, []int{1, 500}[n%2])
	if how == "blocking" {
		return r.Do(c)
	}
	// Two at a time, so that the shortest way does not count.
	first, err := r.Start(c)
	if err != nil {
		return err
	}
	second, err := r.Start(call(r, kind, 1))
	if err != nil {
		return err
	}
	if how != "testing" {
		err = r.Wait(second)
	} else {
		for done := false; !done; {
			done, err = r.Test(second)
		}
	}
	return errors.Join(r.Wait(first), err)
}

func mourn(t *testing.T, r *Runner, err error, victim int) {
	var lost *device.PeerError
	if !errors.As(err, &lost) || lost.Rank != victim {
		t.Errorf("rank %d: %v, want the *PeerError of rank %d", r.rank, err, victim)
	}
	c := call(r, schedule.Allreduce, 1)
	if err := r.Do(c); !errors.As(err, &lost) || lost.Rank != victim {
		t.Errorf("rank %d, later: %v, want the *PeerError of rank %d", r.rank, err, victim)
	}
	h, err := r.Start(c)
	if err == nil {
		err = r.Wait(h)
	}
	if !errors.As(err, &lost) || lost.Rank != victim {
		t.Errorf("rank %d, started later: %v, want the *PeerError of rank %d", r.rank, err, victim)
	}
}
