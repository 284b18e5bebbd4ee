package npb

import (
	"gobench/comm"
	"gobench/comm/op"
	"gobench/kernels/application"
)

// Outcome is what a run comes to: the same time on all ranks, checks on rank 0.
type Outcome struct {
	Seconds  float64 // of the run, by the rule of the kernel
	Verified bool    // on all ranks
	Mops     float64 // millions of operations per second, all ranks together; 0 unless verified
	Result           // Checks and Text are rank 0's
}

// Run does one run of an instance and agrees on its time and verdict. It is
// collective.
func Run(r *application.Rank, k *Kernel, class Class, instance Instance) (Outcome, error) {
	result, err := instance.Run()
	if err != nil {
		return Outcome{}, err
	}
	verdict := [2]float64{result.Seconds}
	if k.RootTime && r.Comm.Rank() != 0 {
		verdict[0] = 0
	}
	if (r.Comm.Rank() == 0 || result.Checks != nil) && !result.Verified() {
		verdict[1] = 1
	}
	if err := comm.Allreduce(r.Aside, nil, verdict[:], op.Max[float64]()); err != nil {
		return Outcome{}, err
	}
	o := Outcome{Seconds: verdict[0], Verified: verdict[1] == 0, Result: result}
	if o.Verified {
		o.Mops = k.Problem(class).Operations / o.Seconds
	}
	return o, nil
}
