package measure

import (
	"context"
	"fmt"

	"gobench/device"
	"gobench/device/decorator"
)

// FaultUndetectedError says that a fault that was asked for did not come to light: who asked must not
// believe that a check has passed.
type FaultUndetectedError struct {
	Fault       string // as typed
	Never       string // why it did not happen, "" if it did
	Done, Times int    // messages of all ranks that were damaged, of so many
}

func (e *FaultUndetectedError) Error() string {
	if e.Never != "" {
		return fmt.Sprintf("--fault=%s never happened: %s", e.Fault, e.Never)
	}
	return fmt.Sprintf("--fault=%s went unnoticed: %d of %d messages of data were damaged, and no check saw one of them", e.Fault, e.Done, e.Times)
}

// Code is the exit code: asking for what does not happen is a mistake, what happens and is
// not noticed is a failure.
func (e *FaultUndetectedError) Code() int {
	if e.Never != "" {
		return 2
	}
	return 1
}

// tallied is r with a tally of its own, for one rank.
func (r *Request) tallied() *Request {
	own := *r
	own.Fault.tally = new(decorator.Tally)
	return &own
}

// unseen finds out after a run that ended well why it did although a fault was asked for
// that should have ended it: an *FaultUndetectedError. It is collective.
func (r *Request) unseen(ctx context.Context, job device.Job) error {
	f := r.Fault
	if f.name != "corrupt" && f.name != "drop" {
		return nil
	}
	all, err := exchange(ctx, job, *f.tally)
	if err != nil {
		return err
	}
	return f.verdict(all)
}

// verdict is that on what all ranks have seen of a fault.
func (f fault) verdict(all []decorator.Tally) *FaultUndetectedError {
	e := &FaultUndetectedError{Fault: fmt.Sprintf("%s:%d", f.name, f.every)}
	most := 0
	for _, t := range all {
		e.Done += t.Done
		e.Times += t.Seen
		most = max(most, t.Seen)
	}
	switch {
	case most == 0:
		e.Never = "the ranks sent each other no messages of data"
	case e.Done == 0 && f.name == "corrupt":
		e.Never = fmt.Sprintf("no rank received more than %d messages of data; want a number up to that", most)
	case f.name == "drop":
		e.Never = fmt.Sprintf("no rank had more than %d operations with the last one; want a smaller number", most)
	}
	return e
}
