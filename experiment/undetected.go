package experiment

import (
	"context"
	"fmt"

	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/exit"
	"gobench/internal/remedy"
)

// FaultUndetectedError reports a self-test whose fault never occurred or was not detected.
type FaultUndetectedError struct {
	Fault       string // as typed
	Never       string // why it did not occur, "" if it did
	Done, Times int    // damaged messages and all messages, of all ranks
}

func (e *FaultUndetectedError) Error() string {
	if e.Never != "" {
		return fmt.Sprintf("%v was never injected: %s", remedy.Set("fault", e.Fault), e.Never)
	}
	return fmt.Sprintf("%v was not detected: %d of %d messages of data were damaged, and no check reported one of them", remedy.Set("fault", e.Fault), e.Done, e.Times)
}

// Code returns the exit code: a fault that cannot occur is a usage error, an undetected one a
// failure.
func (e *FaultUndetectedError) Code() int {
	if e.Never != "" {
		return exit.Usage
	}
	return exit.Failed
}

// tallied returns a copy of r with a tally of the fault for one rank.
func (r *measurement) tallied() *measurement {
	own := *r
	own.Fault.tally = new(decorator.Tally)
	return &own
}

// faultDetected is called after a successful run. It returns a *FaultUndetectedError if the run had
// a fault that should have made it fail. It is collective.
func (r *measurement) faultDetected(ctx context.Context, job device.Job) error {
	f := r.Fault
	if f.name != "corrupt" && f.name != "drop" {
		return nil
	}
	all, err := device.Exchange(ctx, job, *f.tally)
	if err != nil {
		return err
	}
	return f.undetected(all)
}

// undetected returns the error for the tallies of all ranks.
func (f fault) undetected(all []decorator.Tally) *FaultUndetectedError {
	e := &FaultUndetectedError{Fault: fmt.Sprintf("%s:%d", f.name, f.every)}
	largest := 0
	for _, t := range all {
		e.Done += t.Done
		e.Times += t.Seen
		largest = max(largest, t.Seen)
	}
	switch {
	case largest == 0:
		e.Never = "the ranks sent each other no messages of data"
	case e.Done == 0 && f.name == "corrupt":
		e.Never = fmt.Sprintf("no rank received more than %d messages of data; want a number up to that", largest)
	case f.name == "drop":
		e.Never = fmt.Sprintf("no rank had more than %d operations with the last one; want a smaller number", largest)
	}
	return e
}
