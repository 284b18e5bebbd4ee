package compare

import (
	"fmt"

	"gobench/bench/stats"
)

// Conclusion is how a gate ends.
type Conclusion string

const (
	Passed Conclusion = "passed"            // a regression that counts can be excluded in every cell
	Failed Conclusion = "regression"        // shown in a cell at least
	Noisy  Conclusion = "too noisy to tell" // neither
)

// Gate is the judgement over all cells together.
type Gate struct {
	Conclusion Conclusion
	Why        string // one sentence
}

// gate concludes. A cell that the base has and a side has not is no pass: a
// benchmark that vanishes would else take its regression with it.
func (r *Result) gate() *Gate {
	slower, unclear, vanished := r.Count(Slower), r.Count(Unclear), 0
	for _, s := range r.Sides {
		if slower == 0 && r.selfTests(s.Name) != "" {
			return &Gate{Noisy, "results of a self-test say nothing about the program"}
		}
	}
	for _, m := range r.Missing {
		if m.In == r.Sides[0].Name {
			vanished++
		}
	}
	switch {
	case slower == 0 && len(r.mixed) > 0:
		return &Gate{Noisy, "the sides have launches in common"}
	case slower > 0:
		return &Gate{Failed, fmt.Sprintf("%s slower by more than counts", plural(slower, len(r.Rows), "is", "are"))}
	case len(r.Rows) == 0:
		return &Gate{Noisy, "there is no cell that both sides have"}
	case unclear > 0 && vanished > 0:
		return &Gate{Noisy, fmt.Sprintf("it cannot be told of %s, and %s missing", plural(unclear, len(r.Rows), "", ""), count(vanished, "cell of the baseline is", "cells of the baseline are"))}
	case unclear > 0:
		return &Gate{Noisy, fmt.Sprintf("it cannot be told of %s", plural(unclear, len(r.Rows), "", ""))}
	case vanished > 0:
		return &Gate{Noisy, fmt.Sprintf("%s missing", count(vanished, "cell of the baseline is", "cells of the baseline are"))}
	}
	return &Gate{Passed, fmt.Sprintf("none of %s slower by more than counts", count(len(r.Rows), "cell is", "cells is"))}
}

func plural(n, of int, one, many string) string {
	verb := many
	if n == 1 {
		verb = one
	}
	s := fmt.Sprintf("%d of %s", n, count(of, "cell", "cells"))
	if verb != "" {
		s += " " + verb
	}
	return s
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// blind warns where a gate could not find even the largest regression: the p-value
// of so few launches is never below the level divided by the number of cells.
func (r *Result) blind() string {
	if !r.Options.Gate {
		return ""
	}
	blind, of := 0, 0
	for _, row := range r.Rows {
		if row.Level != Launches {
			continue
		}
		of++
		if stats.LeastP(row.NA, row.NB)*float64(len(r.Rows)) >= r.Options.Alpha {
			blind++
		}
	}
	if blind == 0 {
		return ""
	}
	need := 4
	for stats.LeastP(need, need)*float64(len(r.Rows)) >= r.Options.Alpha {
		need++
	}
	return fmt.Sprintf("with so few launches this gate can find no regression, however large, in %s: for %s it takes %d launches of each side",
		plural(blind, of, "", ""), count(len(r.Rows), "cell", "cells"), need)
}
