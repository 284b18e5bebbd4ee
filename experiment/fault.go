package experiment

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/exit"
	"gobench/internal/remedy"
	"gobench/nearest"
	"gobench/record"
)

// fault describes the fault that a self-test injects into messages, to prove that the checks detect
// it. Points that were measured with a fault have a warning.
type fault struct {
	name  string // "" = none
	every int    // corrupt: messages per damaged byte; drop: operations before the last rank is lost
	delay time.Duration
	tally *decorator.Tally // of this rank; nil before there is one
}

// parseFault reads corrupt[:N], drop[:N] or delay[:TIME].
func parseFault(s string) (fault, error) {
	if s == "" {
		return fault{}, nil
	}
	name, amount, given := strings.Cut(s, ":")
	f := fault{name: name, every: 1, delay: 10 * time.Microsecond}
	switch name {
	case "drop":
		f.every = 1000
		fallthrough
	case "corrupt":
		if given {
			n, err := strconv.Atoi(amount)
			if err != nil || n < 1 {
				return fault{}, remedy.Errorf("%v wants a number of messages of 1 or more after the colon, such as %s:100", remedy.Set("fault", s), name)
			}
			f.every = n
		}
	case "delay":
		if given {
			d, err := time.ParseDuration(amount)
			if err != nil || d <= 0 {
				return fault{}, remedy.Errorf("%v wants a time after the colon, such as delay:10us", remedy.Set("fault", s))
			}
			f.delay = d
		}
	default:
		return fault{}, &nearest.UnknownError{What: "fault", Name: name, Known: []string{"corrupt", "drop", "delay"}}
	}
	return f, nil
}

// apply returns a channel that injects the fault. drop loses the last rank; corrupt damages only
// messages in contexts for which data returns true.
func apply[C device.Channel](f fault, c C, data func(context int32) bool) C {
	switch f.name {
	case "corrupt":
		return decorator.CorruptIn(data, c, f.every, f.tally)
	case "drop":
		return decorator.Drop(c, c.Size()-1, f.every, f.tally)
	case "delay":
		return decorator.Delay(c, f.delay)
	}
	return c
}

// reaches returns an error if a benchmark moves its data by other means than the messages that the
// fault changes.
func (f fault) reaches(b bench.Benchmark) error {
	op := b.Collective
	switch {
	case f.name == "":
	case op != nil && (op.Shared || op.Library):
		return remedy.Errorf("%v is for messages of the transport: algorithm %s of %s has none", remedy.Set("fault", f.name), op.Algorithm, b.Name)
	case b.OneSided && f.name != "corrupt":
		return remedy.Errorf("%v is for messages: benchmark %s has none, and only corrupt reaches puts and gets", remedy.Set("fault", f.name), b.Name)
	}
	return nil
}

func (f fault) String() string {
	switch f.name {
	case "corrupt":
		return fmt.Sprintf(record.SelfTest+"a byte of one message in %d is damaged on purpose", f.every)
	case "drop":
		return fmt.Sprintf(record.SelfTest+"the last rank is lost on purpose after %d operations", f.every)
	case "delay":
		return fmt.Sprintf(record.SelfTest+"every send is delayed on purpose by %v", f.delay)
	}
	return ""
}

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
