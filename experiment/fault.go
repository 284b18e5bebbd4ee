package experiment

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/device/decorator"
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
