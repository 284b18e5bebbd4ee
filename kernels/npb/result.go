package npb

import (
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"gobench/comm"
	"gobench/kernels/application"
)

// Result is the result of a run on one rank.
type Result struct {
	Seconds float64 // of the timed region, on this rank
	Checks  []Check // on rank 0, and on other ranks that hold verified quantities: all must pass
	// Facts and Metrics of the run, for its record, on rank 0 (see application.Outcome).
	Facts   map[string]any
	Metrics map[string]float64
	Text    string // on rank 0: results in the layout of the official output, whole lines
}

// Unknown returns the reference of a quantity without an official value, NaN: one of a class that
// is not official.
func Unknown() float64 { return math.NaN() }

// Check is one verified quantity.
type Check struct {
	Name      string  // "zeta", "checksum 3"
	Value     float64 // computed
	Reference float64 // official, or Unknown
	Error     float64 // relative, or as the kernel defines it
	Epsilon   float64 // greatest Error that passes
}

// Relative returns the check of a value by its relative error.
func Relative(name string, value, reference, epsilon float64) Check {
	return Check{name, value, reference, math.Abs((value - reference) / reference), epsilon}
}

// Right reports whether the check passes. NaN never does.
func (c Check) Right() bool { return c.Error <= c.Epsilon }

// Verified reports whether there are checks and all of them pass.
func (r Result) Verified() bool {
	for _, c := range r.Checks {
		if !c.Right() {
			return false
		}
	}
	return len(r.Checks) > 0
}

// FormatE formats v as Fortran's Ew.d does, with a mantissa below 1:
// 8.597 in E20.13 is "  0.8597000000000E+01".
func FormatE(v float64, width, digits int) string {
	s := strconv.FormatFloat(v, 'e', digits-1, 64)
	mantissa, power, ok := strings.Cut(s, "e")
	if !ok { // NaN and infinities
		return fmt.Sprintf("%*s", width, s)
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	exponent, _ := strconv.Atoi(power)
	if v != 0 {
		exponent++
	}
	s = fmt.Sprintf("%s0.%sE%+03d", sign, strings.Replace(mantissa, ".", "", 1), exponent)
	return fmt.Sprintf("%*s", width, s)
}

// FormatPD formats v as Fortran's 1PDw.d does: with one digit before the point and
// a D before the exponent.
func FormatPD(v float64, width, digits int) string {
	s := strings.Replace(strconv.FormatFloat(v, 'e', digits, 64), "e", "D", 1)
	return fmt.Sprintf("%*s", width, s)
}

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
