package npb

import (
	"gobench/comm"
	"gobench/comm/op"
	"gobench/kernels/application"
)

// Outcome is the result of a run of all ranks. Seconds, Verified and Mops are the same on all
// ranks.
type Outcome struct {
	Seconds  float64 // of the run, by the rule of the kernel
	Verified bool    // on all ranks
	Mops     float64 // millions of operations per second, all ranks together; 0 unless verified
	Result           // of this rank; Checks and Text are complete on rank 0
}

// Run does one run of an instance and agrees on its time and on whether it is verified. It is
// collective.
func Run(r *application.Rank, k *Kernel, class Class, instance Instance) (Outcome, error) {
	result, err := instance.Run()
	if err != nil {
		return Outcome{}, err
	}
	worst := [2]float64{result.Seconds} // time, and 1 if wrong
	if k.RootTime && r.Comm.Rank() != 0 {
		worst[0] = 0
	}
	if (r.Comm.Rank() == 0 || result.Checks != nil) && !result.Verified() {
		worst[1] = 1
	}
	if err := comm.Allreduce(r.Aside, nil, worst[:], op.Max[float64]()); err != nil {
		return Outcome{}, err
	}
	o := Outcome{Seconds: worst[0], Verified: worst[1] == 0, Result: result}
	if o.Verified {
		o.Mops = k.Problem(class).Operations / o.Seconds
	}
	return o, nil
}
