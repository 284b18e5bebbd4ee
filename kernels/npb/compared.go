package npb

import (
	"fmt"
	"math"
	"runtime/debug"

	"gobench/comm"
	"gobench/kernels/application"
)

// Make does the untimed setup of any class, for ranks on which it is legal. It is collective.
//
// A class that is not official has no official values: its instance is verified against the values
// of a preceding untimed run. Up to the work of class A, rank 0 does that run alone, without
// messages. Larger problems are run by all ranks.
func (k *Kernel) Make(r *application.Rank, class Class) (Instance, error) {
	if class.Official() {
		return k.New(r, class)
	}
	values, err := k.values(r, class)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // of that run
	instance, err := k.New(r, class)
	return &compared{instance, values}, err
}

// compared is an instance whose quantities without official values are compared with others.
type compared struct {
	Instance
	values []float64 // of each check of rank 0
}

// Run implements Instance.
func (c *compared) Run() (Result, error) {
	result, err := c.Instance.Run()
	for i, check := range result.Checks {
		if math.IsNaN(check.Reference) && i < len(c.values) {
			result.Checks[i] = Relative(check.Name, check.Value, c.values[i], check.Epsilon)
		}
	}
	return result, err
}

// values does a run and returns the values of the checks of rank 0 on all ranks.
func (k *Kernel) values(r *application.Rank, class Class) ([]float64, error) {
	one := r.Comm.Size() > 1 && k.Legal(class, 1) == nil && k.Problem(class).Operations <= k.Problem(A).Operations
	runs := r.Over(r.Comm) // without probes and timers of the measured run
	runs.Aside = r.Aside
	if one {
		own, err := r.Comm.Split(min(r.Comm.Rank(), 1), 0)
		if err != nil {
			return nil, err
		}
		defer own.Close()
		runs = r.Over(own)
	}
	var values []float64
	if !one || r.Comm.Rank() == 0 {
		instance, err := k.New(runs, class)
		if err != nil {
			return nil, err
		}
		result, err := instance.Run()
		if err != nil {
			return nil, err
		}
		if err := runs.Close(); err != nil {
			return nil, err
		}
		for _, c := range result.Checks {
			if values = append(values, c.Value); math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
				return nil, fmt.Errorf("%s class %s has no finite solution: its %s is %v", k.Name, class, c.Name, c.Value)
			}
		}
	}
	count := [1]int64{int64(len(values))}
	if err := comm.Bcast(r.Comm, count[:], 0); err != nil {
		return nil, err
	}
	if r.Comm.Rank() != 0 {
		values = make([]float64, count[0])
	}
	return values, comm.Bcast(r.Comm, values, 0)
}
