package detect

import (
	"fmt"
	"os"
)

// A NestedError reports that a rank has called rendezvous.FromEnv again or has tried to launch
// ranks. Without this check a program that does not call rendezvous.FromEnv would fork itself
// endlessly.
type NestedError struct {
	Inside string // "rank 1 of 4"
}

func (e *NestedError) Error() string {
	return fmt.Sprintf("this process already belongs to a job (as %s or a child of it): a rank cannot launch ranks", e.Inside)
}

// An EnvError reports launcher variables that are invalid or contradict this process.
type EnvError struct {
	Variable, Value, Problem string
}

func (e *EnvError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s in the environment %s", e.Variable, e.Problem)
	}
	return fmt.Sprintf("%s=%q in the environment %s", e.Variable, e.Value, e.Problem)
}

// CheckNested returns an error in a process that belongs to a job.
func CheckNested() error {
	for _, name := range []string{EnvInside, EnvRank} {
		if inside, ok := os.LookupEnv(name); ok {
			if name == EnvRank {
				inside = "rank " + inside
			}
			return &NestedError{inside}
		}
	}
	return nil
}
